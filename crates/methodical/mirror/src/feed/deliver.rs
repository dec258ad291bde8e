//! Consumers: named positions in the feed, stored in the mirror with the state of their deliveries. A delivery passes
//! each change to a consumer at least once, in order.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::time::{Duration, Instant};

use methodical_client::sleep_blocking;

use crate::error::{Error, ErrorKind};
use crate::feed::sink::{Consequence, Failure, Sink};
use crate::feed::{Change, ChangeKind, Cursor};
use crate::mirror::Mirror;
use crate::store::rows::PAGE;
use crate::store::{Store, utc};

/// A named position in the feed, and the state of its deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consumer {
    /// The name of the consumer.
    pub name: String,
    /// The number of the last change that was delivered or skipped. Earlier changes were also delivered or skipped, or
    /// precede the consumer's first position.
    pub position: i64,
    /// How far the position is behind the end of the feed, in change numbers.
    pub behind: u64,
    /// When the consumer was added, in seconds since 1970 (UTC).
    pub created_at: i64,
    /// When events were last delivered, in seconds since 1970 (UTC); `None` if none were.
    pub delivered_at: Option<i64>,
    /// How many consecutive attempts have failed.
    pub failures: u32,
    /// When the last attempt failed, in seconds since 1970 (UTC); `None` if it succeeded or there was none.
    pub failed_at: Option<i64>,
    /// Why the last attempt failed; `None` if it succeeded or there was none.
    pub error: Option<String>,
    /// When the next attempt is due, in seconds since 1970 (UTC); `None` unless the last one failed.
    pub next_attempt_at: Option<i64>,
    /// When the consumer was disabled, in seconds since 1970 (UTC); `None` if it is enabled. Nothing is delivered to a
    /// disabled consumer until [`Mirror::enable_consumer`](crate::Mirror::enable_consumer) is called.
    pub disabled_at: Option<i64>,
}

impl Consumer {
    /// Clears the state that failed attempts left behind.
    pub(crate) fn enable(&mut self) {
        (self.failures, self.failed_at, self.error) = (0, None, None);
        (self.next_attempt_at, self.disabled_at) = (None, None);
    }

    pub(crate) fn refused(&self, kind: ErrorKind, why: &str) -> Error {
        Error::new(kind, format!("cannot deliver to `{}`: {why}", self.name))
    }
}

impl Store {
    pub(crate) fn consumers(&self) -> Result<Vec<Consumer>, Error> {
        let last = self.feed()?.last;
        let select = "SELECT name, position, unixepoch(created_at), unixepoch(delivered_at), failures, \
                      unixepoch(failed_at), error, unixepoch(next_attempt_at), unixepoch(disabled_at) \
                      FROM mirror_consumer ORDER BY name";
        self.query(select, (), |row| {
            let position = row.get(1)?;
            Ok(Consumer {
                name: row.get(0)?,
                position,
                behind: u64::try_from(last.saturating_sub(position)).unwrap_or_default(),
                created_at: row.get(2)?,
                delivered_at: row.get(3)?,
                failures: row.get(4)?,
                failed_at: row.get(5)?,
                error: row.get(6)?,
                next_attempt_at: row.get(7)?,
                disabled_at: row.get(8)?,
            })
        })
    }

    pub(crate) fn consumer(&self, name: &str) -> Result<Consumer, Error> {
        let found = self.consumers()?.into_iter().find(|consumer| consumer.name == name);
        found.ok_or_else(|| {
            let text = format!(
                "cannot find the consumer `{}`: the mirror has no such consumer; add it first",
                name.escape_debug()
            );
            Error::new(ErrorKind::Consumer, text)
        })
    }

    /// Writes a consumer's state. Fails with [`ErrorKind::Busy`] if its position is no longer `from`.
    pub(crate) fn update_consumer(&self, consumer: &Consumer, from: i64) -> Result<(), Error> {
        let update = "UPDATE mirror_consumer SET position = ?3, delivered_at = ?4, failures = ?5, failed_at = ?6, \
                      error = ?7, next_attempt_at = ?8, disabled_at = ?9 WHERE name = ?1 AND position = ?2";
        let row = (
            &consumer.name,
            from,
            consumer.position,
            consumer.delivered_at.map(utc),
            consumer.failures,
            consumer.failed_at.map(utc),
            consumer.error.as_deref(),
            consumer.next_attempt_at.map(utc),
            consumer.disabled_at.map(utc),
        );
        if self.execute(update, row)? > 0 {
            return Ok(());
        }
        Err(consumer.refused(ErrorKind::Busy, "another process has moved or removed it; try again"))
    }
}

