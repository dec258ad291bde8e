//! Looks up what is known of records.

use rusqlite::{Connection, OptionalExtension as _};

use crate::engine::known::Known;
use crate::store::data::Live;
use crate::store::rows;
use crate::store::table::Table;

/// Returns what is known of each of these records, in the same order.
pub(crate) fn known(
    connection: &Connection,
    table: &Table,
    ids: &[&str],
) -> rusqlite::Result<Vec<Option<Known>>> {
    let mut statement = connection.prepare_cached(&table.known)?;
    ids.iter().map(|id| statement.query_row((table.id(id),), rows::known).optional()).collect()
}

/// Passes what is known of all rows.
pub(crate) fn each_known(
    connection: &Connection,
    table: &Table,
    mut each: impl FnMut(&str, Known),
) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(&table.all_known)?;
    let mut found = statement.query(())?;
    while let Some(row) = found.next()? {
        let known = rows::known(row)?;
        match row.get_ref(rows::ID)?.as_str() {
            Ok(id) => each(id, known),
            Err(_integer) => each(&rows::id(row.get_ref(rows::ID)?), known),
        }
    }
    Ok(())
}

/// Returns the present and missing records after a row.
pub(crate) fn live_after(
    connection: &Connection,
    table: &Table,
    key: i64,
) -> rusqlite::Result<Vec<Live>> {
    let mut statement = connection.prepare_cached(&table.live_after)?;
    let live = statement.query_map((key,), |row| {
        Ok(Live { key: row.get(0)?, misses: row.get(1)?, id: rows::id(row.get_ref(2)?) })
    });
    live?.collect()
}
