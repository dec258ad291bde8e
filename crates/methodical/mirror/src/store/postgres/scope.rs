//! The tables of scopes: created, extended, and described in SQL.

use std::collections::HashMap;
use std::sync::Arc;

use ::postgres::Row;
use ::postgres::types::Type;

use crate::engine::Before;
use crate::error::{Error, ErrorKind};
use crate::fields::shape::Shape;
use crate::history::status::TableStatus;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::table::{self, Table, quoted, seconds};
use crate::store::postgres::{suppressed, view as own_view};
use crate::store::{Scope, Start, other_scope, view};

/// A scope that has been registered.
struct Registered {
    is_first: bool,
    before: Before,
}

/// Registers a scope and prepares its table. Returns also the statements of the table.
pub(crate) fn begin(
    session: &mut Session,
    schema: &str,
    scope: Scope<'_>,
    shape: &Shape,
) -> Result<(Start, Option<Table>), Error> {
    let registered = register(session, schema, scope)?;
    let number = migrate(session, schema, scope.table, shape)?;
    let table = describe(session, schema, scope.table, Some(shape))?;
    let delete = format!("DELETE FROM {schema}.mirror_rejected WHERE scope = $1");
    session.execute(&delete, &[(&scope.name, Type::TEXT)])?;
    let last = format!("SELECT max(mirror_key) FROM {schema}.{}", quoted(scope.table));
    let last = session.query(&last, &[])?;
    let last: Option<i64> = last.first().map_or(Ok(None), |row| get(row, 0))?;
    let start = Start {
        is_first: registered.is_first,
        shape: number,
        before: registered.before,
        next_key: last.unwrap_or_default().saturating_add(1),
        suppressed: suppressed::all(session, schema, scope.table)?,
    };
    Ok((start, table))
}

/// Keeps the counts of a table, when its list was complete, and the number of the last change.
pub(crate) fn complete(
    session: &mut Session,
    schema: &str,
    table: &str,
    after: Before,
    completed_at: Option<i64>,
    last: i64,
) -> Result<(), Error> {
    let update = format!(
        "UPDATE {schema}.mirror_scope SET present = $2, missing = $3, \
         completed_at = coalesce(to_timestamp($4), completed_at) WHERE table_name = $1"
    );
    let completed_at = completed_at.map(clamped);
    let counts = [after.present, after.missing];
    let [present, missing] = counts.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let parameters: [Parameter<'_>; 4] = [
        (&table, Type::TEXT),
        (&present, Type::INT8),
        (&missing, Type::INT8),
        (&completed_at, Type::INT8),
    ];
    session.execute(&update, &parameters)?;
    let update = format!("UPDATE {schema}.mirror_meta SET last = $1 WHERE last <> $1");
    session.execute(&update, &[(&last, Type::INT8)]).map(drop)
}

