//! Pages and counts of groups, over indexes.

mod indexes;
#[cfg(test)]
mod plans;

use std::time::Instant;

use ::postgres::Row;
use ::postgres::types::Type;

pub(crate) use self::indexes::{create, missing, wanted};
use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::{Order, Paging};
use crate::browse::paging::{removed, unordered};
use crate::engine::known::State;
use crate::error::Error;
use crate::fields::shape::{Kind, Shape};
use crate::keep::filter::Filter;
use crate::store::PAGE;
use crate::store::kept::Turned;
use crate::store::postgres::accept::accepts;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::{self, get};
use crate::store::postgres::table::{Table, append, quoted, seconds, type_of};
use crate::store::postgres::updates::text;

/// Reads a page of the records of the table `name` that a filter accepts.
pub(crate) fn page(
    session: &mut Session,
    schema: &str,
    of: (&str, &Table),
    filter: &Filter,
    paging: &Paging,
) -> Result<Turned, Error> {
    session.begin_in_order()?;
    let page = page_in(session, schema, of, filter, paging);
    session.roll_back();
    page
}

/// Reads a page in a transaction.
fn page_in(
    session: &mut Session,
    schema: &str,
    (name, table): (&str, &Table),
    filter: &Filter,
    paging: &Paging,
) -> Result<Turned, Error> {
    let mut turned = Turned::default();
    if let Some(after) = paging.after {
        let select = format!("SELECT 1 FROM {schema}.{} WHERE mirror_key = $1", quoted(name));
        if session.query(&select, &[(&after, Type::INT8)])?.is_empty() {
            return Err(removed(after));
        }
    }
    let (mut last, mut reads, started) = (None, 0, Instant::now());
    loop {
        let rest = paging.limit.saturating_sub(turned.kept.len()).saturating_add(1);
        // The database folds case in another way, so a search reads rows until it has found enough.
        let batch = if filter.search().is_some() { PAGE } else { rest };
        let after = last.or(paging.after);
        let select = statement((schema, name), table, filter, paging, (batch, after))?;
        let Some(select) = select else { break };
        let found = session.query(&select.sql, &select.parameters())?;
        for row in &found {
            if paging.ends_after(reads, started) {
                turned.next = last;
                return Ok(turned);
            }
            reads += 1;
            let one = rows::one(table, row)?;
            last = Some(one.known.key);
            if !accepts(filter, &one) {
                continue;
            }
            if turned.kept.len() >= paging.limit {
                turned.next = turned.kept.last().map(|kept| kept.known.key);
                return Ok(turned);
            }
            turned.kept.push(one);
        }
        if found.len() < batch {
            break;
        }
    }
    Ok(turned)
}

/// A statement and the values of its parameters.
struct Select {
    sql: String,
    since: Option<i64>,
    values: Vec<String>,
    limit: i64,
    after: i64,
}

impl Select {
    fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters: Vec<Parameter<'_>> =
            vec![(&self.limit, Type::INT8), (&self.after, Type::INT8), (&self.since, Type::INT8)];
        for value in &self.values {
            parameters.push((value, Type::TEXT));
        }
        parameters
    }
}

