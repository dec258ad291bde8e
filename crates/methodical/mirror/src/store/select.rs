//! Reads the records that a filter accepts.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};

use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::fields::row::Value;
use crate::fields::shape::{Kind, Shape};
use crate::keep::filter::Filter;
use crate::store::data::Kept;
use crate::store::failure::failed;
use crate::store::rows::{self, Shapes};
use crate::store::table::{append, quoted, sql};
use crate::time::utc;

/// Which records to read.
pub(crate) struct Page<'a> {
    pub(crate) table: &'a str,
    /// The columns of the table.
    pub(crate) shape: &'a Shape,
    pub(crate) filter: &'a Filter,
    pub(crate) after: i64,
    pub(crate) limit: usize,
}

/// Reads at most `limit` records.
pub(crate) fn records(
    connection: &Connection,
    shapes: &mut Shapes,
    page: &Page<'_>,
) -> Result<Vec<Kept>, Error> {
    let mut kept = Vec::new();
    let Some((select, values)) = statement(page)? else { return Ok(kept) };
    let mut statement = connection.prepare_cached(&select).map_err(failed)?;
    let searched = searched(&statement, page.shape)?;
    let mut search = page.filter.search();
    let values = values.iter().map(|value| ToSqlOutput::Borrowed(sql(Some(value))));
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    while kept.len() < page.limit {
        let Some(row) = rows.next().map_err(failed)? else { break };
        let has_text = match &mut search {
            Some(search) => has_text(row, &searched, |text| search.is_within(text))?,
            None => true,
        };
        if has_text {
            kept.push(rows::kept(connection, shapes, row)?);
        }
    }
    Ok(kept)
}

/// Returns a statement and its parameters; `None` if no record can be accepted.
fn statement(page: &Page<'_>) -> Result<Option<(String, Vec<Value<'static>>)>, Error> {
    let Page { filter, table, .. } = page;
    let accepted = [State::Present, State::Missing, State::Gone, State::Forgotten];
    let accepted = accepted.iter().filter(|state| filter.accepts_state(**state));
    let states: Vec<String> = accepted.map(|state| format!("'{}'", state.as_str())).collect();
    let mut select = format!(
        "SELECT * FROM {} WHERE mirror_key > ?1 AND mirror_state IN ({})",
        quoted(table),
        states.join(", ")
    );
    let mut values = vec![Value::Integer(page.after)];
    if let Some(since) = filter.since() {
        select.push_str(" AND mirror_first_seen >= ?2");
        values.push(Value::Text(utc(since).into()));
    }
    for (column, value) in filter.values(table, page.shape)? {
        let Some(value) = value else { return Ok(None) };
        values.push(value);
        append(&mut select, format_args!(" AND {} = ?{}", quoted(&column.name), values.len()));
    }
    select.push_str(" ORDER BY mirror_key");
    Ok(Some((select, values)))
}

/// Returns the indexes of the identity and the columns of text.
pub(crate) fn searched(
    statement: &rusqlite::Statement<'_>,
    shape: &Shape,
) -> Result<Vec<usize>, Error> {
    let identity = shape.identity()?;
    let columns = shape.columns.iter().filter(|column| column.kind == Kind::Text);
    let columns = columns.chain((identity.kind != Kind::Text).then_some(identity));
    columns.map(|column| statement.column_index(&column.name).map_err(failed)).collect()
}

pub(crate) fn has_text(
    row: &Row<'_>,
    columns: &[usize],
    mut is_within: impl FnMut(&str) -> bool,
) -> Result<bool, Error> {
    for &column in columns {
        let found = match row.get_ref(column).map_err(failed)? {
            ValueRef::Text(text) => is_within(std::str::from_utf8(text).map_err(damaged)?),
            ValueRef::Integer(number) => is_within(&number.to_string()),
            _ => false,
        };
        if found {
            return Ok(true);
        }
    }
    Ok(false)
}

fn damaged(error: std::str::Utf8Error) -> Error {
    Error::new(ErrorKind::Store, "cannot read a row: a column of the mirror is damaged")
        .because(error)
}
