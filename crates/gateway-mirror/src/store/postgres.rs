//! A mirror in a schema of a PostgreSQL database.
//!
//! Statements have qualified names, are not prepared by name, and leave nothing in the session, so that a pooler may give each
//! transaction another connection.

mod consumers;
mod copy;
mod failure;
mod follow;
mod history;
mod link;
mod lock;
mod lookup;
mod notes;
mod omit;
mod open;
mod pending;
mod purge;
mod rows;
mod scope;
mod select;
mod table;
mod updates;
mod window;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use ::postgres::types::Type;
use gateway_postgres::Connector;

use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::error::{Error, ErrorKind};
use crate::feed::change::{Change, ChangeKind};
use crate::feed::consumer::Consumer;
use crate::feed::cursor::Identity;
use crate::fields::hash::Hash;
use crate::fields::shape::Shape;
use crate::gauge::sample::Sample;
use crate::history::past_run::PastRun;
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::source::Source;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Link, Parameter, Session};
use crate::store::postgres::lookup::Lookup;
use crate::store::postgres::pending::Pending;
use crate::store::postgres::rows::get;
use crate::store::postgres::table::{Table, quoted, seconds};
use crate::store::{
    End, Erased, Feed, Kept, Live, Mark, NewChange, Omitted, Removal, Scope, Start, Store, Written,
};

/// A mirror in a schema.
pub(crate) struct PostgresStore {
    link: Link,
    /// The name of the schema, and the same as an identifier of SQL.
    name: Arc<str>,
    schema: Arc<str>,
    identity: Identity,
    tables: HashMap<String, Arc<Table>>,
    pending: Pending,
    lookup: Lookup,
    /// The number of the last change.
    last: i64,
}

impl PostgresStore {
    pub(crate) fn open(
        connector: &Connector,
        schema: &str,
        source: Option<&Source>,
    ) -> Result<Self, Error> {
        let link = Link::start(connector)?;
        let (name, source) = (Arc::<str>::from(schema), source.cloned());
        let opened = Arc::clone(&name);
        let identity = link.call(move |session| open::open(session, &opened, source.as_ref()))?;
        Ok(Self {
            link,
            name,
            schema: quoted(schema).into(),
            identity,
            tables: HashMap::new(),
            pending: Pending::default(),
            lookup: Lookup::default(),
            last: 0,
        })
    }

    /// Does a job with the name of the schema.
    fn call<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Session, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let schema = Arc::clone(&self.schema);
        self.link.call(move |session| job(session, &schema))
    }

    /// Takes the lock and begins a transaction, and does a job in it. Returns also the number of the last change.
    fn begin_with<T: Send + 'static>(
        &mut self,
        job: impl FnOnce(&mut Session, &str) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.forget_transaction();
        let (name, key) = (Arc::clone(&self.name), lock::key(&self.identity));
        let (last, result) = self.call(move |session, schema| {
            session.begin()?;
            lock::take(session, &name, key)?;
            let last = session.query(&format!("SELECT last FROM {schema}.mirror_meta"), &[])?;
            let last: i64 = last.first().map_or(Ok(0), |row| get(row, 0))?;
            Ok((last, job(session, schema)?))
        })?;
        self.last = last;
        Ok(result)
    }

    fn forget_transaction(&mut self) {
        self.pending = Pending::default();
        self.lookup = Lookup::default();
    }

    fn table(&mut self, name: &str) -> Result<Arc<Table>, Error> {
        if let Some(table) = self.tables.get(name) {
            return Ok(Arc::clone(table));
        }
        let wanted = name.to_owned();
        let table =
            self.call(move |session, schema| scope::describe(session, schema, &wanted, None))?;
        let table = table.ok_or_else(|| {
            Error::new(ErrorKind::Table, format!("the mirror has no table `{name}`"))
        })?;
        let table = Arc::new(table);
        self.tables.insert(name.to_owned(), Arc::clone(&table));
        Ok(table)
    }

    /// Returns the table for a write, after earlier writes were sent if they have to be.
    fn table_to_write(&mut self, name: &str) -> Result<Arc<Table>, Error> {
        let table = self.table(name)?;
        if self.pending.is_full() || self.pending.has_other(&table) {
            self.flush()?;
        }
        Ok(table)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.pending.flush(&self.link, &self.schema)
    }
}

