//! The report of an export.

/// The export of one table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableExport {
    /// The name of the table.
    pub table: String,
    /// The version of the table.
    pub version: i64,
    /// Number of rows in the files that were written.
    pub rows: u64,
    /// Number of files that were written.
    pub files: u64,
    /// Number of bytes that were written.
    pub bytes: u64,
    /// Number of files that were replaced.
    pub replaced: u64,
    /// Number of files of former versions that were deleted.
    pub deleted: u64,
    /// Number of changes that the mirror removed before an export.
    pub lost: u64,
}
