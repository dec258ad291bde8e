//! The views for other programs: the present records of a table.

use rusqlite::{Connection, Result};

use crate::store::table::quoted;

/// Creates the view of a table with this identity and these columns, unless it exists with the same ones.
pub(crate) fn create(
    connection: &Connection,
    table: &str,
    identity: &str,
    existing: &[String],
) -> Result<()> {
    let (name, wanted) = (name(table), columns(identity, existing));
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let found = statement.query_map((&name,), |row| row.get(0))?;
    if found.collect::<Result<Vec<String>>>()? == wanted {
        return Ok(());
    }
    let list: Vec<String> = wanted.into_iter().map(quoted).collect();
    let (name, table, list) = (quoted(&name), quoted(table), list.join(", "));
    connection.execute_batch(&format!(
        "DROP VIEW IF EXISTS {name}; \
         CREATE VIEW {name} AS SELECT {list} FROM {table} WHERE mirror_state = 'present'"
    ))
}

/// Returns the name of the view of a table.
pub(crate) fn name(table: &str) -> String {
    format!("{table}{SUFFIX}")
}

/// Returns the columns of a view, from those of its table: the identity, the times, and the columns of records. A column that is
/// added to the table is the last one, so that a view can be replaced in its place.
pub(crate) fn columns<'a>(identity: &'a str, existing: &'a [String]) -> Vec<&'a str> {
    let own = existing.iter().map(|name| &**name);
    let own = own.filter(|name| *name != identity && !name.starts_with("mirror_"));
    [identity, "mirror_first_seen", "mirror_changed_at"].into_iter().chain(own).collect()
}

/// The end of the name of a view. No table has such a name.
pub(crate) const SUFFIX: &str = "_present";
