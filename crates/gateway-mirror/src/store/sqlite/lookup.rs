//! Looks up what is known of records.

use rusqlite::{Connection, OptionalExtension as _};

use crate::engine::known::Known;
use crate::error::Error;
use crate::store::Live;
use crate::store::sqlite::ahead::Ahead;
use crate::store::sqlite::failure::failed;
use crate::store::sqlite::rows;
use crate::store::sqlite::table::Table;

/// Returns what is known of each of these records, in the same order.
pub(crate) fn known(
    connection: &Connection,
    ahead: &mut Ahead,
    table: &Table,
    ids: &[&str],
) -> Result<Vec<Option<Known>>, Error> {
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        read_ahead(connection, ahead, table)?;
        if let Some(known) = ahead.take(id) {
            found.push(Some(known));
            continue;
        }
        let mut statement = connection.prepare_cached(&table.known).map_err(failed)?;
        let known = statement.query_row((table.id(id),), rows::known).optional();
        let known = known.map_err(failed)?.map(|(_, known)| known);
        if let Some(known) = known {
            ahead.jump(known.key);
        }
        found.push(known);
    }
    Ok(found)
}

fn read_ahead(connection: &Connection, ahead: &mut Ahead, table: &Table) -> Result<(), Error> {
    let Some((after, size)) = ahead.wants() else { return Ok(()) };
    let mut statement = connection.prepare_cached(&table.known_after).map_err(failed)?;
    let found = statement.query_map((after, size), rows::known).map_err(failed)?;
    ahead.fill(found.collect::<Result<_, _>>().map_err(failed)?);
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
