//! Pages and counts of groups, over indexes.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::{Order, Paging};
use crate::browse::scan::{removed, unordered};
use crate::engine::known::State;
use crate::error::Error;
use crate::fields::row::Value;
use crate::fields::shape::{Kind, Shape};
use crate::keep::filter::Filter;
use crate::store::sqlite::failure::failed;
use crate::store::sqlite::rows::{self, Shapes};
use crate::store::sqlite::select::{has_text, searched};
use crate::store::sqlite::table::{Table, append, quoted};
use crate::store::{Index, Turned};
use crate::time::utc;

/// Reads a page of the records that a filter accepts.
pub(crate) fn page(
    connection: &Connection,
    shapes: &mut Shapes,
    (table, shape): (&str, &Shape),
    filter: &Filter,
    paging: &Paging,
) -> Result<Turned, Error> {
    let mut turned = Turned::default();
    let order = expression(table, shape, &paging.order)?;
    let mut values: Vec<SqlValue> = Vec::new();
    let mut conditions = String::new();
    if let Some(after) = paging.after {
        values.extend([position(connection, table, &order, after)?, after.into()]);
        let than = if paging.is_descending { '<' } else { '>' };
        // The first condition bounds the part of the index that is read; SQLite compares the pair only row by row.
        let condition =
            format_args!(" AND {order} {than}= ?1 AND ({order}, mirror_key) {than} (?1, ?2)");
        append(&mut conditions, condition);
    }
    if let Some(since) = filter.since() {
        values.push(utc(since).into());
        append(&mut conditions, format_args!(" AND mirror_first_seen >= ?{}", values.len()));
    }
    if let Some(name) = &paging.without {
        let column = shape.columns.iter().find(|column| column.name == *name);
        let column = column.ok_or_else(|| unordered(table, name))?;
        append(&mut conditions, format_args!(" AND {} IS NULL", quoted(&column.name)));
    }
    for (column, value) in filter.values(table, shape)? {
        let Some(value) = value else { return Ok(turned) };
        values.push(owned(value));
        append(&mut conditions, format_args!(" AND {} = ?{}", quoted(&column.name), values.len()));
    }
    // One statement for each state reads the rows of an index in their order; the union merges them.
    let states = [State::Present, State::Missing, State::Gone, State::Forgotten];
    let states = states.into_iter().filter(|state| filter.accepts_state(*state));
    let selects: Vec<String> = states
        .map(|state| {
            format!(
                "SELECT *, {order} AS mirror_order FROM {} WHERE mirror_state = '{}'{conditions}",
                quoted(table),
                state.as_str()
            )
        })
        .collect();
    let direction = if paging.is_descending { "DESC" } else { "ASC" };
    let select = format!(
        "{} ORDER BY mirror_order {direction}, mirror_key {direction}",
        selects.join(" UNION ALL ")
    );
    let mut statement = connection.prepare_cached(&select).map_err(failed)?;
    let searched = searched(&statement, shape)?;
    let mut search = filter.search();
    let mut rows = statement.query(params_from_iter(values)).map_err(failed)?;
    let (mut last, mut reads) = (None, 0);
    while let Some(row) = rows.next().map_err(failed)? {
        if reads >= paging.reads {
            turned.next = last;
            break;
        }
        reads += 1;
        last = row.get("mirror_key").map_err(failed)?;
        let accepted = match &mut search {
            Some(search) => has_text(row, &searched, |text| search.is_within(text))?,
            None => true,
        };
        if accepted && turned.kept.len() >= paging.limit {
            turned.next = turned.kept.last().map(|kept| kept.known.key);
            break;
        }
        if accepted {
            turned.kept.push(rows::kept(connection, shapes, row)?);
        }
    }
    Ok(turned)
}

/// Returns the expression by which rows are ordered. It is never `NULL`, which no comparison accepts.
fn expression(table: &str, shape: &Shape, order: &Order) -> Result<String, Error> {
    Ok(match order {
        Order::FirstSeen => "mirror_key".to_owned(),
        Order::Changed => "mirror_changed_at".to_owned(),
        Order::Text(name) => {
            let mut texts = shape.columns.iter().filter(|column| column.kind == Kind::Text);
            let column = texts.find(|column| column.name == *name);
            let column = column.ok_or_else(|| unordered(table, name))?;
            format!("lower(coalesce({}, ''))", quoted(&column.name))
        }
    })
}

