//! Consumers: named positions in the feed, stored in the mirror with the state of their deliveries.

use crate::error::{Error, ErrorKind};
use crate::feed::Cursor;
use crate::mirror::Mirror;
use crate::store::{Store, utc};

/// A named position in the feed, and the state of its deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consumer {
    /// The name of the consumer.
    pub name: String,
    /// The number of the last delivered change. All changes with smaller numbers were delivered, too, or precede the
    /// first position of the consumer.
    pub position: i64,
    /// How far the position is behind the end of the feed, in change numbers.
    pub behind: u64,
    /// When the consumer was added, in seconds since 1970 (UTC).
    pub created_at: i64,
    /// When a delivery last moved the position, in seconds since 1970 (UTC).
    pub delivered_at: Option<i64>,
    /// How many consecutive attempts have failed.
    pub failures: u32,
    /// When the last of them failed, in seconds since 1970 (UTC).
    pub failed_at: Option<i64>,
    /// Why it failed.
    pub error: Option<String>,
    /// When the next attempt is due, in seconds since 1970 (UTC), if the last one failed.
    pub next_attempt_at: Option<i64>,
    /// Since when nothing is delivered, in seconds since 1970 (UTC), until
    /// [`Mirror::enable_consumer`](crate::Mirror::enable_consumer) is called.
    pub disabled_at: Option<i64>,
}

impl Consumer {
    /// Clears the state of failed attempts.
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
                "cannot find the consumer `{}`: the mirror does not have it; add it first",
                name.escape_debug()
            );
            Error::new(ErrorKind::Consumer, text)
        })
    }

    /// Replaces a consumer that was at this position.
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
        let why = "another process has moved or removed it; try again";
        Err(consumer.refused(ErrorKind::Busy, why))
    }
}

impl Mirror {
    /// Adds a consumer at the end of the feed, so that only later changes are delivered.
    /// [Rewind](Self::rewind_consumer) it to deliver earlier ones. Returns whether it is new: an existing one keeps its
    /// position.
    ///
    /// The name must not be empty or contain control characters.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the name is invalid.
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

    /// Moves a consumer to the position after a cursor, and enables it: to deliver changes again, to skip one, or after
    /// a new snapshot.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the consumer does not exist, [`ErrorKind::Cursor`] if the position is not in
    /// the feed, and [`ErrorKind::Busy`] if it is being moved or delivered to.
    pub fn rewind_consumer(&mut self, name: &str, to: &Cursor) -> Result<(), Error> {
        let store = self.store();
        let mut consumer = store.consumer(name)?;
        let from = consumer.position;
        consumer.position = store.feed()?.position(to, store.identity())?;
        consumer.enable();
        store.update_consumer(&consumer, from)
    }

    /// Enables a disabled consumer, and lets a failed delivery be attempted again without a delay.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Consumer`] if the consumer does not exist, and [`ErrorKind::Busy`] if it is being moved or
    /// delivered to.
    pub fn enable_consumer(&mut self, name: &str) -> Result<(), Error> {
        let store = self.store();
        let mut consumer = store.consumer(name)?;
        consumer.enable();
        store.update_consumer(&consumer, consumer.position)
    }

    /// Removes a consumer. Returns whether there was one.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be written.
    pub fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.store().execute("DELETE FROM mirror_consumer WHERE name = ?1", (name,))? > 0)
    }

    /// Returns all consumers, sorted by name.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn consumers(&self) -> Result<Vec<Consumer>, Error> {
        self.store().consumers()
    }
}
