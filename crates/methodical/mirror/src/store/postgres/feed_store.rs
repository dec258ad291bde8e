//! The feed and the consumers of a schema of PostgreSQL.

use crate::error::Error;
use crate::feed::change::Change;
use crate::feed::consumer::Consumer;
use crate::store::feed_store::{Feed, FeedStore};
use crate::store::hold::Hold;
use crate::store::lease::Lease;
use crate::store::postgres::{PostgresStore, changes, consumers, lease, purge};

impl FeedStore for PostgresStore {
    fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        self.call(move |session, schema| changes::after(session, schema, after, limit))
    }

    fn feed(&mut self) -> Result<Feed, Error> {
        self.call(changes::range)
    }

    fn prune(&mut self, number: i64) -> Result<(), Error> {
        self.call(move |session, schema| changes::prune(session, schema, number))
    }

    fn older_than(&mut self, time: i64) -> Result<i64, Error> {
        self.call(move |session, schema| purge::older_than(session, schema, time))
    }

    fn latest_changes(
        &mut self,
        of: Option<(&str, &str)>,
        before: i64,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        let of = of.map(|(table, id)| (table.to_owned(), id.to_owned()));
        self.call(move |session, schema| {
            let of = of.as_ref().map(|(table, id)| (&**table, &**id));
            changes::latest(session, schema, of, before, limit)
        })
    }

    fn consumers(&mut self) -> Result<Vec<Consumer>, Error> {
        self.call(consumers::all)
    }

    fn add_consumer(&mut self, consumer: &Consumer) -> Result<bool, Error> {
        let consumer = consumer.clone();
        self.call(move |session, schema| consumers::add(session, schema, &consumer))
    }

    fn update_consumer(&mut self, consumer: &Consumer, position: i64) -> Result<bool, Error> {
        let consumer = consumer.clone();
        self.call(move |session, schema| consumers::update(session, schema, &consumer, position))
    }

    fn lease(&mut self, consumer: &str) -> Result<Hold, Error> {
        lease::take(&self.connector, &Lease::new(&self.identity, consumer))
    }

    fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.call(move |session, schema| consumers::remove(session, schema, &name))
    }
}