/// Returns the value of an expression in a row.
fn position(
    connection: &Connection,
    table: &str,
    order: &str,
    number: i64,
) -> Result<SqlValue, Error> {
    let select = format!("SELECT {order} FROM {} WHERE mirror_key = ?1", quoted(table));
    let mut statement = connection.prepare_cached(&select).map_err(failed)?;
    let value = statement.query_row((number,), |row| row.get(0)).optional().map_err(failed)?;
    value.ok_or_else(|| removed(number))
}

fn owned(value: Value<'_>) -> SqlValue {
    match value {
        Value::Text(text) => text.into_owned().into(),
        Value::Integer(value) => value.into(),
        Value::Real(value) => value.into(),
        Value::Boolean(value) => value.into(),
    }
}

/// Counts the members of each group by their value.
pub(crate) fn cells(connection: &Connection, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
    let [table, group, value] = [of.table, of.group, of.value].map(quoted);
    let select = format!(
        "SELECT {group}, {value}, count(*), unixepoch(min(mirror_changed_at)) FROM {table} \
         WHERE mirror_state = 'present' GROUP BY {group}, {value}"
    );
    let median = format!(
        "SELECT unixepoch(mirror_changed_at) FROM {table} WHERE mirror_state = 'present' AND {group} IS ?1 \
         AND {value} IS ?2 ORDER BY mirror_changed_at LIMIT 1 OFFSET ?3"
    );
    let mut medians = connection.prepare_cached(&median).map_err(failed)?;
    let mut statement = connection.prepare_cached(&select).map_err(failed)?;
    let mut rows = statement.query(()).map_err(failed)?;
    let mut cells = Vec::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let mut cell = || -> rusqlite::Result<Cell> {
            let count: i64 = row.get(2)?;
            let key = (row.get::<_, SqlValue>(0)?, row.get::<_, SqlValue>(1)?, count / 2);
            Ok(Cell {
                group: rows::id(row.get_ref(0)?),
                value: row.get(1)?,
                count: u64::try_from(count).unwrap_or_default(),
                since: row.get(3)?,
                median: medians.query_row(key, |row| row.get(0))?,
            })
        };
        cells.push(cell().map_err(failed)?);
    }
    Ok(cells)
}

/// Returns the statements that create the indexes which do not exist. `tables` has those of the pages.
pub(crate) fn indexes(
    connection: &Connection,
    indexes: &[Index<'_>],
    tables: &HashMap<String, Arc<Table>>,
) -> Result<String, Error> {
    let mut all = Vec::new();
    for index in indexes {
        match index {
            Index::Page(table, Order::FirstSeen) => {
                all.push((*table, "state", "mirror_state".to_owned()));
            }
            Index::Page(table, order) => {
                let name = if let Order::Text(name) = order { name } else { "changed_at" };
                let Some(described) = tables.get(*table) else { continue };
                let order = expression(table, &described.shape, order)?;
                all.push((*table, name, format!("mirror_state, {order}")));
            }
            Index::Placements(of) => {
                let [group, member, value] = [of.group, of.member, of.value].map(quoted);
                let by = |columns: &str| format!("mirror_state, {columns}, mirror_changed_at");
                all.push((of.table, "value", by(&format!("{group}, {value}"))));
                all.push((of.table, "group", by(&group)));
                all.push((of.table, "member", by(&member)));
            }
            Index::Changes => {
                all.push(("mirror_change", "record", "table_name, record_id".to_owned()));
            }
        }
    }
    let select = "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1";
    let mut exists = connection.prepare_cached(select).map_err(failed)?;
    let mut sql = String::new();
    for (table, name, columns) in all {
        let index = format!("mirror_index_{table}_by_{name}");
        if !exists.exists((&index,)).map_err(failed)? {
            let (index, table) = (quoted(&index), quoted(table));
            append(&mut sql, format_args!("CREATE INDEX {index} ON {table} ({columns});"));
        }
    }
    Ok(sql)
}
