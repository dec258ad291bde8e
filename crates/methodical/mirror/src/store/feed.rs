//! The feed and the consumers of a SQLite file.

use std::sync::Arc;

use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::store::data::{Feed, Hold};
use crate::store::failure::failed;
use crate::store::lease::Lease;
use crate::store::lock::Lock;
use crate::store::{Store, changes, consumers, purge};

impl Store {
    /// Returns the changes after this number, at most `limit`.
    pub(crate) fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        changes::after(&self.connection, after, limit).map_err(failed)
    }

    /// Returns the range of the feed.
    pub(crate) fn feed(&mut self) -> Result<Feed, Error> {
        changes::range(&self.connection).map_err(failed)
    }

    /// Removes the changes up to this number.
    pub(crate) fn prune(&mut self, number: i64) -> Result<(), Error> {
        changes::prune(&mut self.connection, number).map_err(failed)
    }

    /// Returns the number of the last change before the first one of this time or later.
    pub(crate) fn older_than(&mut self, time: i64) -> Result<i64, Error> {
        purge::older_than(&self.connection, time).map_err(failed)
    }

    /// Returns the changes before this number, at most `limit`, the latest one first; with a table and an identity, only those
    /// of this record.
    pub(crate) fn latest_changes(
        &mut self,
        of: Option<(&str, &str)>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        changes::latest(&self.connection, of, before, limit).map_err(failed)
    }

    /// Returns the consumers, by name. Nothing is known of `behind`.
    pub(crate) fn consumers(&mut self) -> Result<Vec<Consumer>, Error> {
        consumers::all(&self.connection).map_err(failed)
    }

    /// Adds a consumer, unless its name is taken. Returns whether it did.
    pub(crate) fn add_consumer(&mut self, consumer: &Consumer) -> Result<bool, Error> {
        consumers::add(&self.connection, consumer).map_err(failed)
    }

    /// Replaces a consumer if it is still at this position. Returns whether it did.
    pub(crate) fn update_consumer(
        &mut self,
        consumer: &Consumer,
        position: i64,
    ) -> Result<bool, Error> {
        consumers::update(&self.connection, consumer, position).map_err(failed)
    }

    /// Reserves the deliveries to a consumer until the result is dropped. Fails if another process delivers to it.
    pub(crate) fn lease(&mut self, consumer: &str) -> Result<Hold, Error> {
        let Some(path) = &self.path else { return Ok(Arc::new(())) };
        Ok(Arc::new(Lock::take_lease(path, &Lease::new(&self.identity, consumer))?))
    }

    /// Removes a consumer. Returns whether there was one.
    pub(crate) fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        consumers::remove(&self.connection, name).map_err(failed)
    }
}
