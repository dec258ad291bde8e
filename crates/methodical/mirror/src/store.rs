//! The trait of stores: what a run reads and writes, in one transaction for each scope.

pub(crate) mod amend;
pub(crate) mod feed_store;
pub(crate) mod hold;
pub(crate) mod kept;
pub(crate) mod lease;
pub(crate) mod record_store;
pub(crate) mod spells;
pub(crate) mod sqlite;
pub(crate) mod upkeep_store;
pub(crate) mod view;

use std::collections::HashSet;
#[cfg(feature = "postgres019")]
use std::path::PathBuf;

use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::engine::known_rows::KnownRows;
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::feed::cursor::Identity;
use crate::fields::hash::Hash;
use crate::fields::row::Row;
use crate::fields::shape::Shape;
use crate::fields::text_hash::TextHash;
use crate::keep::spell::Spell;
use crate::store::amend::Amendment;
use crate::store::feed_store::FeedStore;
use crate::store::hold::Hold;
use crate::store::kept::{Kept, Live};
use crate::store::record_store::RecordStore;
use crate::store::spells::{SpellPage, SpellStep, SpellsOf};
use crate::store::upkeep_store::UpkeepStore;

/// A place that keeps the records, the feed and the state of the scopes.
///
/// All methods between `begin` and `commit` belong to one transaction. Dropping the store instead rolls it back.
pub(crate) trait Store: FeedStore + RecordStore + UpkeepStore + Send {
    /// Returns the identity of the mirror.
    fn identity(&self) -> &Identity;

    /// Locks the mirror until the result is dropped, so that several transactions belong together. `None` if the store has no
    /// lock that outlives a transaction. Fails if another process syncs.
    fn hold(&mut self) -> Result<Option<Hold>, Error> {
        Ok(None)
    }

