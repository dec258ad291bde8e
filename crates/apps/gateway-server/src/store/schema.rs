//! The tables, written once for both databases, and the schema versions that this release accepts.
//!
//! The schema version says which releases can use a database. An addition (a new table, a new column that may be empty,
//! a new index) does not raise it, because releases that do not know the addition ignore it: they name the columns that
//! they write. So servers of two releases can use one database while they are being replaced.

use crate::error::{Error, ErrorKind};

/// The schema version that this release creates, reads and writes. Versions 1 to 3 were never released.
pub(super) const VERSION: i64 = 4;

pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The additions to the schema since version 4. The program that opens a database first applies them.
pub(super) const UPGRADE: &str = include_str!("upgrade.sql");

/// Translates statements that create tables for SQLite.
pub(super) fn of_sqlite(sql: &str) -> String {
    sql.replace("BIGINT", "INTEGER")
        .replace("BYTEA", "BLOB")
        .replace("\n);", "\n) STRICT, WITHOUT ROWID;")
}

/// Checks the schema version of a database; `name` says which one in the error.
///
/// A release that changes the schema raises [`VERSION`] and migrates the versions since 4 before this check.
pub(super) fn check(name: &str, version: Option<i64>) -> Result<(), Error> {
    let (kind, problem) = match version {
        Some(VERSION) => return Ok(()),
        Some(newer) if newer > VERSION => (
            ErrorKind::StorageNewer,
            format!(
                "was written by a newer release (schema {newer}); this one reads schema {VERSION}"
            ),
        ),
        Some(unknown) => (
            ErrorKind::StorageForeign,
            format!("has the unknown schema {unknown}; create a new database and import the data"),
        ),
        None => (
            ErrorKind::StorageForeign,
            "has no schema version; create a new database and import the data".to_owned(),
        ),
    };
    Err(Error::new(kind, format!("{name} {problem}")))
}
