//! Corrects the bookkeeping of rows and tables.

use rusqlite::{Connection, Result};

use crate::engine::Before;
use crate::store::data::Amendment;
use crate::store::table::quoted;
use crate::time::utc;

/// Corrects a row.
pub(crate) fn row(
    connection: &Connection,
    table: &str,
    key: i64,
    amendment: Amendment,
) -> Result<()> {
    let update =
        |column| format!("UPDATE {} SET {column} = ?2 WHERE mirror_key = ?1", quoted(table));
    match amendment {
        Amendment::Hash(hash) => {
            connection.execute(&update("mirror_hash"), (key, hash.to_bytes()))?;
        }
        Amendment::ChangedAt(at) => {
            connection.execute(&update("mirror_changed_at"), (key, utc(at)))?;
        }
    }
    Ok(())
}

/// Sets the counts of a table.
pub(crate) fn counts(connection: &Connection, table: &str, counts: Before) -> Result<()> {
    let update = "UPDATE mirror_scope SET present = ?2, missing = ?3 WHERE table_name = ?1";
    let [present, missing] =
        [counts.present, counts.missing].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    connection.execute(update, (table, present, missing)).map(drop)
}
