//! Errors of SQLite.

use rusqlite::{ErrorCode, ffi};

use crate::error::{Error, ErrorKind};

/// Converts an error of SQLite. Its message names tables and columns, and no values.
pub(crate) fn failed(error: rusqlite::Error) -> Error {
    // On a full disk, the index of the log cannot grow.
    let is_full = error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE);
    let (kind, text) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::Busy, "another process is writing the mirror; try again later")
        }
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => (
            ErrorKind::Io,
            "cannot use the mirror: its file or folder is read-only, and reading it writes beside it, too; copy it to a folder \
             that you can write to",
        ),
        Some(ErrorCode::SystemIoFailure) if !is_full => (
            ErrorKind::Store,
            "cannot read or write the mirror: the disk fails, or a limit of file sizes is reached; check the disk and the \
             limits, and try again",
        ),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => (
            ErrorKind::Store,
            "cannot write the mirror: the disk is full; free space, and try again",
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            (ErrorKind::Foreign, "cannot read the mirror: the file is damaged or not a database")
        }
        None if is_value(&error) => (
            ErrorKind::Foreign,
            "cannot read the mirror: a value is damaged; restore a backup, or sync into a new file",
        ),
        _ => (ErrorKind::Store, "cannot read or write the mirror"),
    };
    Error::new(kind, text).because(error)
}

/// Returns whether a value does not have the type of its column, such as text that is not UTF-8.
const fn is_value(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};

    matches!(error, FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..))
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::failed;
    use crate::error::ErrorKind;

    #[test]
    fn an_error_of_sqlite_has_its_kind_and_a_next_step() {
        for (code, kind, text) in [
            (ffi::SQLITE_BUSY, ErrorKind::Busy, "try again later"),
            (ffi::SQLITE_LOCKED, ErrorKind::Busy, "try again later"),
            (ffi::SQLITE_FULL, ErrorKind::Store, "the disk is full; free space"),
            (ffi::SQLITE_IOERR_SHMSIZE, ErrorKind::Store, "the disk is full; free space"),
            (ffi::SQLITE_IOERR_WRITE, ErrorKind::Store, "check the disk and the limits"),
            (ffi::SQLITE_CORRUPT, ErrorKind::Foreign, "damaged or not a database"),
            (ffi::SQLITE_NOTADB, ErrorKind::Foreign, "damaged or not a database"),
            (ffi::SQLITE_CANTOPEN, ErrorKind::Io, "copy it to a folder that you can write to"),
            (ffi::SQLITE_READONLY, ErrorKind::Io, "copy it to a folder that you can write to"),
            (ffi::SQLITE_CONSTRAINT, ErrorKind::Store, "cannot read or write the mirror"),
        ] {
            let error = failed(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            assert_eq!(error.kind(), kind, "{code}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
