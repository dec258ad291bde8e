//! Erases the rows that belong to an erased record of another table.

use rusqlite::{Connection, Result};

use crate::store::data::Erased;
use crate::store::rows;
use crate::store::table::{Table, quoted};

/// Erases the present and missing rows with a text in a column, and counts them out. Returns their identities.
pub(crate) fn erase_where(
    connection: &Connection,
    table: &Table,
    erased: &Erased<'_>,
    at: &str,
) -> Result<Vec<String>> {
    let (name, column) = (quoted(erased.table), quoted(erased.column));
    let index = quoted(&format!("mirror_index_{}_{}", erased.table, erased.column));
    connection
        .execute_batch(&format!("CREATE INDEX IF NOT EXISTS {index} ON {name} ({column})"))?;
    let identity = table.shape.columns.get(table.shape.identity).map_or("", |one| &*one.name);
    let select = format!(
        "SELECT mirror_key, {}, mirror_state = 'missing' FROM {name} WHERE {column} = ?1 \
         AND mirror_state IN ('present', 'missing')",
        quoted(identity)
    );
    let mut statement = connection.prepare_cached(&select)?;
    let found = statement
        .query_map((erased.text,), |row| Ok((row.get(0)?, rows::id(row.get_ref(1)?), row.get(2)?)));
    let found: Vec<(i64, String, bool)> = found?.collect::<Result<_>>()?;
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let emptied =
        table.existing.iter().filter(|one| **one != identity && !erased.kept.contains(*one));
    let emptied: Vec<String> = emptied.map(|one| format!("{} = NULL", quoted(one))).collect();
    let empty = format!("UPDATE {name} SET {} WHERE mirror_key = ?1", emptied.join(", "));
    for (key, ..) in &found {
        let mut statement = connection.prepare_cached(&table.erase)?;
        statement.execute((key, erased.state.as_str(), at))?;
        if !emptied.is_empty() {
            connection.prepare_cached(&empty)?.execute((key,))?;
        }
    }
    let missing = found.iter().filter(|(_, _, is_missing)| *is_missing).count();
    let update = "UPDATE mirror_scope SET present = present - ?2, missing = missing - ?3 WHERE table_name = ?1";
    let [present, missing] =
        [found.len() - missing, missing].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    connection.execute(update, (erased.table, present, missing))?;
    Ok(found.into_iter().map(|(_, id, _)| id).collect())
}
