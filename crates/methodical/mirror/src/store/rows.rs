//! Reads rows of the tables.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::types::{FromSqlError, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row as SqlRow, ToSql};

use crate::engine::known::{Known, State};
use crate::error::Error;
use crate::fields::row::{Row, Value};
use crate::fields::shape::{Kind, Shape};
use crate::fields::text_hash::split;
use crate::store::data::{Kept, Times};
use crate::store::failure::failed;

/// The shapes that were read.
pub(crate) type Shapes = HashMap<i64, Arc<Shape>>;

/// Reads the first columns of the statements for records.
pub(crate) fn known(row: &SqlRow<'_>) -> rusqlite::Result<Known> {
    let (hash, text) = row.get_ref(1)?.as_blob_or_null()?.map_or((None, None), split);
    let Some(state) = State::of(row.get_ref(2)?.as_str()?) else {
        // A damaged row, which the next list replaces.
        let (key, misses, shape) = (row.get(0)?, row.get(3)?, row.get(4)?);
        return Ok(Known { key, hash: None, text: None, state: State::Present, misses, shape });
    };
    Ok(Known { key: row.get(0)?, hash, text, state, misses: row.get(3)?, shape: row.get(4)? })
}

/// The index of the column of the identity in the statements for what is known.
pub(crate) const ID: usize = 5;

/// Returns an identity as text.
pub(crate) fn id(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    }
}

/// Reads a row of a statement that selects all columns.
pub(crate) fn kept(
    connection: &Connection,
    shapes: &mut Shapes,
    row: &SqlRow<'_>,
) -> Result<Kept, Error> {
    let number = row.get("mirror_shape").map_err(failed)?;
    let shape = shape(connection, shapes, number)?;
    one(row, shape).map_err(failed)
}

/// Reads the row of a statement that selects all columns by a key.
pub(crate) fn find(
    connection: &Connection,
    shapes: &mut Shapes,
    sql: &str,
    key: impl ToSql,
) -> Result<Option<Kept>, Error> {
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    let mut rows = statement.query((key,)).map_err(failed)?;
    rows.next().map_err(failed)?.map(|row| kept(connection, shapes, row)).transpose()
}

fn one(row: &SqlRow<'_>, shape: Arc<Shape>) -> rusqlite::Result<Kept> {
    let (hash, text) = row.get_ref("mirror_hash")?.as_blob_or_null()?.map_or((None, None), split);
    let state = row.get_ref("mirror_state")?.as_str()?;
    let known = Known {
        key: row.get("mirror_key")?,
        hash,
        text,
        state: State::of(state).unwrap_or(State::Present),
        misses: row.get("mirror_misses")?,
        shape: row.get("mirror_shape")?,
    };
    let times = Times {
        first_seen: time(row, "mirror_first_seen")?.unwrap_or_default(),
        changed_at: time(row, "mirror_changed_at")?.unwrap_or_default(),
        missing_since: time(row, "mirror_missing_since")?,
        gone_at: time(row, "mirror_gone_at")?,
    };
    let identity = shape.columns.get(shape.identity);
    let id = id(row.get_ref(identity.map_or("", |column| &*column.name))?);
    let cells = shape.columns.iter().map(|column| cell(row, &column.name, column.kind));
    let row = Row {
        cells: cells.collect::<Result<_, _>>()?,
        extra: row.get("mirror_extra")?,
        nulls: row.get("mirror_nulls")?,
    };
    Ok(Kept { known, id, times, row, shape })
}

/// Reads a time in seconds since 1970.
fn time(row: &SqlRow<'_>, name: &str) -> rusqlite::Result<Option<i64>> {
    let text = row.get_ref(name)?.as_str_or_null()?;
    let time = text.map(str::parse::<Timestamp>).transpose();
    let damaged = |_error| FromSqlError::InvalidType;
    Ok(time.map_err(damaged)?.map(Timestamp::as_second))
}

fn cell(row: &SqlRow<'_>, name: &str, kind: Kind) -> rusqlite::Result<Option<Value<'static>>> {
    Ok(match kind {
        Kind::Text | Kind::Json => {
            row.get::<_, Option<String>>(name)?.map(|text| Value::Text(text.into()))
        }
        Kind::Integer => row.get::<_, Option<_>>(name)?.map(Value::Integer),
        Kind::Real => row.get::<_, Option<_>>(name)?.map(Value::Real),
        Kind::Boolean => row.get::<_, Option<_>>(name)?.map(Value::Boolean),
    })
}

/// Returns the shape of this number.
pub(crate) fn shape(
    connection: &Connection,
    shapes: &mut Shapes,
    number: i64,
) -> Result<Arc<Shape>, Error> {
    if let Some(shape) = shapes.get(&number) {
        return Ok(Arc::clone(shape));
    }
    let select = "SELECT columns FROM mirror_shape WHERE number = ?1";
    let columns: Option<String> =
        connection.query_row(select, (number,), |row| row.get(0)).optional().map_err(failed)?;
    let shape = Arc::new(Shape::parse(columns.as_deref().unwrap_or_default())?);
    shapes.insert(number, Arc::clone(&shape));
    Ok(shape)
}
