//! Errors of SQLite, translated for the caller.

use crate::error::{Error, ErrorKind};

/// Translates an error of SQLite. `context` is the message of errors that have no more specific one.
pub(super) fn failure(context: &'static str, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let (kind, context) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::StorageBusy, "the database is locked by another process; try again later")
        }
        Some(ErrorCode::OperationInterrupted) => {
            (ErrorKind::StorageSlow, "a database statement timed out")
        }
        Some(ErrorCode::DiskFull) => (ErrorKind::StorageFull, "the disk is full"),
        Some(ErrorCode::DatabaseCorrupt) => {
            // Without the cause, whose text says the same twice.
            let text = "the database is damaged; run `gateway-server check`, or restore a backup";
            return Error::new(ErrorKind::StorageCorrupt, text);
        }
        Some(ErrorCode::NotADatabase) => {
            (ErrorKind::StorageForeign, "the file is not an SQLite database")
        }
        Some(ErrorCode::ReadOnly) => (
            ErrorKind::Storage,
            "the database is read-only; the program needs write access to the file and its directory",
        ),
        _ => (ErrorKind::Storage, context),
    };
    Error::caused(kind, context, error)
}

/// Returns [`failure`] for `map_err`.
pub(super) fn failed(context: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    move |error| failure(context, error)
}
