//! The state of a mirror: when each table was synced, and how many records it has.

/// The state of one table of a mirror.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableStatus {
    /// The name of the table.
    pub table: String,
    /// When its last list was complete, in seconds since 1970 (UTC). `None` before the first one.
    pub completed_at: Option<i64>,
    /// How many records were in the last complete list.
    pub present: u64,
    /// How many records are missing.
    pub missing: u64,
    /// How many records of the last list were rejected.
    pub rejected: u64,
    /// In a recovered table, when the values of the longest waiting group were asked for, in seconds since 1970 (UTC).
    pub values_from: Option<i64>,
}
