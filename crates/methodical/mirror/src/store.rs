//! The SQLite file of a mirror.

mod amend;
mod backup;
mod browse;
mod changes;
mod consumers;
mod damage;
pub(crate) mod data;
pub(crate) mod failure;
mod feed;
mod files;
mod follow;
mod history;
mod insert;
mod lease;
mod lock;
mod log;
mod lookup;
mod notes;
mod open;
mod opened;
mod partial;
mod purge;
mod records;
pub(crate) mod restore;
mod rows;
mod scope;
mod select;
mod spells;
pub(crate) mod table;
mod traces;
mod upkeep;
pub(crate) mod view;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::error::{Error, ErrorKind};
use crate::feed::cursor::Identity;
use crate::fields::hash::Hash;
use crate::fields::shape::Shape;
use crate::keep::spell::Spell;
use crate::source::Source;
use crate::store::data::{
    Amendment, End, Erased, Hold, Kept, Live, Mark, NewChange, NewRows, Omitted, Scope, SpellPage,
    SpellStep, SpellsOf, Start, Written,
};
use crate::store::failure::failed;
use crate::store::lock::Lock;
use crate::store::open::VERSION;
use crate::store::opened::Opened;
use crate::store::rows::Shapes;
use crate::store::table::Table;
use crate::store::traces::BUSY_TIMEOUT;
use crate::time::utc;

/// A mirror in a SQLite file.
pub(crate) struct Store {
    /// `None` in memory.
    path: Option<PathBuf>,
    connection: Connection,
    /// Dropped after the connection.
    _opened: Option<Opened>,
    identity: Identity,
    /// Erased values may remain in the log.
    has_traces: bool,
    /// Held during a transaction.
    lock: Option<Arc<Lock>>,
    /// Held during a sync of all tables.
    held: Weak<Lock>,
    tables: HashMap<String, Arc<Table>>,
    shapes: Shapes,
    /// The time that was written last, and its text.
    time: (i64, Arc<str>),
}

impl Store {
    pub(crate) fn open(path: &Path, source: Option<&Source>) -> Result<Self, Error> {
        let opened = Opened::note(path, || log::check(path))?;
        let (connection, identity) = open::open(path, source)?;
        // A process that was killed may have left erased values in the log.
        let has_traces = !traces::remove(&connection, Duration::ZERO)?;
        let path = Some(path.to_owned());
        Ok(Self { path, _opened: Some(opened), has_traces, ..Self::over(connection, identity) })
    }

    /// Creates a mirror in memory. It has one connection, so no other process and no other thread needs to be excluded.
    pub(crate) fn in_memory() -> Result<Self, Error> {
        let (connection, identity) = open::in_memory()?;
        Ok(Self::over(connection, identity))
    }

    fn over(connection: Connection, identity: Identity) -> Self {
        Self {
            has_traces: false,
            path: None,
            connection,
            _opened: None,
            identity,
            lock: None,
            held: Weak::new(),
            tables: HashMap::new(),
            shapes: Shapes::new(),
            time: (i64::MIN, Arc::from("")),
        }
    }

    /// Returns the lock that is held, or takes it; `None` in memory.
    fn take_lock(&self) -> Result<Option<Arc<Lock>>, Error> {
        match (&self.path, self.held.upgrade()) {
            (None, _) => Ok(None),
            (_, Some(lock)) => Ok(Some(lock)),
            (Some(path), None) => Lock::take(path).map(|lock| Some(Arc::new(lock))),
        }
    }

    /// Takes the lock and begins a transaction.
    fn lock(&mut self) -> Result<(), Error> {
        self.lock = self.take_lock()?;
        // Page 1 counts changes only when it is written, see `log`.
        self.run(&format!("BEGIN IMMEDIATE; PRAGMA user_version = {VERSION}"))
    }

    fn run(&self, sql: &str) -> Result<(), Error> {
        self.connection.execute_batch(sql).map_err(failed)
    }

