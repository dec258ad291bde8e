//! Removes rows and changes.

use ::postgres::types::Type;

use crate::error::Error;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::Session;
use crate::store::postgres::rows::get;
use crate::store::postgres::table::quoted;
use crate::store::postgres::{scope, spells};
use crate::store::upkeep_store::Removal;

/// Removes rows, with their spells, and changes. Returns how many.
pub(crate) fn remove(
    session: &mut Session,
    schema: &str,
    removal: &Removal,
) -> Result<(u64, u64), Error> {
    let mut records = 0;
    if let Some(before) = removal.gone_before.map(clamped) {
        let tables =
            session.query(&format!("SELECT table_name FROM {schema}.mirror_scope"), &[])?;
        for row in &tables {
            records += remove_gone(session, schema, get(row, 0)?, before)?;
        }
    }
    let delete = format!("DELETE FROM {schema}.mirror_change WHERE number <= $1");
    let changes = session.execute(&delete, &[(&removal.until, Type::INT8)])?;
    let update = format!("UPDATE {schema}.mirror_meta SET pruned = $1 WHERE pruned < $1");
    session.execute(&update, &[(&removal.until, Type::INT8)])?;
    Ok((records, changes))
}

fn remove_gone(
    session: &mut Session,
    schema: &str,
    table: &str,
    before: i64,
) -> Result<u64, Error> {
    let delete = format!(
        "DELETE FROM {schema}.{} WHERE mirror_state IN ('gone', 'forgotten') \
         AND mirror_gone_at < to_timestamp($1)",
        quoted(table)
    );
    let removed = session.execute(&delete, &[(&before, Type::INT8)])?;
    if removed > 0
        && let Some(described) = scope::describe(session, schema, table, None)?
    {
        spells::sweep(session, schema, table, &described.shape.identity()?.name)?;
    }
    Ok(removed)
}

/// Returns the number of the last change before the first one of this time or later.
pub(crate) fn older_than(session: &mut Session, schema: &str, time: i64) -> Result<i64, Error> {
    let select = format!(
        "SELECT coalesce((SELECT number - 1 FROM {schema}.mirror_change WHERE at >= to_timestamp($1) \
         ORDER BY number LIMIT 1), last) FROM {schema}.mirror_meta"
    );
    let found = session.query(&select, &[(&clamped(time), Type::INT8)])?;
    found.first().map_or(Ok(0), |row| get(row, 0))
}