impl Store for PostgresStore {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn begin(&mut self, scope: Scope<'_>, shape: &Shape) -> Result<Start, Error> {
        let (name, table) = (scope.name.to_owned(), scope.table.to_owned());
        let shape = shape.clone();
        let (start, table) = self.begin_with(move |session, schema| {
            let scope = Scope { name: &name, table: &table };
            let registered = scope::register(session, schema, scope)?;
            let number = scope::migrate(session, schema, &table, &shape)?;
            let described = scope::describe(session, schema, &table, Some(&shape))?;
            let delete = format!("DELETE FROM {schema}.mirror_rejected WHERE scope = $1");
            session.execute(&delete, &[(&name, Type::TEXT)])?;
            let last = format!("SELECT max(mirror_key) FROM {schema}.{}", quoted(&table));
            let last = session.query(&last, &[])?;
            let last: Option<i64> = last.first().map_or(Ok(None), |row| get(row, 0))?;
            let start = Start {
                is_first: registered.is_first,
                shape: number,
                before: registered.before,
                next_key: last.unwrap_or_default().saturating_add(1),
                suppressed: scope::suppressed(session, schema, &table)?,
            };
            Ok((start, described))
        })?;
        self.tables.clear();
        self.tables.extend(table.map(|table| (scope.table.to_owned(), Arc::new(table))));
        Ok(start)
    }

    fn begin_forgetting(&mut self, table: &str) -> Result<Option<Before>, Error> {
        let table = table.to_owned();
        self.tables.clear();
        self.begin_with(move |session, schema| scope::counts(session, schema, &table))
    }

    fn begin_reading(&mut self) -> Result<(), Error> {
        self.forget_transaction();
        self.link.call(Session::begin_reading)
    }

