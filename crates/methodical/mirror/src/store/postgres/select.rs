//! Reads the records that a filter accepts.

use ::postgres::types::Type;

use crate::engine::known::State;
use crate::error::Error;
use crate::keep::filter::Filter;
use crate::store::PAGE;
use crate::store::kept::Kept;
use crate::store::postgres::accept::accepts;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows;
use crate::store::postgres::table::{Table, append, is_in, quoted, type_of};
use crate::store::postgres::updates::text;

/// Reads at most `limit` records after a key.
pub(crate) fn records(
    session: &mut Session,
    name: &str,
    table: &Table,
    filter: &Filter,
    mut after: i64,
    limit: usize,
) -> Result<Vec<Kept>, Error> {
    let mut kept = Vec::new();
    let Some((select, values)) = statement(name, table, filter)? else { return Ok(kept) };
    let since = filter.since().map(clamped);
    while kept.len() < limit {
        // A search by text reads whole pages, because the database folds case in another way.
        let rows = if filter.search().is_some() { PAGE } else { PAGE.min(limit - kept.len()) };
        let page = i64::try_from(rows).unwrap_or(i64::MAX);
        let mut parameters: Vec<Parameter<'_>> =
            vec![(&after, Type::INT8), (&page, Type::INT8), (&since, Type::INT8)];
        for value in &values {
            parameters.push((value, Type::TEXT));
        }
        let found = session.query(&select, &parameters)?;
        for row in &found {
            let one = rows::one(table, row)?;
            after = one.known.key;
            if accepts(filter, &one) {
                kept.push(one);
            }
            if kept.len() == limit {
                break;
            }
        }
        if found.len() < rows {
            break;
        }
    }
    Ok(kept)
}

/// Returns a statement and the values of its columns; `None` if no record can be accepted.
fn statement(
    name: &str,
    table: &Table,
    filter: &Filter,
) -> Result<Option<(String, Vec<String>)>, Error> {
    let accepted = [State::Present, State::Missing, State::Gone, State::Forgotten];
    let accepted = accepted.iter().filter(|state| filter.accepts_state(**state));
    let states: Vec<String> = accepted.map(|state| format!("'{}'", state.as_str())).collect();
    if states.is_empty() {
        return Ok(None);
    }
    let mut select = format!(
        "{} WHERE mirror_key > $1 AND {} AND ($3 IS NULL OR mirror_first_seen >= to_timestamp($3))",
        table.select,
        is_in(&states)
    );
    let mut values = Vec::new();
    for (column, value) in filter.values(name, &table.shape)? {
        // A column has no U+0000.
        let Some(value) = value.map(|value| text(&value)).filter(|value| !value.contains('\0'))
        else {
            return Ok(None);
        };
        values.push(value);
        let (number, kind) = (values.len() + FIXED, type_of(column.kind));
        append(
            &mut select,
            format_args!(" AND {} = ${number}::text::{kind}", quoted(&column.name)),
        );
    }
    select.push_str(" ORDER BY mirror_key LIMIT $2");
    Ok(Some((select, values)))
}

/// The number of the parameters before those of columns.
const FIXED: usize = 3;
