//! The schema versions that this release accepts.

use crate::error::{Error, ErrorKind};

/// The schema version that this release creates, reads and writes. Versions 1 to 3 were never released.
pub(super) const VERSION: i64 = 4;

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
