//! Erased values that remain in the log.

use std::time::Duration;

use rusqlite::Connection;

use crate::error::Error;
use crate::store::failure::failed;

/// Writes the log into the file and empties it. Returns whether it did: a reader of an older state prevents it.
pub(crate) fn remove(connection: &Connection, timeout: Duration) -> Result<bool, Error> {
    connection.busy_timeout(timeout).map_err(failed)?;
    let busy: i64 = connection.query_row(EMPTY_LOG, (), |row| row.get(0)).map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    Ok(busy == 0)
}

/// Time that a statement waits for a writer.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Writes the log into the file and empties it. Returns 1 first if a reader prevents it.
pub(crate) const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
