//! The table of changes.

use rusqlite::{Connection, Result, Row};

use crate::feed::change::{Change, ChangeKind};
use crate::store::data::{Feed, NewChange};

/// Appends a change.
pub(crate) fn append(connection: &Connection, change: &NewChange<'_>, at: &str) -> Result<()> {
    let fields = serde_json::Value::from(change.fields.to_vec()).to_string();
    let fields = (!change.fields.is_empty()).then_some(fields);
    let insert = "INSERT INTO mirror_change (at, table_name, record_id, kind, fields) VALUES (?1, ?2, ?3, ?4, ?5)";
    let row = (at, change.table, change.id, change.kind.as_str(), fields);
    connection.prepare_cached(insert)?.execute(row).map(drop)
}

/// Returns the changes after a number.
pub(crate) fn after(connection: &Connection, after: i64, limit: usize) -> Result<Vec<Change>> {
    let select = "SELECT number, unixepoch(at), table_name, record_id, kind, fields FROM mirror_change \
                  WHERE number > ?1 ORDER BY number LIMIT ?2";
    let mut statement = connection.prepare_cached(select)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    statement.query_map((after, limit), read)?.collect()
}

/// Returns the changes before a number, the latest one first; with a table and an identity, only those of this record.
pub(crate) fn latest(
    connection: &Connection,
    of: Option<(&str, &str)>,
    before: i64,
    limit: usize,
) -> Result<Vec<Change>> {
    let condition = if of.is_some() { " AND table_name = ?3 AND record_id = ?4" } else { "" };
    let select = format!(
        "SELECT number, unixepoch(at), table_name, record_id, kind, fields FROM mirror_change \
         WHERE number < ?1{condition} ORDER BY number DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&select)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    match of {
        Some((table, id)) => statement.query_map((before, limit, table, id), read)?.collect(),
        None => statement.query_map((before, limit), read)?.collect(),
    }
}

fn read(row: &Row<'_>) -> Result<Change> {
    let fields: Option<String> = row.get(5)?;
    let fields = serde_json::from_str(fields.as_deref().unwrap_or("[]"));
    Ok(Change {
        number: row.get(0)?,
        at: row.get(1)?,
        table: row.get(2)?,
        id: row.get(3)?,
        kind: ChangeKind::of(row.get_ref(4)?.as_str()?).unwrap_or(ChangeKind::Changed),
        fields: fields.unwrap_or_default(),
    })
}

/// Returns the range of the numbers.
pub(crate) fn range(connection: &Connection) -> Result<Feed> {
    let select = "SELECT pruned, \
                  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'mirror_change'), 0) FROM mirror_meta";
    let feed = |row: &Row<'_>| Ok(Feed { pruned: row.get(0)?, last: row.get(1)? });
    connection.query_row(select, (), feed)
}

/// Removes the changes up to a number.
pub(crate) fn prune(connection: &mut Connection, number: i64) -> Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute("UPDATE mirror_meta SET pruned = max(pruned, ?1)", (number,))?;
    transaction.execute("DELETE FROM mirror_change WHERE number <= ?1", (number,))?;
    transaction.commit()
}
