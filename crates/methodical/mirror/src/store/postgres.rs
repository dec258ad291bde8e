//! A mirror in a schema of a PostgreSQL database.
//!
//! Statements have qualified names, are not prepared by name, and leave nothing in the session, so that a pooler may give each
//! transaction another connection.

mod accept;
mod amend;
mod browse;
mod changes;
mod consumers;
mod copy;
mod failure;
mod feed_store;
mod follow;
mod history;
mod lease;
mod link;
mod lock;
mod lookup;
mod notes;
mod omit;
mod open;
mod pending;
mod purge;
mod record_store;
mod rows;
mod scope;
mod select;
mod spells;
mod suppressed;
mod table;
mod updates;
mod upkeep_store;
mod view;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::mem::take;
use std::sync::Arc;

use ::postgres::types::Type;
use methodical_postgres::Connector;

use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::engine::known_rows::KnownRows;
use crate::engine::occurred::Occurred;
use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::fields::hash::Hash;
use crate::fields::shape::Shape;
use crate::keep::spell::Spell;
use crate::source::Source;
use crate::store::amend::Amendment;
use crate::store::hold::Hold;
use crate::store::kept::{Kept, Live};
use crate::store::postgres::link::{Link, Session};
use crate::store::postgres::lookup::Prefetch;
use crate::store::postgres::open::VERSION;
use crate::store::postgres::pending::Pending;
use crate::store::postgres::rows::get;
use crate::store::postgres::spells::{Removed, Wanted};
use crate::store::postgres::table::{Table, quoted};
use crate::store::spells::{SpellPage, SpellStep, SpellsOf};
use crate::store::{End, Erased, Mark, NewChange, NewRows, Omitted, Scope, Start, Store, Written};