    /// Returns how many rows were written.
    fn execute(&self, sql: &str, parameters: impl rusqlite::Params) -> Result<usize, Error> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed)?;
        statement.execute(parameters).map_err(failed)
    }

    /// Returns a time as text. All rows of a sync have the same.
    fn time(&mut self, seconds: i64) -> Arc<str> {
        if self.time.0 != seconds {
            self.time = (seconds, utc(seconds).into());
        }
        Arc::clone(&self.time.1)
    }

    fn table(&mut self, name: &str) -> Result<Arc<Table>, Error> {
        if let Some(table) = self.tables.get(name) {
            return Ok(Arc::clone(table));
        }
        let table = scope::describe(&self.connection, name, None)?.ok_or_else(|| {
            Error::new(ErrorKind::Table, format!("the mirror has no table `{name}`"))
        })?;
        let table = Arc::new(table);
        self.tables.insert(name.to_owned(), Arc::clone(&table));
        Ok(table)
    }

    /// Returns the identity of the mirror.
    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Locks the mirror until the result is dropped, so that several transactions belong together. `None` if the store has no
    /// lock that outlives a transaction. Fails if another process syncs.
    pub(crate) fn hold(&mut self) -> Result<Option<Hold>, Error> {
        let Some(lock) = self.take_lock()? else { return Ok(None) };
        self.held = Arc::downgrade(&lock);
        Ok(Some(lock))
    }

    /// Begins a transaction. Fails if another process syncs. Creates the table, or adds the columns that it lacks.
    pub(crate) fn begin(&mut self, scope: Scope<'_>, shape: &Shape) -> Result<Start, Error> {
        self.lock()?;
        let registered = scope::register(&self.connection, scope)?;
        let number = scope::migrate(&self.connection, scope.table, shape)?;
        let table = scope::describe(&self.connection, scope.table, Some(shape))?;
        self.tables.clear();
        self.tables.extend(table.map(|table| (scope.table.to_owned(), Arc::new(table))));
        self.execute("DELETE FROM mirror_rejected WHERE scope = ?1", (scope.name,))?;
        let last = format!("SELECT max(mirror_key) FROM {}", table::quoted(scope.table));
        let last: Option<i64> =
            self.connection.query_row(&last, (), |row| row.get(0)).map_err(failed)?;
        let suppressed = scope::suppressed(&self.connection, scope.table)?;
        Ok(Start {
            is_first: registered.is_first,
            shape: number,
            before: registered.before,
            next_key: last.unwrap_or_default().saturating_add(1),
            suppressed,
        })
    }

    /// Begins a transaction that belongs to no scope. Fails if another process syncs. Returns the counts of the table;
    /// `None` if the table does not exist.
    pub(crate) fn begin_forgetting(&mut self, table: &str) -> Result<Option<Before>, Error> {
        self.lock()?;
        if let Some(path) = &self.path {
            backup::sweep(path)?;
        }
        scope::counts(&self.connection, table)
    }

    /// Begins a transaction that only reads, and sees one state of the store. Ends with `roll_back`.
    pub(crate) fn begin_reading(&mut self) -> Result<(), Error> {
        // The transaction begins to read with its first statement.
        self.run("BEGIN; SELECT 1 FROM mirror_meta")
    }

    /// Returns what is known of each of these records, in the same order.
    pub(crate) fn known(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Option<Known>>, Error> {
        let table = self.table(table)?;
        lookup::known(&self.connection, &table, ids).map_err(failed)
    }

    /// Passes what is known of all records of a table, with their identities.
    pub(crate) fn each_known(
        &mut self,
        table: &str,
        each: impl FnMut(&str, Known),
    ) -> Result<(), Error> {
        let table = self.table(table)?;
        lookup::each_known(&self.connection, &table, each).map_err(failed)
    }

    /// Returns the records of these rows, in any order.
    pub(crate) fn rows(&mut self, table: &str, keys: &[i64]) -> Result<Vec<Kept>, Error> {
        let table = self.table(table)?;
        let mut found = Vec::with_capacity(keys.len());
        for key in keys {
            found.extend(rows::find(&self.connection, &mut self.shapes, &table.row, key)?);
        }
        Ok(found)
    }

    /// Returns the present and missing records after this row, in the order of their rows, at most `PAGE`.
    pub(crate) fn live_after(&mut self, table: &str, key: i64) -> Result<Vec<Live>, Error> {
        let table = self.table(table)?;
        lookup::live_after(&self.connection, &table, key).map_err(failed)
    }

    /// Writes the row of a record. The table does not have the identity of a new one.
    pub(crate) fn write(&mut self, table: &str, written: &Written<'_>) -> Result<(), Error> {
        let table = self.table(table)?;
        let (hash, at) = (written.hash(), self.time(written.at));
        let changed_at = written.is_changed.then_some(&*at);
        let parameters = params_from_iter(table.parameters(written, &hash, changed_at));
        let sql = if written.is_new { &table.insert } else { &table.update };
        self.execute(sql, parameters).map(drop)
    }

    /// Writes new records of a table that had no row when the transaction began: calls `rows` with a function that writes
    /// one. It returns whether it did; it leaves out a record whose identity the table may have.
    pub(crate) fn insert(
        &mut self,
        table: &str,
        at: i64,
        rows: &mut NewRows<'_>,
    ) -> Result<(), Error> {
        let (table, at) = (self.table(table)?, self.time(at));
        insert::all(&self.connection, &table, &at, rows)
    }

    /// Changes the state of a record, and leaves its fields as they are.
    pub(crate) fn mark(&mut self, table: &str, key: i64, mark: Mark) -> Result<(), Error> {
        let table = self.table(table)?;
        let (state, misses, at) = match mark {
            Mark::Present => ("present", 0, None),
            Mark::Missing { misses, at } => ("missing", misses, Some(self.time(at))),
        };
        self.execute(&table.mark, (key, state, misses, at.as_deref())).map(drop)
    }

    /// Empties the personal columns of a record and everything without a column, and sets its state.
    pub(crate) fn erase(
        &mut self,
        table: &str,
        key: i64,
        state: State,
        at: i64,
    ) -> Result<(), Error> {
        let (table, at) = (self.table(table)?, self.time(at));
        self.execute(&table.erase, (key, state.as_str(), &*at)).map(drop)
    }

    /// Replaces these rows, which have the columns that they were written with, by rows without personal values.
    pub(crate) fn omit(&mut self, table: &str, omitted: &[Omitted]) -> Result<(), Error> {
        let table = self.table(table)?;
        for Omitted { key, row } in omitted {
            self.execute(&table.omit, (key, row.extra.as_deref(), row.nulls.as_deref()))?;
        }
        Ok(())
    }

    /// Appends a change to the feed.
    pub(crate) fn append(&mut self, change: &NewChange<'_>) -> Result<(), Error> {
        let at = self.time(change.at);
        changes::append(&self.connection, change, &at).map_err(failed)
    }

    /// Records a rejected record of the scope.
    pub(crate) fn reject(&mut self, scope: &str, index: u64, reason: &str) -> Result<(), Error> {
        let insert = "INSERT INTO mirror_rejected (scope, position, reason) VALUES (?1, ?2, ?3)";
        self.execute(insert, (scope, i64::try_from(index).unwrap_or(i64::MAX), reason)).map(drop)
    }

    /// Ends the transaction, and keeps the counts of the table.
    pub(crate) fn commit(&mut self, end: &End<'_>) -> Result<(), Error> {
        let completed_at = end.completed_at.map(|at| self.time(at));
        scope::complete(&self.connection, end, completed_at.as_deref()).map_err(failed)?;
        self.run("COMMIT")?;
        if end.has_erased || self.has_traces {
            let timeout = if end.has_erased { BUSY_TIMEOUT } else { Duration::ZERO };
            self.has_traces = !traces::remove(&self.connection, timeout)?;
        }
        self.lock = None;
        Ok(())
    }

    /// Ends the transaction and undoes it. Does nothing outside of a transaction.
    pub(crate) fn roll_back(&mut self) {
        if !self.connection.is_autocommit() {
            // Without a connection, SQLite rolls back when it opens the file again.
            let _ignored = self.connection.execute_batch("ROLLBACK");
        }
        // The transaction may have created or changed a table.
        self.tables.clear();
        self.shapes.clear();
        self.lock = None;
    }

    /// Returns the forgotten identities of a table.
    pub(crate) fn suppressed(&mut self, table: &str) -> Result<HashSet<Hash>, Error> {
        scope::suppressed(&self.connection, table)
    }

    /// Returns when an identity was forgotten; `None` if it is not.
    pub(crate) fn suppressed_at(&mut self, table: &str, id: Hash) -> Result<Option<i64>, Error> {
        let select =
            "SELECT unixepoch(at) FROM mirror_suppressed WHERE table_name = ?1 AND id = ?2";
        let at = self.connection.query_row(select, (table, id.to_bytes()), |row| row.get(0));
        at.optional().map_err(failed)
    }

    /// Removes an identity from those that are forgotten. Returns whether it was one.
    pub(crate) fn unsuppress(&mut self, table: &str, id: Hash) -> Result<bool, Error> {
        let delete = "DELETE FROM mirror_suppressed WHERE table_name = ?1 AND id = ?2";
        Ok(self.execute(delete, (table, id.to_bytes()))? > 0)
    }

    /// Forgets an identity for all later syncs.
    pub(crate) fn suppress(&mut self, table: &str, id: Hash, at: i64) -> Result<(), Error> {
        let insert =
            "INSERT OR IGNORE INTO mirror_suppressed (table_name, id, at) VALUES (?1, ?2, ?3)";
        let at = self.time(at);
        self.execute(insert, (table, id.to_bytes(), &*at)).map(drop)
    }

    /// Returns the text of a note.
    pub(crate) fn note(&mut self, name: &str) -> Result<Option<String>, Error> {
        notes::read(&self.connection, name).map_err(failed)
    }

    /// Writes a note.
    pub(crate) fn set_note(&mut self, name: &str, text: &str) -> Result<(), Error> {
        notes::write(&self.connection, name, text).map_err(failed)
    }

    /// Erases the present and missing records that have this text in a column, and counts them out of their table. Returns
    /// their identities.
    pub(crate) fn erase_where(&mut self, erased: &Erased<'_>) -> Result<Vec<String>, Error> {
        let table = self.table(erased.table)?;
        let at = self.time(erased.at);
        follow::erase_where(&self.connection, &table, erased, &at).map_err(failed)
    }

    /// Corrects the bookkeeping of a row.
    pub(crate) fn amend(
        &mut self,
        table: &str,
        key: i64,
        amendment: Amendment,
    ) -> Result<(), Error> {
        amend::row(&self.connection, table, key, amendment).map_err(failed)
    }

    /// Sets the counts of a table.
    pub(crate) fn set_counts(&mut self, table: &str, counts: Before) -> Result<(), Error> {
        amend::counts(&self.connection, table, counts).map_err(failed)
    }

    /// Begins, ends or resumes a spell.
    pub(crate) fn write_spell(&mut self, step: &SpellStep<'_>) -> Result<(), Error> {
        spells::write(&self.connection, step).map_err(failed)
    }

    /// Removes spells of a table.
    pub(crate) fn erase_spells(&mut self, table: &str, of: SpellsOf<'_>) -> Result<(), Error> {
        spells::erase(&self.connection, table, of).map_err(failed)
    }

    /// Returns spells.
    pub(crate) fn spells(&mut self, page: &SpellPage<'_>) -> Result<Vec<Spell>, Error> {
        spells::read(&self.connection, page).map_err(failed)
    }

    #[cfg(feature = "postgres019")]
    pub(crate) fn path(&self) -> Option<PathBuf> {
        self.path.clone()
    }

    /// Opens another connection to the same mirror; `None` if only this one has it.
    pub(crate) fn reopened(&self) -> Result<Option<Self>, Error> {
        let Some(path) = &self.path else { return Ok(None) };
        Self::open(path, None).map(Some)
    }
}
