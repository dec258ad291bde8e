//! The names of the columns that the program adds to the values.

/// The column of the members whose value is unknown.
pub(crate) const UNKNOWN: &str = "unknown";

/// The column of all members.
pub(crate) const TOTAL: &str = "total";

/// The column of the values that were summed up.
pub(crate) const OTHER: &str = "other";