impl Mirror {
    /// Adds a consumer at the end of the feed: only later changes are delivered. [Rewind](Self::rewind_consumer) the
    /// consumer to deliver earlier changes. Returns whether it is new. An existing consumer keeps its position.
    ///
    /// The name must not be empty or contain control characters.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the name is invalid, or any error of the store.
    ///
    /// ```
    /// use methodical_mirror::Mirror;
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// assert!(mirror.add_consumer("backup")?);
    /// assert!(!mirror.add_consumer("backup")?);
    /// assert_eq!(mirror.consumers()?[0].position, 0);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn add_consumer(&mut self, name: &str) -> Result<bool, Error> {
        if name.is_empty() || name.contains(char::is_control) {
            let text = "cannot add the consumer: its name is empty or has control characters";
            return Err(Error::new(ErrorKind::Consumer, text));
        }
        let store = self.store();
        let insert = "INSERT INTO mirror_consumer (name, position, created_at, failures) VALUES (?1, ?2, ?3, 0) \
                      ON CONFLICT (name) DO NOTHING";
        Ok(store.execute(insert, (name, store.feed()?.last, utc(self.now())))? > 0)
    }

    /// Moves a consumer to the position of a cursor and enables it. Use this to deliver changes again, to skip one, or
    /// after a new snapshot.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the consumer does not exist, [`ErrorKind::Cursor`] if the cursor belongs to
    /// another mirror or is not in the feed, and [`ErrorKind::Busy`] if the consumer is being moved or delivered to.
    pub fn rewind_consumer(&mut self, name: &str, to: &Cursor) -> Result<(), Error> {
        let store = self.store();
        let mut consumer = store.consumer(name)?;
        let from = consumer.position;
        consumer.position = store.feed()?.position(to, &store.identity)?;
        consumer.enable();
        store.update_consumer(&consumer, from)
    }

    /// Enables a disabled consumer and removes the delay after a failed delivery.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the consumer does not exist, and [`ErrorKind::Busy`] if another process is
    /// moving it or delivering to it.
    pub fn enable_consumer(&mut self, name: &str) -> Result<(), Error> {
        let store = self.store();
        let mut consumer = store.consumer(name)?;
        consumer.enable();
        store.update_consumer(&consumer, consumer.position)
    }

    /// Removes a consumer. Returns whether the consumer existed.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be written.
    pub fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.store().execute("DELETE FROM mirror_consumer WHERE name = ?1", (name,))? > 0)
    }

    /// Returns all consumers, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn consumers(&self) -> Result<Vec<Consumer>, Error> {
        self.store().consumers()
    }
}

/// Selects the changes that are delivered. The default delivers all.
#[derive(Clone, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct Limits {
    /// Deliver only changes of these tables; empty for all. The position moves past other changes, so they are never
    /// delivered, even if a later delivery selects their tables.
    pub tables: BTreeSet<String>,
    /// Deliver only changes of these kinds; empty for all. The position moves past changes of other kinds.
    pub kinds: Vec<ChangeKind>,
}

/// How much [`Mirror::deliver`] delivered, and why it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Delivery {
    /// How many events were delivered.
    pub delivered: u64,
    /// How far the consumer is behind the end of the feed, in change numbers.
    pub behind: u64,
    /// Why the delivery ended.
    pub end: DeliveryEnd,
}

/// Why a [`Delivery`] ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeliveryEnd {
    /// All changes were delivered.
    Complete,
    /// The receiver was closed.
    Closed,
    /// Nothing was attempted: an earlier attempt failed, and the next one is not due yet.
    Waiting {
        /// When the next attempt is due, in seconds since 1970 (UTC).
        until: i64,
    },
}

