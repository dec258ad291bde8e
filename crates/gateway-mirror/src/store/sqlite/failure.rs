//! Errors of SQLite.

use rusqlite::ErrorCode;

use crate::error::{Error, ErrorKind};

/// Converts an error of SQLite. Its message names tables and columns, and no values.
pub(crate) fn failed(error: rusqlite::Error) -> Error {
    let (kind, text) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::Busy, "another process is writing the mirror; try again later")
        }
        Some(ErrorCode::DiskFull) => (
            ErrorKind::Store,
            "cannot write the mirror: the disk is full; free space, and try again",
        ),
        Some(ErrorCode::SystemIoFailure) => (
            ErrorKind::Store,
            "cannot read or write the mirror: the disk fails, or a limit of file sizes is reached; check the disk and the \
             limits, and try again",
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            (ErrorKind::Foreign, "cannot read the mirror: the file is damaged or not a database")
        }
        _ => (ErrorKind::Store, "cannot read or write the mirror"),
    };
    Error::new(kind, text).because(error)
}