/// Registers a scope, unless its table or name belongs to another one.
fn register(session: &mut Session, schema: &str, scope: Scope<'_>) -> Result<Registered, Error> {
    let parameters: [Parameter<'_>; 2] = [(&scope.table, Type::TEXT), (&scope.name, Type::TEXT)];
    let select = format!(
        "SELECT present, missing, name, table_name, completed_at IS NULL FROM {schema}.mirror_scope \
         WHERE table_name = $1 OR name = $2 ORDER BY table_name <> $1"
    );
    let found = session.query(&select, &parameters)?;
    let Some(row) = found.first() else {
        let insert =
            format!("INSERT INTO {schema}.mirror_scope (table_name, name) VALUES ($1, $2)");
        session.execute(&insert, &parameters)?;
        return Ok(Registered { is_first: true, before: Before::default() });
    };
    let (name, table): (&str, &str) = (get(row, 2)?, get(row, 3)?);
    if name != scope.name {
        return Err(other_scope(scope, name));
    }
    if table != scope.table {
        let text = format!("cannot sync `{name}` into `{}`: its table is `{table}`", scope.table);
        return Err(Error::new(ErrorKind::Table, text));
    }
    Ok(Registered { is_first: get(row, 4)?, before: count(row)? })
}

/// Creates the table of a scope, or adds the columns that it lacks. Returns the number of the shape.
fn migrate(session: &mut Session, schema: &str, name: &str, shape: &Shape) -> Result<i64, Error> {
    let view = view::name(name);
    let lengths = shape.columns.iter().map(|column| &*column.name).chain([&*view]);
    if let Some(long) = lengths.into_iter().find(|name| name.len() > LONGEST_NAME) {
        let text = format!(
            "cannot create the table `{name}`: the name `{long}` is longer than the {LONGEST_NAME} bytes of PostgreSQL"
        );
        return Err(Error::new(ErrorKind::Table, text));
    }
    let table = format!("{schema}.{}", quoted(name));
    let existing = columns(session, &table)?;
    let sql = if existing.is_empty() {
        table::create(&table, shape)?
    } else {
        table::alter(&table, name, shape, &existing)?
    };
    if !sql.is_empty() {
        session.batch(&sql)?;
    }
    let names = |columns: Vec<(String, String)>| columns.into_iter().map(|(name, _)| name);
    let existing: Vec<String> = names(columns(session, &table)?).collect();
    let found = format!("{schema}.{}", quoted(&view));
    let found: Vec<String> = names(columns(session, &found)?).collect();
    own_view::create(session, schema, name, &shape.identity()?.name, &existing, &found)?;
    let known = shapes(session, schema, name)?.into_iter().find(|(_, one)| one == shape);
    if let Some((number, _)) = known {
        return Ok(number);
    }
    let columns = serde_json::to_string(shape).map_err(|error| {
        Error::new(ErrorKind::Table, "cannot describe the columns").because(error)
    })?;
    let insert = format!(
        "INSERT INTO {schema}.mirror_shape (number, table_name, columns) \
         SELECT coalesce(max(number), 0) + 1, $1, $2 FROM {schema}.mirror_shape RETURNING number"
    );
    let inserted = session.query(&insert, &[(&name, Type::TEXT), (&columns, Type::TEXT)])?;
    inserted.first().map_or(Ok(0), |row| get(row, 0))
}

/// Returns the statements of a table; `None` if it does not exist. New rows have this shape, or the latest one.
pub(crate) fn describe(
    session: &mut Session,
    schema: &str,
    name: &str,
    shape: Option<&Shape>,
) -> Result<Option<Table>, Error> {
    let shapes: Vec<_> = shapes(session, schema, name)?
        .into_iter()
        .map(|(number, shape)| (number, Arc::new(shape)))
        .collect();
    let latest = shapes.last().map(|(_, shape)| Arc::clone(shape));
    let Some(shape) = shape.cloned().map(Arc::new).or(latest) else { return Ok(None) };
    let table = format!("{schema}.{}", quoted(name));
    let columns = columns(session, &table)?.into_iter().map(|(name, _)| name);
    let own = columns.filter(|name| !name.starts_with("mirror_")).collect();
    Table::new(&table, shape, HashMap::from_iter(shapes), own).map(Some)
}

/// Returns the names and types of the columns of a table; none if it does not exist.
fn columns(session: &mut Session, table: &str) -> Result<Vec<(String, String)>, Error> {
    let select = "SELECT attname::text, format_type(atttypid, atttypmod) FROM pg_attribute \
                  WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum";
    let rows = session.query(select, &[(&table, Type::TEXT)])?;
    rows.iter().map(|row| Ok((get(row, 0)?, get(row, 1)?))).collect()
}

/// Returns the numbered shapes of a table, the latest one last.
fn shapes(session: &mut Session, schema: &str, name: &str) -> Result<Vec<(i64, Shape)>, Error> {
    let select = format!(
        "SELECT number, columns FROM {schema}.mirror_shape WHERE table_name = $1 ORDER BY number"
    );
    let rows = session.query(&select, &[(&name, Type::TEXT)])?;
    rows.iter().map(|row| Ok((get(row, 0)?, Shape::parse(get(row, 1)?)?))).collect()
}

/// Returns the counts of a table; `None` if it has no scope.
pub(crate) fn counts(
    session: &mut Session,
    schema: &str,
    table: &str,
) -> Result<Option<Before>, Error> {
    let select =
        format!("SELECT present, missing FROM {schema}.mirror_scope WHERE table_name = $1");
    let rows = session.query(&select, &[(&table, Type::TEXT)])?;
    rows.first().map(count).transpose()
}

/// Returns the state of each table, in the order of their names.
pub(crate) fn statuses(session: &mut Session, schema: &str) -> Result<Vec<TableStatus>, Error> {
    let select = format!(
        "SELECT present, missing, table_name, {}, \
         (SELECT count(*) FROM {schema}.mirror_rejected WHERE scope = name) \
         FROM {schema}.mirror_scope ORDER BY table_name",
        seconds("completed_at")
    );
    let rows = session.query(&select, &[])?;
    let status = |row: &Row| {
        let Before { present, missing } = count(row)?;
        let rejected: i64 = get(row, 4)?;
        Ok(TableStatus {
            table: get(row, 2)?,
            completed_at: get(row, 3)?,
            present,
            missing,
            rejected: u64::try_from(rejected).unwrap_or_default(),
            values_from: None,
        })
    };
    rows.iter().map(status).collect()
}

/// Reads the first two columns as counts.
fn count(row: &Row) -> Result<Before, Error> {
    let count =
        |column| get(row, column).map(|count: i64| u64::try_from(count).unwrap_or_default());
    Ok(Before { present: count(0)?, missing: count(1)? })
}

/// Maximum length of a name in PostgreSQL, in bytes. It cuts a longer one.
const LONGEST_NAME: usize = 63;
