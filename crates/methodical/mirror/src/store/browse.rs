//! Pages and counts of groups, over indexes.

#[cfg(test)]
mod plans;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::{Order, Paging, removed, unordered};
use crate::engine::known::State;
use crate::error::Error;
use crate::fields::row::Value;
use crate::fields::shape::{Kind, Shape};
use crate::keep::filter::Filter;
use crate::store::data::{Index, Turned};
use crate::store::failure::failed;
use crate::store::rows::{self, Shapes};
use crate::store::select::{has_text, searched};
use crate::store::table::{Table, append, quoted};
use crate::time::utc;

/// Reads a page of the records that a filter accepts.
pub(crate) fn page(
    connection: &Connection,
    shapes: &mut Shapes,
    of: (&str, &Shape),
    filter: &Filter,
    paging: &Paging,
) -> Result<Turned, Error> {
    let mut turned = Turned::default();
    let (table, shape) = of;
    let order = expression(table, shape, &paging.order)?;
    let after = paging.after.map(|after| position(connection, table, &order, after)).transpose()?;
    let Some((selects, values)) = statements(of, &order, after, filter, paging)? else {
        return Ok(turned);
    };
    let mut search = filter.search();
    let (mut last, mut reads, started) = (None, 0, Instant::now());
    for select in selects {
        let mut statement = connection.prepare_cached(&select).map_err(failed)?;
        let searched = searched(&statement, shape)?;
        let mut rows = statement.query(params_from_iter(&values)).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if paging.ends_after(reads, started) {
                turned.next = last;
                return Ok(turned);
            }
            reads += 1;
            last = row.get("mirror_key").map_err(failed)?;
            let accepted = match &mut search {
                Some(search) => has_text(row, &searched, |text| search.is_within(text))?,
                None => true,
            };
            if accepted && turned.kept.len() >= paging.limit {
                turned.next = turned.kept.last().map(|kept| kept.known.key);
                return Ok(turned);
            }
            if accepted {
                turned.kept.push(rows::kept(connection, shapes, row)?);
            }
        }
    }
    Ok(turned)
}

/// Statements that are read one after the other, and the parameters of each.
type Statements = (Vec<String>, Vec<SqlValue>);

/// Returns the statements of a page; `None` if no record can be accepted. `after` has the value of the order in the row after
/// which the page begins.
fn statements(
    (table, shape): (&str, &Shape),
    order: &str,
    after: Option<SqlValue>,
    filter: &Filter,
    paging: &Paging,
) -> Result<Option<Statements>, Error> {
    let mut values: Vec<SqlValue> = paging.after.map(SqlValue::from).into_iter().collect();
    let (than, direction) = if paging.is_descending { ('<', "DESC") } else { ('>', "ASC") };
    let by_key = format!("mirror_key {direction}");
    let in_order = format!("mirror_order {direction}, mirror_key {direction}");
    // The rows that are equal in the order, and then those beyond them: each statement begins where the index has its first row.
    // A comparison of pairs would read all the equal rows, which are a million after a first sync.
    let parts = match after {
        None => vec![(String::new(), in_order)],
        Some(_) if paging.order == Order::FirstSeen => {
            vec![(format!(" AND mirror_key {than} ?1"), by_key)]
        }
        Some(position) => {
            values.push(position);
            vec![
                (format!(" AND {order} = ?2 AND mirror_key {than} ?1"), by_key),
                (format!(" AND {order} {than} ?2"), in_order),
            ]
        }
    };
    let mut conditions = String::new();
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
        let Some(value) = value else { return Ok(None) };
        values.push(owned(value));
        append(&mut conditions, format_args!(" AND {} = ?{}", quoted(&column.name), values.len()));
    }
    let states = [State::Present, State::Missing, State::Gone, State::Forgotten];
    let states: Vec<State> =
        states.into_iter().filter(|state| filter.accepts_state(*state)).collect();
    if states.is_empty() {
        return Ok(None);
    }
    let name = quoted(table);
    // One part for each state reads the rows of an index in their order; the union merges them.
    let select = |(part, by): (String, String)| {
        let of = |state: &State| {
            format!(
                "SELECT *, {order} AS mirror_order FROM {name} WHERE mirror_state = '{}'{conditions}{part}",
                state.as_str()
            )
        };
        let selects: Vec<String> = states.iter().map(of).collect();
        format!("{} ORDER BY {by}", selects.join(" UNION ALL "))
    };
    Ok(Some((parts.into_iter().map(select).collect(), values)))
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
                all.push((*table, "state".to_owned(), "mirror_state".to_owned()));
            }
            Index::Page(table, order) => {
                let name = order.text().map(|name| format!("text_{name}"));
                let name = name.unwrap_or_else(|| "changed_at".to_owned());
                let Some(described) = tables.get(*table) else { continue };
                let order = expression(table, &described.shape, order)?;
                all.push((*table, name, format!("mirror_state, {order}")));
            }
            Index::Placements(of) => {
                let [group, member, value] = [of.group, of.member, of.value].map(quoted);
                let by = |columns: &str| format!("mirror_state, {columns}, mirror_changed_at");
                all.push((of.table, "value".to_owned(), by(&format!("{group}, {value}"))));
                all.push((of.table, "group".to_owned(), by(&group)));
                all.push((of.table, "member".to_owned(), by(&member)));
            }
            Index::Changes => {
                let columns = "table_name, record_id".to_owned();
                all.push(("mirror_change", "record".to_owned(), columns));
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
