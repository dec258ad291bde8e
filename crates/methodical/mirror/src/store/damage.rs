//! Damage of the file.

use rusqlite::{Connection, ErrorCode};

use crate::error::Error;
use crate::store::failure::failed;

/// Returns what SQLite finds: names of tables and indexes, and numbers of rows and pages.
pub(crate) fn find(connection: &Connection) -> Result<Vec<String>, Error> {
    let found = connection.prepare("PRAGMA integrity_check").and_then(|mut statement| {
        statement.query_map((), |row| row.get::<_, String>(0))?.collect::<Result<Vec<_>, _>>()
    });
    match found {
        Ok(found) => Ok(found.into_iter().filter(|line| line != "ok").collect()),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => {
            Ok(vec![error.to_string()])
        }
        Err(error) => Err(failed(error)),
    }
}
