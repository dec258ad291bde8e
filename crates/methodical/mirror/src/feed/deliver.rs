//! Delivers the changes of the feed to a consumer: at least once, in order.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::time::{Duration, Instant};

use methodical_client::sleep_blocking;

use crate::error::{Error, ErrorKind};
use crate::feed::consumer::Consumer;
use crate::feed::sink::{Consequence, Failure, Sink};
use crate::feed::{Change, ChangeKind};
use crate::mirror::Mirror;
use crate::store::rows::PAGE;
use crate::store::utc;

/// Selects the changes that are delivered. The default delivers all.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "the fields that are not set have a default")]
pub struct Limits {
    /// Deliver only changes of these tables; empty for all. The position moves past the others, so they are never
    /// delivered, even if a later delivery selects other tables.
    pub tables: BTreeSet<String>,
    /// Deliver only changes of these kinds; empty for all. The position moves past the others.
    pub kinds: Vec<ChangeKind>,
}

impl Limits {
    fn wants(&self, change: &Change) -> bool {
        (self.tables.is_empty() || self.tables.contains(&change.table))
            && (self.kinds.is_empty() || self.kinds.contains(&change.kind))
    }
}

/// How much [`Mirror::deliver`] delivered, and why it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// How many events were delivered.
    pub delivered: u64,
    /// How far the consumer is behind the end of the feed, in change numbers.
    pub behind: u64,
    /// The reason for the end of the delivery.
    pub end: DeliveryEnd,
}

/// The reason for the end of a [`Delivery`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveryEnd {
    /// All changes were delivered.
    Complete,
    /// The receiver was closed.
    Closed,
    /// Nothing was attempted: an attempt failed before, and the next one is not due yet.
    Waiting {
        /// When it is due, in seconds since 1970 (UTC).
        until: i64,
    },
}

