//! Which page of the records of a table to read.

use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind};

/// The order of the records of a [`Page`](crate::Page). Records that are equal in it are in the order of first sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// By the time of first sight.
    #[default]
    FirstSeen,
    /// By the time of the last change.
    Changed,
    /// By the text of this column. An absent text is the first one. Case does not count in ASCII.
    Text(String),
}

impl Order {
    /// Returns the name of the column of text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(name) => Some(name),
            Self::FirstSeen | Self::Changed => None,
        }
    }
}

/// Which page to read.
///
/// ```
/// use methodical_mirror::{Order, Paging};
///
/// // The 50 records that changed last.
/// let paging = Paging::new(50).order(Order::Changed).descending();
/// # assert_ne!(paging, Paging::new(50));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Paging {
    pub(crate) order: Order,
    pub(crate) is_descending: bool,
    pub(crate) after: Option<i64>,
    pub(crate) limit: usize,
    pub(crate) reads: usize,
    pub(crate) time: Duration,
    pub(crate) without: Option<String>,
}

impl Paging {
    /// Asks for the first page, with at most `limit` records.
    pub fn new(limit: usize) -> Self {
        Self {
            order: Order::default(),
            is_descending: false,
            after: None,
            limit,
            reads: usize::MAX,
            time: Duration::MAX,
            without: None,
        }
    }

    /// Sets the order.
    pub fn order(self, order: Order) -> Self {
        Self { order, ..self }
    }

    /// Reverses the order.
    pub fn descending(self) -> Self {
        Self { is_descending: true, ..self }
    }

    /// Asks for the page after the record with this [`Record::number`](crate::Record::number).
    pub fn after(self, number: i64) -> Self {
        Self { after: Some(number), ..self }
    }

    /// Asks only for records whose column has no value, such as the placements whose value is unknown.
    pub fn without(self, column: &str) -> Self {
        Self { without: Some(column.to_owned()), ..self }
    }

    /// Limits how many records a search reads. The page may then have fewer records than its limit, or none, and still be
    /// followed by another one.
    pub fn reads(self, records: usize) -> Self {
        Self { reads: records, ..self }
    }

    /// Limits how long a search reads, which has no index. The page may then have fewer records than its limit, or none, and
    /// still be followed by another one.
    pub fn within(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Returns whether a search ends after this number of rows.
    pub(crate) fn ends_after(&self, reads: usize, started: Instant) -> bool {
        // At least some rows are read, so that the next page goes on.
        reads >= self.reads
            || reads > 0 && reads.is_multiple_of(64) && started.elapsed() >= self.time
    }
}

/// Creates the error of a page after a row that is no longer there.
pub(crate) fn removed(number: i64) -> Error {
    let text =
        format!("cannot continue after row {number}: it was removed; begin with the first page");
    Error::new(ErrorKind::Cursor, text)
}

/// Creates the error of a paging by a column that the table does not have, or that has no text.
pub(crate) fn unordered(table: &str, column: &str) -> Error {
    let text = format!("cannot read a page of `{table}`: it has no column of text `{column}`");
    Error::new(ErrorKind::Table, text)
}