/// Returns the statement of a page after a row; `None` if no record can be accepted.
fn statement(
    (schema, name): (&str, &str),
    table: &Table,
    filter: &Filter,
    paging: &Paging,
    (limit, after): (usize, Option<i64>),
) -> Result<Option<Select>, Error> {
    let order = expression(name, &table.shape, &paging.order)?;
    let from = format!("{schema}.{}", quoted(name));
    let mut conditions = String::new();
    let than = if paging.is_descending { '<' } else { '>' };
    match (after, &paging.order) {
        (None, _) => {}
        (Some(_), Order::FirstSeen) => {
            append(&mut conditions, format_args!(" AND mirror_key {than} $2"));
        }
        (Some(_), _) => append(
            &mut conditions,
            format_args!(
                " AND ({order}, mirror_key) {than} ((SELECT {order} FROM {from} WHERE mirror_key = $2), $2)"
            ),
        ),
    }
    if filter.since().is_some() {
        conditions.push_str(" AND mirror_first_seen >= to_timestamp($3)");
    }
    let direction = if paging.is_descending { "DESC" } else { "ASC" };
    let mut by = format!("{order} {direction}, mirror_key {direction}");
    if let Some(name_of) = &paging.without {
        let column = table.shape.columns.iter().find(|column| column.name == *name_of);
        let column = quoted(&column.ok_or_else(|| unordered(name, name_of))?.name);
        append(&mut conditions, format_args!(" AND {column} IS NULL AND {}", is_short(&column)));
        // The planner does not know that an absent value leaves nothing to sort by it.
        by = format!("{column} {direction}, {by}");
    }
    let mut values = Vec::new();
    let columns = filter.values(name, &table.shape)?;
    // The index of values begins with a group. A single column has an index of its own.
    let is_of_value = paging.without.is_some() || columns.len() > 1;
    for (column, value) in columns {
        // A column has no U+0000.
        let Some(value) = value.map(|value| text(&value)).filter(|value| !value.contains('\0'))
        else {
            return Ok(None);
        };
        let (kind, column) = (column.kind, quoted(&column.name));
        if is_of_value && kind == Kind::Text && value.len() <= INDEXED {
            append(&mut conditions, format_args!(" AND {}", is_short(&column)));
        }
        values.push(value);
        let number = values.len() + FIXED;
        append(&mut conditions, format_args!(" AND {column} = ${number}::text::{}", type_of(kind)));
    }
    let state_column = if is_of_value { STATE_OF_VALUES } else { "mirror_state" };
    // One statement for each state reads the rows of an index in their order, and stops at the limit.
    let states = [State::Present, State::Missing, State::Gone, State::Forgotten];
    let states = states.into_iter().filter(|state| filter.accepts_state(*state));
    let mut selects: Vec<String> = states
        .map(|state| {
            format!(
                "SELECT mirror_key, {order} FROM {from} WHERE {state_column} = '{}'{conditions} \
                 ORDER BY {by} LIMIT $1",
                state.as_str()
            )
        })
        .collect();
    let keys = match selects.len() {
        0 => return Ok(None),
        1 => selects.remove(0),
        _ => format!(
            "({}) ORDER BY 2 {direction}, 1 {direction} LIMIT $1",
            selects.join(") UNION ALL (")
        ),
    };
    let sql = format!(
        "{} JOIN ({keys}) AS mirror_page (mirror_page_key, mirror_page_order) ON mirror_key = mirror_page_key \
         ORDER BY mirror_page_order {direction}, mirror_page_key {direction}",
        table.select
    );
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let since = filter.since().map(clamped);
    Ok(Some(Select { sql, since, values, limit, after: after.unwrap_or_default() }))
}

/// Returns the expression by which rows are ordered. It is never `NULL`, which no comparison accepts.
fn expression(table: &str, shape: &Shape, order: &Order) -> Result<String, Error> {
    Ok(match order {
        Order::FirstSeen => "mirror_key".to_owned(),
        Order::Changed => "mirror_changed_at".to_owned(),
        Order::Text(name) => {
            let mut texts = shape.columns.iter().filter(|column| column.kind == Kind::Text);
            let column = texts.find(|column| column.name == *name);
            let column = quoted(&column.ok_or_else(|| unordered(table, name))?.name);
            // An entry of an index has at most 2,704 bytes. In this collation, only ASCII has another case.
            format!("lower(left(coalesce({column}, ''), {ORDERED}) COLLATE \"C\")")
        }
    })
}

/// Returns the condition that a text is in the index of values: a longer one could not be written.
fn is_short(column: &str) -> String {
    format!("coalesce(octet_length({column}), 0) <= {INDEXED}")
}

/// Counts the members of each group by their value.
pub(crate) fn cells(
    session: &mut Session,
    schema: &str,
    of: &Placements<'_>,
) -> Result<Vec<Cell>, Error> {
    let [table, group, value] = [of.table, of.group, of.value].map(quoted);
    // Few times differ, because all rows of a sync have the same one.
    let select = format!(
        "WITH counted AS (SELECT {group}, {value}, mirror_changed_at, count(*) \
         FROM {schema}.{table} WHERE mirror_state = 'present' GROUP BY {group}, {value}, mirror_changed_at), \
         summed AS (SELECT *, sum(count) OVER (PARTITION BY grouped, value ORDER BY at) AS until, \
         sum(count) OVER (PARTITION BY grouped, value) AS total FROM counted AS c (grouped, value, at, count)) \
         SELECT grouped::text, value::text, max(total)::bigint, {}, {} FROM summed GROUP BY grouped, value",
        seconds("min(at)"),
        seconds("(min(at) FILTER (WHERE until * 2 > total))")
    );
    let cell = |row: &Row| {
        let (group, count): (Option<String>, i64) = (get(row, 0)?, get(row, 2)?);
        Ok(Cell {
            group: group.unwrap_or_default(),
            value: get(row, 1)?,
            count: u64::try_from(count).unwrap_or_default(),
            since: get(row, 3)?,
            median: get(row, 4)?,
        })
    };
    session.query(&select, &[])?.iter().map(cell).collect()
}

/// The state in the index of values. In another collation, the planner does not take another index for as good as this one.
const STATE_OF_VALUES: &str = "mirror_state COLLATE \"C\"";

/// The number of the parameters before those of columns.
const FIXED: usize = 3;

/// Maximum length of the part of a text that decides about its order, in characters.
const ORDERED: usize = 200;

/// Maximum length of a value in an index, in bytes.
const INDEXED: usize = 200;
