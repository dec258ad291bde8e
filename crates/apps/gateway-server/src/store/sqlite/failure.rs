//! Errors of SQLite, translated for the caller.

use std::borrow::Cow;

use rusqlite::ffi;

use crate::error::{Error, ErrorKind};

/// Translates an error of SQLite. `context` is the message of errors that have no more specific one.
pub(super) fn failure(context: &'static str, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    // On a full disk, the index of the log cannot grow.
    let is_full = error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE);
    let because = |cause: &str| Cow::from(format!("{context}: {cause}"));
    let (kind, text) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            ErrorKind::StorageBusy,
            "the database is locked by another process; try again later".into(),
        ),
        Some(ErrorCode::OperationInterrupted) => {
            (ErrorKind::StorageSlow, "a database statement timed out".into())
        }
        Some(ErrorCode::SystemIoFailure) if !is_full => (
            ErrorKind::Storage,
            because("the disk reports an error, or a limit of file sizes is reached; check both"),
        ),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
            (ErrorKind::StorageFull, because("the disk is full; free space and try again"))
        }
        Some(ErrorCode::DatabaseCorrupt) => {
            // Without the cause, whose text says the same twice.
            let text = "the database is damaged; run `gateway-server check`, or restore a backup";
            return Error::new(ErrorKind::StorageCorrupt, text);
        }
        Some(ErrorCode::NotADatabase) => {
            (ErrorKind::StorageForeign, "the file is not an SQLite database".into())
        }
        Some(ErrorCode::ReadOnly) => (
            ErrorKind::Storage,
            "the database is read-only; the program needs write access to the file and its directory".into(),
        ),
        _ => (ErrorKind::Storage, context.into()),
    };
    Error::caused(kind, text, error)
}

/// Returns [`failure`] for `map_err`.
pub(super) fn failed(context: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    move |error| failure(context, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_and_a_disk_that_fails_are_named() {
        for (code, kind, cause) in [
            (ffi::SQLITE_FULL, ErrorKind::StorageFull, "the disk is full; free space"),
            (ffi::SQLITE_IOERR_SHMSIZE, ErrorKind::StorageFull, "the disk is full; free space"),
            (ffi::SQLITE_IOERR_WRITE, ErrorKind::Storage, "the disk reports an error, or a limit"),
            (ffi::SQLITE_IOERR_READ, ErrorKind::Storage, "the disk reports an error, or a limit"),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = failure("cannot import", error);
            assert_eq!(error.kind(), kind, "{code}");
            assert!(error.to_string().starts_with(&format!("cannot import: {cause}")), "{error}");
        }
    }
}
