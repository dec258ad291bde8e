//! The feed and the consumers of a store in memory.

use crate::browse::scan;
use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::store::feed_store::{Feed, FeedStore};
use crate::store::hold::Hold;
use crate::store::lease::Lease;
use crate::store::memory::MemoryStore;

impl FeedStore for MemoryStore {
    fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        let changes = self.content.changes.iter().filter(|change| change.number > after);
        Ok(changes.take(limit).cloned().collect())
    }

    fn feed(&mut self) -> Result<Feed, Error> {
        Ok(Feed { pruned: self.content.pruned, last: self.content.last })
    }

    fn prune(&mut self, number: i64) -> Result<(), Error> {
        self.content.changes.retain(|change| change.number > number);
        self.content.pruned = self.content.pruned.max(number);
        Ok(())
    }

    fn older_than(&mut self, time: i64) -> Result<i64, Error> {
        let first = self.content.changes.iter().find(|change| change.at >= time);
        Ok(first.map_or(self.content.last, |change| change.number - 1))
    }

    fn latest_changes(
        &mut self,
        of: Option<(&str, &str)>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        scan::latest_changes(self, of, before, limit)
    }

    fn consumers(&mut self) -> Result<Vec<Consumer>, Error> {
        Ok(self.content.consumers.values().cloned().collect())
    }

    fn add_consumer(&mut self, consumer: &Consumer) -> Result<bool, Error> {
        let is_new = !self.content.consumers.contains_key(&consumer.name);
        if is_new {
            self.content.consumers.insert(consumer.name.clone(), consumer.clone());
        }
        Ok(is_new)
    }

    fn update_consumer(&mut self, consumer: &Consumer, position: i64) -> Result<bool, Error> {
        let stored = self.content.consumers.get_mut(&consumer.name);
        let Some(stored) = stored.filter(|stored| stored.position == position) else {
            return Ok(false);
        };
        stored.clone_from(consumer);
        Ok(true)
    }

    fn lease(&mut self, consumer: &str) -> Result<Hold, Error> {
        self.leases.take(&Lease::new(&self.identity, consumer))
    }

    fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        Ok(self.content.consumers.remove(name).is_some())
    }
}
