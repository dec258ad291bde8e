//! The data that a run and the readers of a mirror exchange with its store.

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

use crate::browse::cell::Placements;
use crate::browse::paging::Order;
use crate::engine::Before;
use crate::engine::known::{Known, State};
use crate::error::{Error, ErrorKind};
use crate::feed::change::ChangeKind;
use crate::fields::hash::Hash;
use crate::fields::row::Row;
use crate::fields::shape::Shape;
use crate::fields::text_hash::TextHash;
use crate::keep::spell::SpellFilter;

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

/// A record of a table, as it is kept.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) known: Known,
    pub(crate) id: String,
    pub(crate) times: Times,
    pub(crate) row: Row<'static>,
    /// The columns that its row was written with.
    pub(crate) shape: Arc<Shape>,
}

impl Kept {
    /// Returns whether the record has anything that an erasure removes.
    pub(crate) fn is_readable(&self) -> bool {
        let mut erased = self.row.clone();
        erased.erase(&self.shape);
        erased != self.row || self.known.hash.is_some()
    }
}

/// The times of a record, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Times {
    pub(crate) first_seen: i64,
    pub(crate) changed_at: i64,
    pub(crate) missing_since: Option<i64>,
    pub(crate) gone_at: Option<i64>,
}

/// A present or missing record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Live {
    pub(crate) key: i64,
    pub(crate) id: String,
    pub(crate) misses: u32,
}

/// A page of records, as they are kept, and the row after which the next one begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turned {
    pub(crate) kept: Vec<Kept>,
    pub(crate) next: Option<i64>,
}

/// An index, by what it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Index<'a> {
    /// The pages of a table in an order.
    Page(&'a str, &'a Order),
    /// The cells, and the pages of the members of a group and of the groups of a member.
    Placements(&'a Placements<'a>),
    /// The changes of a record.
    Changes,
}

/// A lock of a mirror or a consumer. Dropping the last clone releases it.
pub(crate) type Hold = Arc<dyn Any + Send + Sync>;

/// A correction of one column of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Amendment {
    Hash(Hash),
    /// In seconds since 1970.
    ChangedAt(i64),
}

/// The range of the feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Feed {
    /// The last number that was removed; 0 if none was.
    pub(crate) pruned: i64,
    /// The last number that was given.
    pub(crate) last: i64,
}

/// The rows and changes to remove.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Removal {
    /// Records that were gone or forgotten before this time; `None` for no records.
    pub(crate) gone_before: Option<i64>,
    /// The changes up to this number.
    pub(crate) until: i64,
    pub(crate) is_dry_run: bool,
}

/// Maximum number of samples of each gauge.
pub(crate) const SAMPLES_KEPT: u32 = 100_000;

/// A change of the spells of a placement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpellStep<'a> {
    /// The recovered table.
    pub(crate) table: &'a str,
    /// The identity of the placement.
    pub(crate) id: &'a str,
    pub(crate) kind: StepKind<'a>,
}

/// The kind of a change of spells.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StepKind<'a> {
    /// Begins a spell.
    Begin { value: Option<&'a str>, at: i64, began_before: bool },
    /// Ends the spell that has no end.
    End { at: i64 },
    /// Removes the end of the last spell.
    Resume,
}

/// Which spells of a table are removed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SpellsOf<'a> {
    Record(&'a str),
    Group(&'a str),
    Member(&'a str),
    Table,
}

/// Which spells to read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpellPage<'a> {
    pub(crate) table: &'a str,
    pub(crate) filter: &'a SpellFilter,
    pub(crate) direction: Direction,
    pub(crate) limit: usize,
}

/// The order of spells, and where they begin.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Direction {
    /// Those with a larger number, the smallest one first.
    After(i64),
    /// Those with a smaller number, the largest one first.
    Before(i64),
}
