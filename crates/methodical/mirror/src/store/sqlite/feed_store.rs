//! The feed and the consumers of a SQLite file.

use std::sync::Arc;

use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::store::feed_store::{Feed, FeedStore};
use crate::store::hold::Hold;
use crate::store::lease::Lease;
use crate::store::sqlite::failure::failed;
use crate::store::sqlite::lock::Lock;
use crate::store::sqlite::{SqliteStore, changes, consumers, purge};

impl FeedStore for SqliteStore {
    fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        changes::after(&self.connection, after, limit).map_err(failed)
    }

    fn feed(&mut self) -> Result<Feed, Error> {
        changes::range(&self.connection).map_err(failed)
    }

    fn prune(&mut self, number: i64) -> Result<(), Error> {
        changes::prune(&mut self.connection, number).map_err(failed)
    }

    fn older_than(&mut self, time: i64) -> Result<i64, Error> {
        purge::older_than(&self.connection, time).map_err(failed)
    }

    fn latest_changes(
        &mut self,
        of: Option<(&str, &str)>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        changes::latest(&self.connection, of, before, limit).map_err(failed)
    }

    fn consumers(&mut self) -> Result<Vec<Consumer>, Error> {
        consumers::all(&self.connection).map_err(failed)
    }

    fn add_consumer(&mut self, consumer: &Consumer) -> Result<bool, Error> {
        consumers::add(&self.connection, consumer).map_err(failed)
    }

    fn update_consumer(&mut self, consumer: &Consumer, position: i64) -> Result<bool, Error> {
        consumers::update(&self.connection, consumer, position).map_err(failed)
    }

    fn lease(&mut self, consumer: &str) -> Result<Hold, Error> {
        let Some(path) = &self.path else { return Ok(Arc::new(())) };
        Ok(Arc::new(Lock::take_lease(path, &Lease::new(&self.identity, consumer))?))
    }

    fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        consumers::remove(&self.connection, name).map_err(failed)
    }
}