impl Mirror {
    /// Delivers the changes after the position of a consumer to a sink, and moves the position.
    ///
    /// The position moves after events were delivered. Each event is therefore delivered at least once, in the order of
    /// its number, even if the process is killed. An event that is delivered again has the same
    /// [`id`](crate::Event::id). Events are created right before their delivery, from the records as they are then. An
    /// erased record is not delivered.
    ///
    /// One process delivers to a consumer at a time. Once that process has ended, or was killed, another one can
    /// deliver.
    ///
    /// After a failure, the next attempt is due after 5 seconds, then 15, and so on up to one hour, but not before the
    /// delay that the receiver asked for. The mirror stores when that is; until then, this function attempts nothing.
    /// It never gives up on an event. [`enable_consumer`](Self::enable_consumer) removes the delay. To skip an event
    /// that a receiver never accepts, [rewind](Self::rewind_consumer) the consumer to the [cursor
    /// after](Self::cursor_after) it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Delivery`] if the sink failed, [`ErrorKind::Consumer`] if the consumer does not exist or is
    /// disabled, [`ErrorKind::Cursor`] if its changes were removed, and [`ErrorKind::Busy`] if another process or
    /// thread delivers to it, or moved its position in the meantime.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_mirror::model::tables::{Column, Table};
    /// use methodical_mirror::{DeliveryEnd, Event, Failure, Limits, Mirror, Rules, Sink};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
    ///
    /// #[derive(Default)]
    /// struct Titles(Vec<String>);
    ///
    /// impl Sink for Titles {
    ///     fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
    ///         self.0.extend(events.iter().filter_map(|event| event.record.clone()));
    ///         Ok(())
    ///     }
    /// }
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// mirror.add_consumer("titles")?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new().emit_baseline())?;
    /// run.record(r#"{"id":"1","title":"Harbour"}"#)?;
    /// run.finish()?;
    ///
    /// let mut titles = Titles::default();
    /// let delivery = mirror.deliver("titles", &mut titles, &Limits::default())?;
    /// assert_eq!((delivery.delivered, delivery.end), (1, DeliveryEnd::Complete));
    /// assert_eq!(titles.0, [r#"{"id":"1","title":"Harbour"}"#]);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn deliver(
        &self,
        consumer: &str,
        sink: &mut (impl Sink + ?Sized),
        limits: &Limits,
    ) -> Result<Delivery, Error> {
        let (mut consumer, mut end) = self.next_delivery(consumer)?;
        let mut delivered = 0;
        if end.is_none() {
            let _reserved = self.store().reserve(&consumer.name)?;
            // Another process may have delivered in between.
            (consumer, end) = self.next_delivery(&consumer.name)?;
            while end.is_none() {
                end = self.deliver_batch(&mut consumer, sink, limits, &mut delivered)?;
            }
        }
        let last = self.store().feed()?.last;
        let behind = u64::try_from(last.saturating_sub(consumer.position)).unwrap_or_default();
        Ok(Delivery { delivered, behind, end: end.unwrap_or(DeliveryEnd::Complete) })
    }

    /// Returns a consumer and, if nothing can be delivered to it now, the reason.
    fn next_delivery(&self, name: &str) -> Result<(Consumer, Option<DeliveryEnd>), Error> {
        let store = self.store();
        let consumer = store.consumer(name)?;
        if consumer.disabled_at.is_some() {
            let reason = consumer.error.as_deref().unwrap_or_default();
            let why = format!("it is disabled: {reason}; enable it to try again");
            return Err(consumer.refused(ErrorKind::Consumer, &why));
        }
        let due = consumer.next_attempt_at.filter(|until| {
            // A longer delay means that the clock was set back.
            (1..=seconds(LONGEST_ASKED)).contains(&until.saturating_sub(self.now()))
        });
        let end = match due {
            Some(until) => Some(DeliveryEnd::Waiting { until }),
            None if store.feed()?.last == consumer.position => Some(DeliveryEnd::Complete),
            None => None,
        };
        Ok((consumer, end))
    }

    /// Delivers one batch. Returns the reason if it was the last one.
    fn deliver_batch(
        &self,
        consumer: &mut Consumer,
        sink: &mut (impl Sink + ?Sized),
        limits: &Limits,
        delivered: &mut u64,
    ) -> Result<Option<DeliveryEnd>, Error> {
        let from = consumer.position;
        let changes = self.page(consumer, sink.batch())?;
        let Some(last) = changes.last().map(|change| change.number) else {
            return Ok(Some(DeliveryEnd::Complete));
        };
        let wanted = changes.into_iter().filter(|change| limits.wants(change));
        let events = wanted.map(|change| self.event(change)).collect::<Result<Vec<_>, _>>()?;
        if !events.is_empty() {
            match sink.deliver(&events) {
                Ok(()) => {
                    consumer.enable();
                    consumer.delivered_at = Some(self.now());
                }
                Err(failure) if failure.consequence == Consequence::Close => {
                    return Ok(Some(DeliveryEnd::Closed));
                }
                Err(failure) => return Err(self.failed(consumer, failure)?),
            }
        }
        consumer.position = last;
        self.save(consumer, from)?;
        *delivered += events.len() as u64;
        Ok(None)
    }

    /// Saves the state of a consumer. If a sync of another process blocks the store, waits for it: otherwise, the
    /// events would be delivered again.
    fn save(&self, consumer: &Consumer, from: i64) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            let updated = self.store().update_consumer(consumer, from);
            match updated {
                Ok(()) => return Ok(()),
                // The store is blocked, unless another process moved the consumer.
                Err(error) if error.kind() != ErrorKind::Busy || error.source().is_none() => {
                    return Err(error);
                }
                Err(error) if start.elapsed() > LONGEST_BLOCK => return Err(error),
                Err(_blocked) => sleep_blocking(CHECK_INTERVAL),
            }
        }
    }

    fn page(&self, consumer: &Consumer, limit: usize) -> Result<Vec<Change>, Error> {
        let store = self.store();
        let feed = store.feed()?;
        let why = if consumer.position < feed.pruned {
            "the changes after the position of the consumer were removed"
        } else if consumer.position > feed.last {
            "the mirror is older than the position of the consumer"
        } else {
            return store.changes(consumer.position, limit.clamp(1, PAGE));
        };
        let why = format!("{why}; take a new snapshot, and rewind the consumer to its cursor");
        Err(consumer.refused(ErrorKind::Cursor, &why))
    }

    fn failed(&self, consumer: &mut Consumer, failure: Failure) -> Result<Error, Error> {
        let failed_at = self.now();
        consumer.failures = consumer.failures.saturating_add(1);
        consumer.failed_at = Some(failed_at);
        consumer.error = Some(failure.text.clone().into_owned());
        let next = match failure.consequence {
            Consequence::Disable => {
                consumer.disabled_at = Some(failed_at);
                "the consumer is disabled; enable it to try again".to_owned()
            }
            Consequence::Retry(asked) => {
                let delay = delay(consumer.failures);
                let delay = asked.map_or(delay, |asked| asked.min(LONGEST_ASKED).max(delay));
                let at = failed_at.saturating_add(seconds(delay));
                consumer.next_attempt_at = Some(at);
                format!("the next attempt is due at {}", utc(at))
            }
            Consequence::Close => String::new(),
        };
        self.save(consumer, consumer.position)?;
        let error = consumer.refused(ErrorKind::Delivery, &format!("{failure}; {next}"));
        Ok(error.because(failure))
    }
}

/// Returns a duration in whole seconds, rounded up.
fn seconds(duration: Duration) -> i64 {
    let seconds = duration.as_secs().saturating_add(u64::from(duration.subsec_nanos() > 0));
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

/// Returns the delay after this many consecutive failures: 5 seconds, tripled with each failure, up to one hour.
fn delay(failures: u32) -> Duration {
    let exponent = failures.saturating_sub(1).min(MAX_EXPONENT);
    FIRST.saturating_mul(FACTOR.saturating_pow(exponent)).min(LONGEST)
}

/// Maximum time to wait for a sync that blocks the store.
const LONGEST_BLOCK: Duration = Duration::from_secs(10 * 60);

/// Time between two attempts to save a position.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

const FIRST: Duration = Duration::from_secs(5);

const FACTOR: u32 = 3;

/// Keeps the power within `u32`.
const MAX_EXPONENT: u32 = 10;

const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Maximum delay that a receiver can ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(24 * 60 * 60);

#[cfg(test)]
mod tests {
    use super::delay;

    #[test]
    fn the_delay_grows_up_to_one_hour() {
        let seconds = |failures| delay(failures).as_secs();
        let delays = [1, 2, 3, 4, 5, 6, 7, 8, u32::MAX].map(seconds);
        assert_eq!(delays, [5, 15, 45, 135, 405, 1215, 3600, 3600, 3600]);
    }
}
