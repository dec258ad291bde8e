//! The tables of scopes: created, extended, and described in SQL.

use std::collections::{BTreeSet, HashSet};

use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::engine::Before;
use crate::error::{Error, ErrorKind};
use crate::fields::hash::Hash;
use crate::fields::shape::Shape;
use crate::history::status::TableStatus;
use crate::store::data::{End, Scope, other_scope};
use crate::store::failure::failed;
use crate::store::table::{self, Table};
use crate::store::view;

/// A scope that has been registered.
pub(crate) struct Registered {
    pub(crate) is_first: bool,
    pub(crate) before: Before,
}

/// Registers a scope, unless its table or name belongs to another one.
pub(crate) fn register(connection: &Connection, scope: Scope<'_>) -> Result<Registered, Error> {
    let select = "SELECT name, table_name, present, missing, completed_at IS NULL FROM mirror_scope \
                  WHERE table_name = ?1 OR name = ?2";
    let mut statement = connection.prepare_cached(select).map_err(failed)?;
    let mut rows = statement.query((scope.table, scope.name)).map_err(failed)?;
    let Some(row) = rows.next().map_err(failed)? else {
        let insert = "INSERT INTO mirror_scope (name, table_name) VALUES (?1, ?2)";
        connection.execute(insert, (scope.name, scope.table)).map_err(failed)?;
        return Ok(Registered { is_first: true, before: Before::default() });
    };
    let (name, table): (String, String) =
        (row.get(0).map_err(failed)?, row.get(1).map_err(failed)?);
    if name != scope.name {
        return Err(other_scope(scope, &name));
    }
    if table != scope.table {
        let text = format!("cannot sync `{name}` into `{}`: its table is `{table}`", scope.table);
        return Err(Error::new(ErrorKind::Table, text));
    }
    let before = count(row, 2).map_err(failed)?;
    Ok(Registered { is_first: row.get(4).map_err(failed)?, before })
}

/// Creates the table of a scope, or adds the columns that it lacks. Returns the number of the shape.
pub(crate) fn migrate(connection: &Connection, name: &str, shape: &Shape) -> Result<i64, Error> {
    let existing = columns(connection, name)?;
    let sql = if existing.is_empty() {
        table::create(name, shape)?
    } else {
        table::alter(name, shape, &existing)?
    };
    connection.execute_batch(&sql).map_err(failed)?;
    let existing: Vec<String> =
        columns(connection, name)?.into_iter().map(|(name, _)| name).collect();
    view::create(connection, name, &shape.identity()?.name, &existing).map_err(failed)?;
    let known = shapes(connection, name)?.into_iter().find(|(_, one)| one == shape);
    if let Some((number, _)) = known {
        return Ok(number);
    }
    let columns = serde_json::to_string(shape).map_err(|error| {
        Error::new(ErrorKind::Table, "cannot describe the columns").because(error)
    })?;
    let insert = "INSERT INTO mirror_shape (table_name, columns) VALUES (?1, ?2)";
    connection.execute(insert, (name, columns)).map_err(failed)?;
    Ok(connection.last_insert_rowid())
}

/// Returns the statements of a table; `None` if it does not exist. New rows have this shape, or the latest one.
pub(crate) fn describe(
    connection: &Connection,
    name: &str,
    shape: Option<&Shape>,
) -> Result<Option<Table>, Error> {
    let shapes: Vec<Shape> =
        shapes(connection, name)?.into_iter().map(|(_, shape)| shape).collect();
    let Some(shape) = shape.or_else(|| shapes.last()) else { return Ok(None) };
    let existing: Vec<String> =
        columns(connection, name)?.into_iter().map(|(name, _)| name).collect();
    let own = |name: &&String| !name.starts_with("mirror_");
    let existing: Vec<String> = existing.iter().filter(own).cloned().collect();
    let of_all_shapes = || shapes.iter().flat_map(|shape| &shape.columns);
    let listed: BTreeSet<&str> = of_all_shapes().map(|column| &*column.name).collect();
    let personal: BTreeSet<&str> =
        of_all_shapes().filter(|column| column.is_personal).map(|column| &*column.name).collect();
    let kept = |name: &str| listed.contains(name) && !personal.contains(name);
    Table::new(name, shape, &existing, kept).map(Some)
}

