//! A page of records.

use crate::keep::record::Record;

/// A page of the records of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The records, in the order of the page.
    pub records: Vec<Record>,
    /// The number after which the next page begins; `None` if this is the last one.
    pub next: Option<i64>,
}
