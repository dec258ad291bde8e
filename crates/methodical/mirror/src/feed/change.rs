//! The changes of the feed.

/// One change of a record. It has names of fields, never values: read the record for those.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Change {
    /// The number of the change. Numbers ascend, and none is used twice by the same mirror. A restored mirror is another one.
    pub number: i64,
    /// When the change was found, in seconds since 1970 (UTC). A clock may jump; the numbers do not.
    pub at: i64,
    /// The table of the record.
    pub table: String,
    /// The identity of the record.
    pub id: String,
    /// The kind of change.
    pub kind: ChangeKind,
    /// The columns that differ, for [`ChangeKind::Changed`] and [`ChangeKind::ValueChanged`].
    pub fields: Vec<String>,
}

/// The kind of a [`Change`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ChangeKind {
    /// The record is in the list for the first time.
    Added,
    /// The record has another meaning.
    Changed,
    /// The recovered value of a member in a group differs, or became known or unknown.
    ValueChanged,
    /// The record is absent from a complete list for the first time.
    Missing,
    /// The record counts as deleted, or was erased on request.
    Gone,
    /// The record was missing or gone, and is in the list again. If it was gone, any of its fields may differ.
    Returned,
}

impl ChangeKind {
    /// Returns the name of the kind.
    ///
    /// ```
    /// assert_eq!(methodical_mirror::ChangeKind::Returned.as_str(), "returned");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Changed => "changed",
            Self::ValueChanged => "value_changed",
            Self::Missing => "missing",
            Self::Gone => "gone",
            Self::Returned => "returned",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Added, Self::Changed, Self::ValueChanged, Self::Missing, Self::Gone, Self::Returned]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}
