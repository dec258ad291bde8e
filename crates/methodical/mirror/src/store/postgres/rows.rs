//! Reads rows of the tables.

use ::postgres::Row as SqlRow;
use ::postgres::types::{FromSql, Type};

use crate::engine::known::{Known, State};
use crate::error::{Error, ErrorKind};
use crate::fields::row::{Row, Value};
use crate::fields::shape::Kind;
use crate::fields::text_hash::split;
use crate::store::kept::{Kept, Live, Times};
use crate::store::postgres::failure::failed;
use crate::store::postgres::link::Session;
use crate::store::postgres::table::Table;

/// Reads a column.
pub(crate) fn get<'r, T: FromSql<'r>>(row: &'r SqlRow, column: usize) -> Result<T, Error> {
    row.try_get(column).map_err(failed)
}

/// Reads the first columns of the statements for records.
pub(crate) fn known(row: &SqlRow) -> Result<Known, Error> {
    let (hash, text) = get::<Option<&[u8]>>(row, 1)?.map_or((None, None), split);
    let misses: i32 = get(row, 3)?;
    Ok(Known {
        key: get(row, 0)?,
        hash,
        text,
        state: State::of(get(row, 2)?).unwrap_or(State::Present),
        misses: u32::try_from(misses).unwrap_or_default(),
        shape: get(row, 4)?,
    })
}

/// Reads the identity of a record from the statements for what is known.
pub(crate) fn id(row: &SqlRow) -> Result<&str, Error> {
    get(row, 5)
}

/// Reads the columns of the statements for what is known.
pub(crate) fn known_with_id(row: &SqlRow) -> Result<(String, Known), Error> {
    Ok((id(row)?.to_owned(), known(row)?))
}

/// Reads the rows of a statement that selects all columns.
pub(crate) fn kept(table: &Table, rows: &[SqlRow]) -> Result<Vec<Kept>, Error> {
    rows.iter().map(|row| one(table, row)).collect()
}

/// Returns the present and missing records after a row.
pub(crate) fn live_after(
    session: &mut Session,
    table: &Table,
    key: i64,
) -> Result<Vec<Live>, Error> {
    let live = |row: &SqlRow| {
        let misses: i32 = get(row, 1)?;
        let misses = u32::try_from(misses).unwrap_or_default();
        Ok(Live { key: get(row, 0)?, misses, id: get(row, 2)? })
    };
    session.query(&table.live_after, &[(&key, Type::INT8)])?.iter().map(live).collect()
}

/// Reads a row of a statement that selects all columns.
pub(crate) fn one(table: &Table, row: &SqlRow) -> Result<Kept, Error> {
    let known = known(row)?;
    let shape = table.shapes.get(&known.shape).ok_or_else(|| {
        Error::new(
            ErrorKind::Store,
            "cannot read a row: its columns are unknown; read the table again",
        )
    })?;
    let cells = shape.columns.iter().map(|column| {
        let index = table.columns.iter().position(|name| *name == column.name);
        index.map_or(Ok(None), |index| cell(row, FIRST_CELL + index, column.kind))
    });
    let cells: Vec<_> = cells.collect::<Result<_, Error>>()?;
    let id = match cells.get(shape.identity) {
        Some(Some(Value::Text(id))) => id.clone().into_owned(),
        Some(Some(Value::Integer(id))) => id.to_string(),
        _ => String::new(),
    };
    let times = Times {
        first_seen: get(row, 7)?,
        changed_at: get(row, 8)?,
        missing_since: get(row, 9)?,
        gone_at: get(row, 10)?,
    };
    let row = Row { cells, extra: get(row, 5)?, nulls: get(row, 6)? };
    Ok(Kept { known, id, times, row, shape: shape.clone() })
}

fn cell(row: &SqlRow, index: usize, kind: Kind) -> Result<Option<Value<'static>>, Error> {
    Ok(match kind {
        Kind::Text | Kind::Json => {
            get::<Option<String>>(row, index)?.map(|text| Value::Text(text.into()))
        }
        Kind::Integer => get::<Option<_>>(row, index)?.map(Value::Integer),
        Kind::Real => get::<Option<_>>(row, index)?.map(Value::Real),
        Kind::Boolean => get::<Option<_>>(row, index)?.map(Value::Boolean),
    })
}

/// The index of the first column of a record.
const FIRST_CELL: usize = 11;