impl Mirror {
    /// Delivers the changes after a consumer's position to a sink and moves the position.
    ///
    /// The position moves only after its events were delivered. Each event is therefore delivered at least once, in the
    /// order of its number, even if the process is killed. An event that is delivered again has the same
    /// [`id`](crate::Event::id). Events are created just before their delivery, from the records as they are then. An
    /// erased record is not delivered.
    ///
    /// Only one process at a time delivers to a consumer. Another one can deliver as soon as that delivery has ended,
    /// or its process was killed.
    ///
    /// After a failure, the next attempt is due after 5 seconds, then 15, and so on up to one hour, but not before the
    /// delay that the receiver requested has passed. The mirror stores that time, and this function attempts nothing
    /// until then. No event is ever dropped. [`enable_consumer`](Self::enable_consumer) removes the delay. To skip an
    /// event that a receiver never accepts, [rewind](Self::rewind_consumer) the consumer to the [cursor
    /// after](Self::cursor_after) it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Delivery`] if the sink failed, [`ErrorKind::Consumer`] if the consumer does not exist or is
    /// disabled, [`ErrorKind::Cursor`] if its changes were removed, and [`ErrorKind::Busy`] if another process or
    /// thread delivers to it or moved its position.
    ///
    /// ```
    /// use methodical_mirror::{Error, Event, Failure, Limits, Mirror, Sink};
    ///
    /// #[derive(Default)]
    /// struct Records(Vec<String>);
    ///
    /// impl Sink for Records {
    ///     fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
    ///         self.0.extend(events.iter().filter_map(|event| event.record.clone()));
    ///         Ok(())
    ///     }
    /// }
    ///
    /// fn deliver(mirror: &Mirror) -> Result<Vec<String>, Error> {
    ///     let mut records = Records::default();
    ///     let delivery = mirror.deliver("records", &mut records, &Limits::default())?;
    ///     println!("{} events, {} left", delivery.delivered, delivery.behind);
    ///     Ok(records.0)
    /// }
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
            // Another process may have delivered in the meantime.
            (consumer, end) = self.next_delivery(&consumer.name)?;
            while end.is_none() {
                end = self.deliver_batch(&mut consumer, sink, limits, &mut delivered)?;
            }
        }
        let behind = self.store().consumer(&consumer.name)?.behind;
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
            // A longer delay means that the clock has been set back.
            (1..=seconds(LONGEST_ASKED)).contains(&until.saturating_sub(self.now()))
        });
        let end = match due {
            Some(until) => Some(DeliveryEnd::Waiting { until }),
            None if store.feed()?.last == consumer.position => Some(DeliveryEnd::Complete),
            None => None,
        };
        Ok((consumer, end))
    }

    /// Delivers one batch. Returns why the delivery ends, or `None` if it continues.
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
        let wanted = changes.into_iter().filter(|change| {
            (limits.tables.is_empty() || limits.tables.contains(&change.table))
                && (limits.kinds.is_empty() || limits.kinds.contains(&change.kind))
        });
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

    /// Saves a consumer's state. Waits if another process is syncing: the events would otherwise be delivered again.
    fn save(&self, consumer: &Consumer, from: i64) -> Result<(), Error> {
        let start = Instant::now();
        loop {
            // Between two attempts, other threads can use the mirror.
            let updated = self.store().update_consumer(consumer, from);
            // An error without a source means that another process moved the consumer.
            let is_blocked =
                |error: &Error| error.kind() == ErrorKind::Busy && error.source().is_some();
            if !updated.as_ref().is_err_and(is_blocked) || start.elapsed() > LONGEST_BLOCK {
                return updated;
            }
            sleep_blocking(CHECK_INTERVAL);
        }
    }

    fn page(&self, consumer: &Consumer, limit: usize) -> Result<Vec<Change>, Error> {
        let store = self.store();
        store.feed()?.check(consumer.position, "the position of the consumer").map_err(|why| {
            let why = format!("{why}; take a new snapshot, and rewind the consumer to its cursor");
            consumer.refused(ErrorKind::Cursor, &why)
        })?;
        store.changes(consumer.position, limit.clamp(1, PAGE))
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
    Duration::from_secs(5 * 3_u64.saturating_pow(failures.saturating_sub(1)).min(720))
}

/// Maximum time to wait for a sync that blocks writing to the store.
const LONGEST_BLOCK: Duration = Duration::from_secs(10 * 60);

/// Time between two attempts to save a position.
const CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum delay that a receiver can request.
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
