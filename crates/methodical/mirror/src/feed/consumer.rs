//! Consumers: named positions in the feed, which a mirror keeps.

use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Cursor;
use crate::time::utc;

/// A named position in the feed, and the state of its deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Consumer {
    /// The name of the consumer.
    pub name: String,
    /// The number of the last change that was delivered. Changes with smaller numbers were delivered, too, or precede the
    /// first position of the consumer.
    pub position: i64,
    /// How many numbers of changes the position is behind the end of the feed.
    pub behind: u64,
    /// When the consumer was added, in seconds since 1970 (UTC).
    pub created_at: i64,
    /// When the position moved last after a delivery, in seconds since 1970 (UTC).
    pub delivered_at: Option<i64>,
    /// How many attempts in a row have failed.
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
    /// Creates a consumer. Its name has 1 to 100 characters, and no control characters.
    pub(crate) fn new(name: &str, position: i64, at: i64) -> Result<Self, Error> {
        let is_valid = (1..=MAX_NAME).contains(&name.chars().count());
        if !is_valid || name.chars().any(char::is_control) {
            let text = format!(
                "cannot add the consumer: its name does not have 1 to {MAX_NAME} characters, or has control characters"
            );
            return Err(Error::new(ErrorKind::Consumer, text));
        }
        Ok(Self {
            name: name.to_owned(),
            position,
            behind: 0,
            created_at: at,
            delivered_at: None,
            failures: 0,
            failed_at: None,
            error: None,
            next_attempt_at: None,
            disabled_at: None,
        })
    }

    /// Removes the traces of failed attempts.
    pub(crate) fn enable(&mut self) {
        (self.failures, self.failed_at, self.error) = (0, None, None);
        (self.next_attempt_at, self.disabled_at) = (None, None);
    }

    /// Creates an error of this consumer.
    pub(crate) fn refused(&self, kind: ErrorKind, why: &str) -> Error {
        Error::new(kind, format!("cannot deliver to `{}`: {why}", self.name))
    }

    /// Returns the time of the next attempt as text.
    pub(crate) fn next_attempt(&self) -> String {
        self.next_attempt_at.map(utc).unwrap_or_default()
    }
}

/// The first position of a consumer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum StartAt {
    /// Only later changes are delivered.
    #[default]
    End,
    /// All changes that the feed still has are delivered.
    Oldest,
    /// The changes after a cursor are delivered, such as that of a snapshot.
    After(Cursor),
}

/// Checks that no consumer needs the changes up to this number. Those up to `pruned` were removed before.
pub(crate) fn check_unneeded(consumers: &[Consumer], pruned: i64, until: i64) -> Result<(), Error> {
    let needs = |consumer: &&Consumer| (pruned..until).contains(&consumer.position);
    let Some(consumer) = consumers.iter().find(needs) else { return Ok(()) };
    let text = format!(
        "cannot remove the changes up to {until}: the consumer `{}` is at {}; deliver the changes, or move or remove the \
         consumer",
        consumer.name, consumer.position
    );
    Err(Error::new(ErrorKind::Consumer, text))
}

/// Maximum length of the name of a consumer, in characters.
const MAX_NAME: usize = 100;