    fn known(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Option<Known>>, Error> {
        self.flush()?;
        let table = self.table(table)?;
        self.lookup.find(&self.link, &table, ids)
    }

    fn rows(&mut self, table: &str, keys: &[i64]) -> Result<Vec<Kept>, Error> {
        self.flush()?;
        let (table, keys) = (self.table(table)?, keys.to_vec());
        self.link.call(move |session| {
            rows::kept(&table, &session.query(&table.rows, &[(&keys, Type::INT8_ARRAY)])?)
        })
    }

    fn live_after(&mut self, table: &str, key: i64) -> Result<Vec<Live>, Error> {
        self.flush()?;
        let table = self.table(table)?;
        self.link.call(move |session| {
            let live = |row| {
                let misses: i32 = get(row, 1)?;
                let misses = u32::try_from(misses).unwrap_or_default();
                Ok(Live { key: get(row, 0)?, misses, id: get(row, 2)? })
            };
            session.query(&table.live_after, &[(&key, Type::INT8)])?.iter().map(live).collect()
        })
    }

    fn write(&mut self, table: &str, written: &Written<'_>) -> Result<(), Error> {
        let table = self.table_to_write(table)?;
        if !written.is_new {
            self.lookup.wrote(written.key);
        }
        self.pending.write(&table, written)
    }

    fn mark(&mut self, table: &str, key: i64, mark: Mark) -> Result<(), Error> {
        let table = self.table_to_write(table)?;
        self.lookup.wrote(key);
        let (misses, at) = match mark {
            Mark::Present => (0, 0),
            Mark::Missing { misses, at } => (misses, at),
        };
        self.pending.mark(&table, key, misses, at);
        Ok(())
    }

    fn erase(&mut self, table: &str, key: i64, state: State, at: i64) -> Result<(), Error> {
        let table = self.table_to_write(table)?;
        self.lookup.wrote(key);
        self.pending.erase(&table, key, state, at);
        Ok(())
    }

    fn omit(&mut self, table: &str, omitted: &[Omitted]) -> Result<(), Error> {
        self.flush()?;
        let table = self.table(table)?;
        let keys: Vec<i64> = omitted.iter().map(|one| one.key).collect();
        let extra: Vec<_> = omitted.iter().map(|one| one.row.extra.clone()).collect();
        let nulls: Vec<_> = omitted.iter().map(|one| one.row.nulls.clone()).collect();
        self.link.call(move |session| omit::omit(session, &table.omit, &keys, &extra, &nulls))
    }

    fn append(&mut self, change: &NewChange<'_>) -> Result<(), Error> {
        if self.pending.is_full() {
            self.flush()?;
        }
        self.last = self.last.saturating_add(1);
        self.pending.append(self.last, change);
        Ok(())
    }

    fn reject(&mut self, scope: &str, index: u64, reason: &str) -> Result<(), Error> {
        if self.pending.is_full() {
            self.flush()?;
        }
        self.pending.reject(scope, index, reason);
        Ok(())
    }

    fn commit(&mut self, end: &End<'_>) -> Result<(), Error> {
        self.flush()?;
        let (table, last) = (end.table.to_owned(), self.last);
        let completed_at = end.completed_at.map(clamped);
        let counts = [end.after.present, end.after.missing];
        let [present, missing] = counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        self.call(move |session, schema| {
            let update = format!(
                "UPDATE {schema}.mirror_scope SET present = $2, missing = $3, \
                 completed_at = coalesce(to_timestamp($4), completed_at) WHERE table_name = $1"
            );
            let parameters: [Parameter<'_>; 4] = [
                (&table, Type::TEXT),
                (&present, Type::INT8),
                (&missing, Type::INT8),
                (&completed_at, Type::INT8),
            ];
            session.execute(&update, &parameters)?;
            let update = format!("UPDATE {schema}.mirror_meta SET last = $1 WHERE last <> $1");
            session.execute(&update, &[(&last, Type::INT8)])?;
            session.commit()
        })?;
        if end.has_erased {
            let table = format!("{}.{}", self.schema, quoted(end.table));
            // Without it, the table keeps the erased values until its next VACUUM. A reader may prevent it.
            let _postponed =
                self.link.call(move |session| session.batch(&format!("VACUUM {table}")));
        }
        self.forget_transaction();
        Ok(())
    }

    fn roll_back(&mut self) {
        self.forget_transaction();
        // The transaction may have created or changed a table.
        self.tables.clear();
        let _lost = self.link.roll_back();
    }

    fn suppressed(&mut self, table: &str) -> Result<HashSet<Hash>, Error> {
        let table = table.to_owned();
        self.call(move |session, schema| scope::suppressed(session, schema, &table))
    }

    fn unsuppress(&mut self, table: &str, id: Hash) -> Result<bool, Error> {
        let (table, id) = (table.to_owned(), id.to_bytes());
        self.call(move |session, schema| {
            let delete =
                format!("DELETE FROM {schema}.mirror_suppressed WHERE table_name = $1 AND id = $2");
            let parameters: [Parameter<'_>; 2] = [(&table, Type::TEXT), (&&id[..], Type::BYTEA)];
            Ok(session.execute(&delete, &parameters)? > 0)
        })
    }

    fn suppress(&mut self, table: &str, id: Hash, at: i64) -> Result<(), Error> {
        let (table, id, at) = (table.to_owned(), id.to_bytes(), clamped(at));
        self.call(move |session, schema| {
            let insert = format!(
                "INSERT INTO {schema}.mirror_suppressed (table_name, id, at) VALUES ($1, $2, to_timestamp($3)) \
                 ON CONFLICT DO NOTHING"
            );
            let parameters: [Parameter<'_>; 3] =
                [(&table, Type::TEXT), (&&id[..], Type::BYTEA), (&at, Type::INT8)];
            session.execute(&insert, &parameters).map(drop)
        })
    }

    fn note(&mut self, name: &str) -> Result<Option<String>, Error> {
        let name = name.to_owned();
        self.call(move |session, schema| notes::read(session, schema, &name))
    }

    fn set_note(&mut self, name: &str, text: &str) -> Result<(), Error> {
        let (name, text) = (name.to_owned(), text.to_owned());
        self.call(move |session, schema| notes::write(session, schema, &name, &text))
    }

    fn erase_where(&mut self, erased: &Erased<'_>) -> Result<Vec<String>, Error> {
        self.flush()?;
        let table = self.table(erased.table)?;
        let Erased { kept, state, at, .. } = *erased;
        let [name, column, text] =
            [erased.table, erased.column, erased.text].map(ToOwned::to_owned);
        let rows = follow::Rows { table: name, column, text, kept: kept.to_vec(), state, at };
        self.call(move |session, schema| follow::erase_where(session, schema, &table, &rows))
    }

    fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.call(move |session, schema| {
            let select = format!(
                "SELECT number, {}, table_name, record_id, kind, fields \
                 FROM {schema}.mirror_change WHERE number > $1 ORDER BY number LIMIT $2",
                seconds("at")
            );
            let change = |row| {
                let fields: Option<&str> = get(row, 5)?;
                Ok(Change {
                    number: get(row, 0)?,
                    at: get(row, 1)?,
                    table: get(row, 2)?,
                    id: get(row, 3)?,
                    kind: ChangeKind::of(get(row, 4)?).unwrap_or(ChangeKind::Changed),
                    fields: serde_json::from_str(fields.unwrap_or("[]")).unwrap_or_default(),
                })
            };
            let rows = session.query(&select, &[(&after, Type::INT8), (&limit, Type::INT8)])?;
            rows.iter().map(change).collect()
        })
    }

    fn feed(&mut self) -> Result<Feed, Error> {
        self.call(|session, schema| {
            let feed =
                session.query(&format!("SELECT pruned, last FROM {schema}.mirror_meta"), &[])?;
            let number = |column| feed.first().map_or(Ok(0), |row| get(row, column));
            Ok(Feed { pruned: number(0)?, last: number(1)? })
        })
    }

    fn prune(&mut self, number: i64) -> Result<(), Error> {
        self.call(move |session, schema| {
            let prune = format!(
                "WITH pruned AS (UPDATE {schema}.mirror_meta SET pruned = greatest(pruned, $1)) \
                 DELETE FROM {schema}.mirror_change WHERE number <= $1"
            );
            session.execute(&prune, &[(&number, Type::INT8)]).map(drop)
        })
    }

    fn remove(&mut self, removal: &Removal) -> Result<(u64, u64), Error> {
        let removal = *removal;
        self.begin_with(move |session, schema| {
            let removed = purge::remove(session, schema, &removal)?;
            if !removal.is_dry_run {
                session.commit()?;
            }
            Ok(removed)
        })
    }

    fn older_than(&mut self, time: i64) -> Result<i64, Error> {
        self.call(move |session, schema| purge::older_than(session, schema, time))
    }

    fn records(
        &mut self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Kept>, Error> {
        if after == 0 {
            // Another process may have added columns since.
            self.tables.remove(table);
        }
        let (name, table, filter) = (table.to_owned(), self.table(table)?, filter.clone());
        self.link
            .call(move |session| select::records(session, &name, &table, &filter, after, limit))
    }

    /// PostgreSQL reports damage when it reads a page.
    fn damage(&mut self) -> Result<Vec<String>, Error> {
        Ok(Vec::new())
    }

    fn tables(&mut self) -> Result<Vec<TableStatus>, Error> {
        self.call(scope::statuses)
    }

    fn record(&mut self, table: &str, id: &str) -> Result<Option<Kept>, Error> {
        self.tables.remove(table);
        let table = match self.table(table) {
            Ok(table) => table,
            Err(error) if error.kind() == ErrorKind::Table => return Ok(None),
            Err(error) => return Err(error),
        };
        let ids = vec![id.to_owned()];
        self.link.call(move |session| {
            let rows = table.find(session, &table.rows_of, &ids)?;
            rows.first().map(|row| rows::one(&table, row)).transpose()
        })
    }

    fn add_history(&mut self, runs: &[PastRun], samples: &[Sample]) -> Result<(), Error> {
        let (runs, samples) = (runs.to_vec(), samples.to_vec());
        self.call(move |session, schema| history::add(session, schema, &runs, &samples))
    }

    fn runs(&mut self, limit: usize) -> Result<Vec<PastRun>, Error> {
        self.call(move |session, schema| history::runs(session, schema, limit))
    }

    fn samples(&mut self, gauge: &str, since: i64) -> Result<Vec<Sample>, Error> {
        let gauge = gauge.to_owned();
        self.call(move |session, schema| history::samples(session, schema, &gauge, since))
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

    fn remove_consumer(&mut self, name: &str) -> Result<bool, Error> {
        let name = name.to_owned();
        self.call(move |session, schema| consumers::remove(session, schema, &name))
    }
}
