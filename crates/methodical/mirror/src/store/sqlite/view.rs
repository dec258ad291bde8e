//! The view of the present records of a table.

use rusqlite::{Connection, Result};

use crate::store::sqlite::table::quoted;
use crate::store::view;

/// Creates the view of a table with this identity and these columns, unless it exists with the same ones.
pub(crate) fn create(
    connection: &Connection,
    table: &str,
    identity: &str,
    existing: &[String],
) -> Result<()> {
    let (name, wanted) = (view::name(table), view::columns(identity, existing));
    let mut statement = connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let found = statement.query_map((&name,), |row| row.get(0))?;
    if found.collect::<Result<Vec<String>>>()? == wanted {
        return Ok(());
    }
    let columns: Vec<String> = wanted.into_iter().map(quoted).collect();
    let (name, table, columns) = (quoted(&name), quoted(table), columns.join(", "));
    connection.execute_batch(&format!(
        "DROP VIEW IF EXISTS {name}; \
         CREATE VIEW {name} AS SELECT {columns} FROM {table} WHERE mirror_state = 'present'"
    ))
}
