//! The consumers of a mirror: added, listed, moved and removed.

use crate::error::{Error, ErrorKind};
use crate::feed::consumer::{Consumer, StartAt};
use crate::feed::cursor::refused;
use crate::mirror::{Mirror, lock, now};
use crate::store::Store;

impl Mirror {
    /// Adds a consumer of the feed. Returns whether it is new: an existing one keeps its position.
    ///
    /// The name has 1 to 100 characters, without control characters.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Consumer`] if the name is invalid, and [`ErrorKind::Cursor`] if the feed does not have the position.
    ///
    /// ```
    /// use methodical_mirror::{Mirror, StartAt};
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// assert!(mirror.add_consumer("backup", &StartAt::Oldest)?);
    /// assert!(!mirror.add_consumer("backup", &StartAt::End)?);
    /// assert_eq!(mirror.consumers()?[0].position, 0);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn add_consumer(&mut self, name: &str, start: &StartAt) -> Result<bool, Error> {
        let at = now(&self.clock);
        let mut store = lock(&self.store);
        let position = position(&mut store, start)?;
        store.add_consumer(&Consumer::new(name, position, at)?)
    }

    /// Moves a consumer, after which it is enabled. Use it after a new snapshot, if the changes of the consumer were removed.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Consumer`] if the consumer does not exist, [`ErrorKind::Cursor`] if the feed does not have the position, and
    /// [`ErrorKind::Busy`] if the consumer is moved or delivered to at the same time.
    pub fn move_consumer(&mut self, name: &str, start: &StartAt) -> Result<(), Error> {
        let mut store = lock(&self.store);
        let mut consumer = find(&mut store, name)?;
        let from = consumer.position;
        consumer.position = position(&mut store, start)?;
        consumer.enable();
        update(&mut store, &consumer, from)
    }

    /// Enables a consumer that was disabled, and attempts a failed delivery again without a delay.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Consumer`] if the consumer does not exist, and [`ErrorKind::Busy`] if the consumer is moved or delivered to
    /// at the same time.
    pub fn enable_consumer(&mut self, name: &str) -> Result<(), Error> {
        let mut store = lock(&self.store);
        let mut consumer = find(&mut store, name)?;
        consumer.enable();
        let position = consumer.position;
        update(&mut store, &consumer, position)
    }

    /// Removes a consumer. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        lock(&self.store).remove_consumer(name)
    }

    /// Returns the consumers, by name.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn consumers(&self) -> Result<Vec<Consumer>, Error> {
        let mut store = lock(&self.store);
        let last = store.feed()?.last;
        let mut consumers = store.consumers()?;
        for consumer in &mut consumers {
            consumer.behind = behind(consumer, last);
        }
        Ok(consumers)
    }
}

/// Returns the consumer of this name.
pub(crate) fn find(store: &mut Store, name: &str) -> Result<Consumer, Error> {
    let found = store.consumers()?.into_iter().find(|consumer| consumer.name == name);
    found.ok_or_else(|| {
        // An invalid name, such as one with line breaks, is not repeated.
        let shown = Consumer::new(name, 0, 0)
            .map_or_else(|_invalid| String::new(), |one| format!(" `{}`", one.name));
        let text =
            format!("cannot find the consumer{shown}: the mirror does not have it; add it first");
        Error::new(ErrorKind::Consumer, text)
    })
}

/// Replaces a consumer that was at this position.
pub(crate) fn update(store: &mut Store, consumer: &Consumer, from: i64) -> Result<(), Error> {
    if store.update_consumer(consumer, from)? { Ok(()) } else { Err(moved(consumer)) }
}

/// Creates the error of a consumer that is no longer at the position that was read.
pub(crate) fn moved(consumer: &Consumer) -> Error {
    let why = "another process has moved or removed it meanwhile; try again";
    consumer.refused(ErrorKind::Busy, why)
}

/// Returns how many numbers a consumer is behind the last change.
pub(crate) fn behind(consumer: &Consumer, last: i64) -> u64 {
    u64::try_from(last.saturating_sub(consumer.position)).unwrap_or_default()
}

/// Returns the position at which a consumer starts.
fn position(store: &mut Store, start: &StartAt) -> Result<i64, Error> {
    let feed = store.feed()?;
    match start {
        StartAt::End => Ok(feed.last),
        StartAt::Oldest => Ok(feed.pruned),
        StartAt::After(cursor) => match cursor.position(store.identity())? {
            removed if removed < feed.pruned => {
                Err(refused("the changes after the cursor were removed"))
            }
            later if later > feed.last => Err(refused("the mirror is older than the cursor")),
            position => Ok(position),
        },
    }
}
