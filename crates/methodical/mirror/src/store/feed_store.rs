//! The part of the trait of stores that has the feed and its consumers.

use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::store::hold::Hold;

/// A place that keeps changes, and how far each consumer has read them.
pub(crate) trait FeedStore {
    /// Returns the changes after this number, at most `limit`.
    fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error>;

    /// Returns the range of the feed.
    fn feed(&mut self) -> Result<Feed, Error>;

    /// Removes the changes up to this number.
    fn prune(&mut self, number: i64) -> Result<(), Error>;

    /// Returns the number of the last change before the first one of this time or later.
    fn older_than(&mut self, time: i64) -> Result<i64, Error>;

    /// Returns the changes before this number, at most `limit`, the latest one first; with a table and an identity, only those
    /// of this record.
    fn latest_changes(
        &mut self,
        of: Option<(&str, &str)>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Change>, Error>;

    /// Returns the consumers, by name. Nothing is known of `behind`.
    fn consumers(&mut self) -> Result<Vec<Consumer>, Error>;

    /// Adds a consumer, unless its name is taken. Returns whether it did.
    fn add_consumer(&mut self, consumer: &Consumer) -> Result<bool, Error>;

    /// Replaces a consumer if it is still at this position. Returns whether it did.
    fn update_consumer(&mut self, consumer: &Consumer, position: i64) -> Result<bool, Error>;

    /// Reserves the deliveries to a consumer until the result is dropped. Fails if another process delivers to it.
    fn lease(&mut self, consumer: &str) -> Result<Hold, Error>;

    /// Removes a consumer. Returns whether there was one.
    fn remove_consumer(&mut self, name: &str) -> Result<bool, Error>;
}

/// The range of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The last number that was removed; 0 if none was.
    pub(crate) pruned: i64,
    /// The last number that was given.
    pub(crate) last: i64,
}
