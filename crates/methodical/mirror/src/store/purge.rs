//! Removes rows and changes, and free space.

use rusqlite::{Connection, Result as SqlResult};

use crate::error::Error;
use crate::store::data::Removal;
use crate::store::failure::failed;
use crate::store::table::quoted;
use crate::store::{scope, spells, traces};
use crate::time::utc;

/// Removes rows, with their spells, and changes. Returns how many.
pub(crate) fn remove(connection: &Connection, removal: &Removal) -> Result<(u64, u64), Error> {
    let mut records = 0;
    if let Some(before) = removal.gone_before.map(utc) {
        for status in scope::statuses(connection)? {
            records += remove_gone(connection, &status.table, &before)?;
        }
    }
    let delete = "DELETE FROM mirror_change WHERE number <= ?1";
    let changes = connection.execute(delete, (removal.until,)).map_err(failed)? as u64;
    let update = "UPDATE mirror_meta SET pruned = ?1 WHERE pruned < ?1";
    connection.execute(update, (removal.until,)).map_err(failed)?;
    Ok((records, changes))
}

fn remove_gone(connection: &Connection, table: &str, before: &str) -> Result<u64, Error> {
    let delete = format!(
        "DELETE FROM {} WHERE mirror_state IN ('gone', 'forgotten') AND mirror_gone_at < ?1",
        quoted(table)
    );
    let removed = connection.execute(&delete, (before,)).map_err(failed)?;
    if removed > 0
        && let Some(described) = scope::describe(connection, table, None)?
    {
        spells::sweep(connection, table, &described.shape.identity()?.name).map_err(failed)?;
    }
    Ok(removed as u64)
}

/// Returns the number of the last change before the first one of this time or later.
pub(crate) fn older_than(connection: &Connection, time: i64) -> SqlResult<i64> {
    let select = "SELECT coalesce( \
                  (SELECT number - 1 FROM mirror_change WHERE at >= ?1 ORDER BY number LIMIT 1), \
                  (SELECT seq FROM sqlite_sequence WHERE name = 'mirror_change'), 0)";
    connection.query_row(select, (utc(time),), |row| row.get(0))
}

/// Builds the file again if much of it is free. Returns by how many bytes it became smaller.
pub(crate) fn compact(connection: &Connection) -> SqlResult<u64> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (pages, free, size) =
        (pragma("page_count")?, pragma("freelist_count")?, pragma("page_size")?);
    if free < pages / LEAST_SHARE || free.saturating_mul(size) < LEAST_BYTES {
        return Ok(0);
    }
    connection.execute_batch("VACUUM")?;
    connection.query_row(traces::EMPTY_LOG, (), |_row| Ok(()))?;
    let freed = pages.saturating_sub(pragma("page_count")?).saturating_mul(size);
    Ok(u64::try_from(freed).unwrap_or_default())
}

/// One in how many pages must be free.
const LEAST_SHARE: i64 = 4;

/// Minimum free space, in bytes.
const LEAST_BYTES: i64 = 4 * 1024 * 1024;
