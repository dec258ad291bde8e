//! Records as a store keeps them.

use std::sync::Arc;

use crate::browse::cell::Placements;
use crate::browse::paging::Order;
use crate::engine::known::Known;
use crate::fields::row::Row;
use crate::fields::shape::Shape;

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