/// A mirror in a schema.
pub(crate) struct PostgresStore {
    connector: Connector,
    link: Link,
    /// The name of the schema, and the same as an identifier of SQL.
    name: Arc<str>,
    schema: Arc<str>,
    identity: Identity,
    tables: HashMap<String, Arc<Table>>,
    pending: Pending,
    prefetch: Prefetch,
    /// The identities that were inserted.
    occurred: Occurred,
    /// The tables with values that the transaction erased.
    erased: BTreeSet<String>,
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
            connector: connector.clone(),
            link,
            name,
            schema: quoted(schema).into(),
            identity,
            tables: HashMap::new(),
            pending: Pending::default(),
            prefetch: Prefetch::default(),
            occurred: Occurred::default(),
            erased: BTreeSet::new(),
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
            let meta = format!("SELECT last, version FROM {schema}.mirror_meta");
            let meta = session.query(&meta, &[])?;
            let number = |column| meta.first().map_or(Ok(0), |row| get::<i64>(row, column));
            let (last, version) = (number(0)?, number(1)?);
            if version < VERSION {
                session.batch(&format!("UPDATE {schema}.mirror_meta SET version = {VERSION}"))?;
            }
            Ok((last, job(session, schema)?))
        })?;
        self.last = last;
        Ok(result)
    }

    fn forget_transaction(&mut self) {
        self.pending = Pending::default();
        self.prefetch = Prefetch::default();
        self.occurred = Occurred::default();
        self.erased.clear();
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

    /// Reads a table, and once more if another process may have added columns since its description was read.
    fn retried<T>(
        &mut self,
        table: &str,
        mut read: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let was_described = self.tables.contains_key(table);
        match read(self) {
            Err(error)
                if was_described && matches!(error.kind(), ErrorKind::Table | ErrorKind::Store) =>
            {
                self.tables.remove(table);
                read(self)
            }
            result => result,
        }
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

    fn hold(&mut self) -> Result<Option<Hold>, Error> {
        lease::take_for_sync(&self.connector, &self.identity, &self.name).map(Some)
    }

    fn begin(&mut self, scope: Scope<'_>, shape: &Shape) -> Result<Start, Error> {
        let (name, table) = (scope.name.to_owned(), scope.table.to_owned());
        let shape = shape.clone();
        let (start, table) = self.begin_with(move |session, schema| {
            scope::begin(session, schema, Scope { name: &name, table: &table }, &shape)
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
        lookup::known(&self.link, &table, ids)
    }

    fn known_after(&mut self, table: &str, key: i64, rows: &mut KnownRows) -> Result<(), Error> {
        let table = self.table(table)?;
        self.prefetch.known_after(&self.link, &table, key, rows)
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
        self.link.call(move |session| rows::live_after(session, &table, key))
    }

    fn write(&mut self, table: &str, written: &Written<'_>) -> Result<(), Error> {
        let table = self.table_to_write(table)?;
        self.pending.write(&table, written)
    }

    fn insert(&mut self, table: &str, _at: i64, rows: &mut NewRows<'_>) -> Result<(), Error> {
        let mut occurred = take(&mut self.occurred);
        let written = rows(&mut |written| {
            if !occurred.insert(written.id) {
                return Ok(false);
            }
            self.write(table, written).map(|()| true)
        });
        self.occurred = occurred;
        written
    }

    fn mark(&mut self, table: &str, key: i64, mark: Mark) -> Result<(), Error> {
        let table = self.table_to_write(table)?;
        let (misses, at) = match mark {
            Mark::Present => (0, 0),
            Mark::Missing { misses, at } => (misses, at),
        };
        self.pending.mark(&table, key, misses, at);
        Ok(())
    }

    fn erase(&mut self, table: &str, key: i64, state: State, at: i64) -> Result<(), Error> {
        self.erased.insert(table.to_owned());
        let table = self.table_to_write(table)?;
        self.pending.erase(&table, key, state, at);
        Ok(())
    }

    fn omit(&mut self, table: &str, omitted: &[Omitted]) -> Result<(), Error> {
        self.flush()?;
        self.erased.insert(table.to_owned());
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
        let (after, completed_at) = (end.after, end.completed_at);
        self.call(move |session, schema| {
            scope::complete(session, schema, &table, after, completed_at, last)?;
            session.commit()
        })?;
        if end.has_erased && !self.erased.is_empty() {
            let name = |table: &String| format!("{}.{}", self.schema, quoted(table));
            let tables: Vec<String> = self.erased.iter().map(name).collect();
            // Without it, the tables keep the erased values until their next VACUUM. A reader may prevent it.
            let vacuum = format!("VACUUM {}", tables.join(", "));
            let _postponed = self.link.call(move |session| session.batch(&vacuum));
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
        self.call(move |session, schema| suppressed::all(session, schema, &table))
    }

    fn unsuppress(&mut self, table: &str, id: Hash) -> Result<bool, Error> {
        let table = table.to_owned();
        self.call(move |session, schema| suppressed::remove(session, schema, &table, id))
    }

    fn suppress(&mut self, table: &str, id: Hash, at: i64) -> Result<(), Error> {
        let table = table.to_owned();
        self.call(move |session, schema| suppressed::add(session, schema, &table, id, at))
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
        self.erased.insert(erased.table.to_owned());
        let table = self.table(erased.table)?;
        let Erased { kept, state, at, .. } = *erased;
        let [name, column, text] =
            [erased.table, erased.column, erased.text].map(ToOwned::to_owned);
        let rows = follow::Rows { table: name, column, text, kept: kept.to_vec(), state, at };
        self.call(move |session, schema| follow::erase_where(session, schema, &table, &rows))
    }

    fn amend(&mut self, table: &str, key: i64, amendment: Amendment) -> Result<(), Error> {
        self.flush()?;
        let table = table.to_owned();
        self.call(move |session, schema| amend::row(session, schema, &table, key, amendment))
    }

    fn set_counts(&mut self, table: &str, counts: Before) -> Result<(), Error> {
        let table = table.to_owned();
        self.call(move |session, schema| amend::counts(session, schema, &table, counts))
    }

    fn write_spell(&mut self, step: &SpellStep<'_>) -> Result<(), Error> {
        if self.pending.is_full() {
            self.flush()?;
        }
        self.pending.write_spell(step);
        Ok(())
    }

    fn erase_spells(&mut self, table: &str, of: SpellsOf<'_>) -> Result<(), Error> {
        self.flush()?;
        self.erased.insert("mirror_spell".to_owned());
        let (table, removed) = (table.to_owned(), Removed::of(of));
        self.call(move |session, schema| spells::erase(session, schema, &table, &removed))
    }

    fn spells(&mut self, page: &SpellPage<'_>) -> Result<Vec<Spell>, Error> {
        self.flush()?;
        let wanted = Wanted::of(page);
        self.call(move |session, schema| spells::read(session, schema, &wanted))
    }

    fn reopened(&self) -> Result<Option<Box<dyn Store>>, Error> {
        Ok(Some(Box::new(Self::open(&self.connector, &self.name, None)?)))
    }
}