/// Returns the names and types of the columns of a table; none if it does not exist.
fn columns(connection: &Connection, name: &str) -> Result<Vec<(String, String)>, Error> {
    let select = "SELECT name, type FROM pragma_table_info(?1)";
    let mut statement = connection.prepare_cached(select).map_err(failed)?;
    let rows = statement.query_map((name,), |row| Ok((row.get(0)?, row.get(1)?)));
    rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

/// Returns the numbered shapes of a table, the latest one last.
fn shapes(connection: &Connection, name: &str) -> Result<Vec<(i64, Shape)>, Error> {
    let select = "SELECT number, columns FROM mirror_shape WHERE table_name = ?1 ORDER BY number";
    let mut statement = connection.prepare_cached(select).map_err(failed)?;
    let rows = statement.query_map((name,), |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: Vec<(i64, String)> =
        rows.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)?;
    rows.into_iter().map(|(number, columns)| Ok((number, Shape::parse(&columns)?))).collect()
}

/// Returns the counts of a table; `None` if it has no scope.
pub(crate) fn counts(connection: &Connection, table: &str) -> Result<Option<Before>, Error> {
    let select = "SELECT present, missing FROM mirror_scope WHERE table_name = ?1";
    connection.query_row(select, (table,), |row| count(row, 0)).optional().map_err(failed)
}

/// Keeps the counts of a table, and when its list was complete.
pub(crate) fn complete(
    connection: &Connection,
    end: &End<'_>,
    completed_at: Option<&str>,
) -> rusqlite::Result<()> {
    let update = "UPDATE mirror_scope SET present = ?2, missing = ?3, completed_at = coalesce(?4, completed_at) \
                  WHERE table_name = ?1";
    let counts = [end.after.present, end.after.missing];
    let [present, missing] = counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    connection.execute(update, (end.table, present, missing, completed_at)).map(drop)
}

/// Returns the state of each table, in the order of their names.
pub(crate) fn statuses(connection: &Connection) -> Result<Vec<TableStatus>, Error> {
    let select = "SELECT present, missing, table_name, unixepoch(completed_at), \
                  (SELECT count(*) FROM mirror_rejected WHERE scope = name) FROM mirror_scope ORDER BY table_name";
    let mut statement = connection.prepare(select).map_err(failed)?;
    let statuses = statement.query_map((), |row| {
        let Before { present, missing } = count(row, 0)?;
        let rejected: i64 = row.get(4)?;
        Ok(TableStatus {
            table: row.get(2)?,
            completed_at: row.get(3)?,
            present,
            missing,
            rejected: u64::try_from(rejected).unwrap_or_default(),
            values_from: None,
        })
    });
    statuses.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

/// Returns the forgotten identities of a table.
pub(crate) fn suppressed(connection: &Connection, table: &str) -> Result<HashSet<Hash>, Error> {
    let select = "SELECT id FROM mirror_suppressed WHERE table_name = ?1";
    let mut statement = connection.prepare_cached(select).map_err(failed)?;
    let ids = statement.query_map((table,), |row| row.get(0).map(Hash::from_bytes));
    ids.map_err(failed)?.collect::<Result<_, _>>().map_err(failed)
}

/// Reads two columns of counts.
fn count(row: &Row<'_>, first: usize) -> rusqlite::Result<Before> {
    let count = |column| row.get(column).map(|count: i64| u64::try_from(count).unwrap_or_default());
    Ok(Before { present: count(first)?, missing: count(first + 1)? })
}
