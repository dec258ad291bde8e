//! Paging: how to request the next page of a list.

use alloc::string::{String, ToString};
use core::fmt;

use crate::ListOperation;

/// A list operation whose contract says how to request the next page.
///
/// Generated queries implement this trait. It only describes the pages. A client requests them, and decides when to
/// stop.
///
/// # Examples
///
/// ```
/// # mod photos { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/photos.rs")); } use photos::*;
/// use methodical_model::{Operation as _, PagedOperation as _};
///
/// let mut query = PagePhotos::new();
/// let page = PagePhotos::decode(br#"{"photo":[{"id":"1"}],"next":"b7"}"#)?;
/// if let Some(next) = PagePhotos::marks(&page.metadata).next {
///     query.turn_to(next);
/// }
/// assert_eq!(query.query()?.as_str(), "action=photos/page&cursor=b7");
/// # Ok::<(), methodical_model::DecodeError>(())
/// ```
pub trait PagedOperation: ListOperation<Metadata: Send> + Clone + Send + Sync + 'static {
    /// The rule by which a client requests the next page.
    const PAGING: Paging;

    /// Returns the position of the page that the query requests, or `None` if it requests the first page without giving
    /// a position.
    fn position(&self) -> Option<Position>;

    /// Returns the maximum number of records per page, if the query sets it.
    fn page_size(&self) -> Option<u64> {
        None
    }

    /// Changes the query so that it requests the page at `position`. A position of the wrong kind has no effect.
    fn turn_to(&mut self, position: Position);

    /// Returns the hints about other pages in a page's metadata.
    fn marks(metadata: &Self::Metadata) -> PageMarks;
}

/// The rule by which a client requests the next page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paging {
    /// The value that changes from page to page.
    pub by: PagedBy,
    /// The parameter that contains this value.
    pub parameter: &'static str,
    /// Whether the records have an identity. If they do, two pages with the same records are a fault of the service.
    pub has_identity: bool,
}

/// The value that changes from page to page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PagedBy {
    /// The number of the page.
    Number {
        /// The number of the first page.
        first: i64,
    },
    /// The number of records before the page.
    Offset,
    /// The number of records before the page, as stated by the previous page.
    NextOffset,
    /// Text that the previous page contains.
    Cursor,
}

impl Paging {
    /// Creates a rule without its parameter, which [`parameter`](Self::parameter) sets.
    #[must_use]
    pub const fn by(by: PagedBy) -> Self {
        Self { by, parameter: "", has_identity: false }
    }

    /// Sets the parameter whose value changes from page to page.
    #[must_use]
    pub const fn parameter(self, parameter: &'static str) -> Self {
        Self { parameter, ..self }
    }

    /// Declares that the records have an identity.
    #[must_use]
    pub const fn has_identity(self) -> Self {
        Self { has_identity: true, ..self }
    }
}

/// The position of a page within a list.
///
/// `Debug` shows only the kind of position, because a cursor may contain personal data.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Position {
    /// The number of the page, or the number of records before it.
    Number(i64),
    /// The cursor of the page.
    Cursor(String),
}

impl Position {
    /// Creates the position of the page with this cursor.
    pub fn cursor(text: &impl ToString) -> Self {
        Self::Cursor(text.to_string())
    }

    /// Returns the number, unless the position is a cursor.
    #[must_use]
    pub fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Cursor(_) => None,
        }
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number(_) => "Number",
            Self::Cursor(_) => "Cursor",
        })
    }
}

/// The hints about other pages that a page contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageMarks {
    /// The number of the last page.
    pub last: Option<u64>,
    /// The total number of records on all pages.
    pub total: Option<u64>,
    /// The position of the next page.
    pub next: Option<Position>,
    /// Whether a page follows.
    pub more: Option<bool>,
}

impl PageMarks {
    /// Creates an empty set of hints.
    #[must_use]
    pub const fn new() -> Self {
        Self { last: None, total: None, next: None, more: None }
    }

    /// Sets the number of the last page. Text that is not a number is ignored.
    #[must_use]
    pub fn last(self, last: Option<&impl ToString>) -> Self {
        Self { last: number(last), ..self }
    }

    /// Sets the total number of records on all pages. Text that is not a number is ignored.
    #[must_use]
    pub fn total(self, total: Option<&impl ToString>) -> Self {
        Self { total: number(total), ..self }
    }

    /// Sets the offset of the next page: the number of records before it. Empty text is ignored. Any other text that is
    /// not a number is kept as a cursor, which a client rejects.
    #[must_use]
    pub fn next_offset(self, next: Option<&impl ToString>) -> Self {
        let next = next.map(ToString::to_string).filter(|offset| !offset.is_empty());
        let position = next.map(|offset| match offset.parse() {
            Ok(number) => Position::Number(number),
            Err(_) => Position::Cursor(offset),
        });
        Self { next: position, ..self }
    }

    /// Sets the cursor of the next page. An empty cursor is ignored.
    #[must_use]
    pub fn next_cursor(self, next: Option<&impl ToString>) -> Self {
        let next = next.map(ToString::to_string).filter(|cursor| !cursor.is_empty());
        Self { next: next.map(Position::Cursor), ..self }
    }

    /// Sets whether a page follows.
    #[must_use]
    pub fn more(self, more: Option<&(impl Clone + Into<bool>)>) -> Self {
        Self { more: more.cloned().map(Into::into), ..self }
    }
}

fn number(value: Option<&impl ToString>) -> Option<u64> {
    value?.to_string().parse().ok()
}