    /// Begins a transaction. Fails if another process syncs. Creates the table, or adds the columns that it lacks.
    fn begin(&mut self, scope: Scope<'_>, shape: &Shape) -> Result<Start, Error>;

    /// Begins a transaction that belongs to no scope. Fails if another process syncs. Returns the counts of the table;
    /// `None` if the table does not exist.
    fn begin_forgetting(&mut self, table: &str) -> Result<Option<Before>, Error>;

    /// Begins a transaction that only reads, and sees one state of the store. Ends with `roll_back`.
    fn begin_reading(&mut self) -> Result<(), Error>;

    /// Returns what is known of each of these records, in the same order.
    fn known(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Option<Known>>, Error>;

    /// Appends what is known of the next rows after this one, in the order of their keys; nothing after the last row. Writes
    /// of the transaction may be missing.
    fn known_after(&mut self, table: &str, key: i64, rows: &mut KnownRows) -> Result<(), Error>;

    /// Returns the records of these rows, in any order.
    fn rows(&mut self, table: &str, keys: &[i64]) -> Result<Vec<Kept>, Error>;

    /// Returns the present and missing records after this row, in the order of their rows, at most `PAGE`.
    fn live_after(&mut self, table: &str, key: i64) -> Result<Vec<Live>, Error>;

    /// Writes the row of a record. The table does not have the identity of a new one.
    fn write(&mut self, table: &str, written: &Written<'_>) -> Result<(), Error>;

    /// Writes new records of a table that had no row when the transaction began: calls `rows` with a function that writes
    /// one. It returns whether it did; it leaves out a record whose identity the table may have.
    fn insert(&mut self, table: &str, at: i64, rows: &mut NewRows<'_>) -> Result<(), Error>;

    /// Changes the state of a record, and leaves its fields as they are.
    fn mark(&mut self, table: &str, key: i64, mark: Mark) -> Result<(), Error>;

    /// Empties the personal columns of a record and everything without a column, and sets its state.
    fn erase(&mut self, table: &str, key: i64, state: State, at: i64) -> Result<(), Error>;

    /// Replaces these rows, which have the columns that they were written with, by rows without personal values.
    fn omit(&mut self, table: &str, omitted: &[Omitted]) -> Result<(), Error>;

    /// Appends a change to the feed.
    fn append(&mut self, change: &NewChange<'_>) -> Result<(), Error>;

    /// Records a rejected record of the scope.
    fn reject(&mut self, scope: &str, index: u64, reason: &str) -> Result<(), Error>;

    /// Ends the transaction, and keeps the counts of the table.
    fn commit(&mut self, end: &End<'_>) -> Result<(), Error>;

    /// Ends the transaction and undoes it. Does nothing outside of a transaction.
    fn roll_back(&mut self);

    /// Returns the forgotten identities of a table.
    fn suppressed(&mut self, table: &str) -> Result<HashSet<Hash>, Error>;

    /// Returns when an identity was forgotten; `None` if it is not.
    fn suppressed_at(&mut self, table: &str, id: Hash) -> Result<Option<i64>, Error>;

    /// Forgets an identity for all later syncs.
    fn suppress(&mut self, table: &str, id: Hash, at: i64) -> Result<(), Error>;

    /// Removes an identity from those that are forgotten. Returns whether it was one.
    fn unsuppress(&mut self, table: &str, id: Hash) -> Result<bool, Error>;

    /// Returns the text of a note.
    fn note(&mut self, name: &str) -> Result<Option<String>, Error>;

    /// Writes a note.
    fn set_note(&mut self, name: &str, text: &str) -> Result<(), Error>;

    /// Erases the present and missing records that have this text in a column, and counts them out of their table. Returns
    /// their identities.
    fn erase_where(&mut self, erased: &Erased<'_>) -> Result<Vec<String>, Error>;

    /// Corrects the bookkeeping of a row.
    fn amend(&mut self, table: &str, key: i64, amendment: Amendment) -> Result<(), Error>;

    /// Sets the counts of a table.
    fn set_counts(&mut self, table: &str, counts: Before) -> Result<(), Error>;

    /// Begins, ends or resumes a spell.
    fn write_spell(&mut self, step: &SpellStep<'_>) -> Result<(), Error>;

    /// Removes spells of a table.
    fn erase_spells(&mut self, table: &str, of: SpellsOf<'_>) -> Result<(), Error>;

    /// Returns spells.
    fn spells(&mut self, page: &SpellPage<'_>) -> Result<Vec<Spell>, Error>;

    /// Returns the path of the file; `None` in memory.
    #[cfg(feature = "postgres019")]
    fn path(&self) -> Option<PathBuf>;

    /// Opens another connection to the same mirror; `None` if only this one has it.
    fn reopened(&self) -> Result<Option<Box<dyn Store>>, Error> {
        Ok(None)
    }
}

/// A scope: a list of records of one table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) name: &'a str,
    pub(crate) table: &'a str,
}

/// The state of a scope when a transaction begins.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The scope has never been complete.
    pub(crate) is_first: bool,
    /// The number of the columns.
    pub(crate) shape: i64,
    pub(crate) before: Before,
    /// The number of the next row.
    pub(crate) next_key: i64,
    /// The forgotten identities of the table.
    pub(crate) suppressed: HashSet<Hash>,
}

/// The end of a transaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End<'a> {
    pub(crate) table: &'a str,
    /// When the list was complete; `None` if the transaction belongs to no scope.
    pub(crate) completed_at: Option<i64>,
    pub(crate) after: Before,
    /// Something was erased, and must not stay in a log of the database.
    pub(crate) has_erased: bool,
}

/// A record to be written. Its state becomes present.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written<'a> {
    pub(crate) key: i64,
    pub(crate) is_new: bool,
    /// The record has another meaning than before.
    pub(crate) is_changed: bool,
    pub(crate) id: &'a str,
    pub(crate) hashes: (Hash, TextHash),
    pub(crate) shape: i64,
    pub(crate) row: &'a Row<'a>,
    pub(crate) at: i64,
}

impl<'a> Written<'a> {
    /// Creates a new record.
    pub(crate) const fn new(
        key: i64,
        id: &'a str,
        hashes: (Hash, TextHash),
        shape: i64,
        row: &'a Row<'a>,
        at: i64,
    ) -> Self {
        Self { key, is_new: true, is_changed: true, id, hashes, shape, row, at }
    }

    /// Returns the bytes of the column `mirror_hash`.
    pub(crate) fn hash(&self) -> [u8; 24] {
        crate::fields::text_hash::joined(self.hashes.0, self.hashes.1)
    }
}

/// Writes a new record. Returns whether it did.
pub(crate) type Insert<'a> = dyn FnMut(&Written<'_>) -> Result<bool, Error> + 'a;

/// Passes new records to a function that writes them.
pub(crate) type NewRows<'a> = dyn FnMut(&mut Insert<'_>) -> Result<(), Error> + 'a;

/// A new state of a record whose fields stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Present,
    /// The number of complete lists in a row that lacked it, and the time of the last one.
    Missing {
        misses: u32,
        at: i64,
    },
}

/// Records to be erased.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Erased<'a> {
    pub(crate) table: &'a str,
    pub(crate) column: &'a str,
    pub(crate) text: &'a str,
    /// The columns that stay, apart from the identity. All others become empty.
    pub(crate) kept: &'a [String],
    /// Their new state.
    pub(crate) state: State,
    pub(crate) at: i64,
}

/// A change that gets its number from the store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewChange<'a> {
    pub(crate) at: i64,
    pub(crate) table: &'a str,
    pub(crate) id: &'a str,
    pub(crate) kind: ChangeKind,
    pub(crate) fields: &'a [String],
}

/// A row whose personal values were removed. Its other columns are as they were.
#[derive(Clone, Debug)]
pub(crate) struct Omitted {
    pub(crate) key: i64,
    pub(crate) row: Row<'static>,
}

/// Maximum number of records that a store returns in one answer.
pub(crate) const PAGE: usize = 512;

/// Creates the error of a table that belongs to another scope.
pub(crate) fn other_scope(scope: Scope<'_>, owner: &str) -> Error {
    let text = format!(
        "cannot sync `{}` into the table `{}`: it belongs to `{owner}`, whose records would all be missing",
        scope.name, scope.table
    );
    Error::new(ErrorKind::Table, text)
}
