//! Pages and counts by reading every row: for the store in memory, and the reference for the others.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::{Order, Paging};
use crate::engine::known::State;
use crate::error::{Error, ErrorKind};
use crate::feed::change::Change;
use crate::fields::row::Value;
use crate::fields::shape::Kind;
use crate::keep::filter::Filter;
use crate::store::kept::{Kept, Turned};
use crate::store::{PAGE, Store};

/// Returns a page of the records that a filter accepts.
pub(crate) fn page(
    store: &mut dyn Store,
    table: &str,
    filter: &Filter,
    paging: &Paging,
) -> Result<Turned, Error> {
    let mut all = store.records(table, filter, 0, usize::MAX)?;
    let has_text = |kept: &Kept, name: &str| {
        kept.shape.columns.iter().any(|column| column.kind == Kind::Text && column.name == name)
    };
    for name in [paging.order.text(), paging.without.as_deref()].into_iter().flatten() {
        if all.iter().any(|kept| !has_text(kept, name)) {
            return Err(unordered(table, name));
        }
    }
    if let Some(name) = &paging.without {
        all.retain(|kept| text(kept, name).is_none());
    }
    let compare = |one: &Kept, other: &Kept| {
        let order = match &paging.order {
            Order::FirstSeen => Ordering::Equal,
            Order::Changed => one.times.changed_at.cmp(&other.times.changed_at),
            Order::Text(name) => sorted(one, name).cmp(&sorted(other, name)),
        };
        let order = order.then(one.known.key.cmp(&other.known.key));
        if paging.is_descending { order.reverse() } else { order }
    };
    all.sort_by(compare);
    if let Some(after) = paging.after {
        let last = store.records(table, &Filter::new(), after.saturating_sub(1), 1)?;
        let last = last.first().filter(|last| last.known.key == after);
        let last = last.ok_or_else(|| removed(after))?;
        all.retain(|one| compare(one, last).is_gt());
    }
    let next = all.len() > paging.limit;
    all.truncate(paging.limit);
    let next = all.last().map(|last| last.known.key).filter(|_| next);
    Ok(Turned { kept: all, next })
}

/// Creates the error of a page after a row that is no longer there.
pub(crate) fn removed(number: i64) -> Error {
    let text =
        format!("cannot continue after row {number}: it was removed; begin with the first page");
    Error::new(ErrorKind::Cursor, text)
}

/// Creates the error of a paging by a column that the table does not have, or that has no text.
pub(crate) fn unordered(table: &str, column: &str) -> Error {
    let text = format!("cannot read a page of `{table}`: it has no column of text `{column}`");
    Error::new(ErrorKind::Table, text)
}

/// Returns the text by which a record is sorted.
fn sorted(kept: &Kept, name: &str) -> String {
    text(kept, name).unwrap_or_default().to_ascii_lowercase()
}

/// Returns the text of a column.
fn text(kept: &Kept, name: &str) -> Option<String> {
    let mut columns = kept.shape.columns.iter().zip(&kept.row.cells);
    match columns.find(|(column, _)| column.name == name)?.1.as_ref()? {
        Value::Text(text) => Some(text.clone().into_owned()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(_) | Value::Boolean(_) => None,
    }
}

/// Counts the members of each group by their value.
pub(crate) fn cells(store: &mut dyn Store, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
    let mut times: BTreeMap<(String, Option<String>), Vec<i64>> = BTreeMap::new();
    let present = Filter::new().state(State::Present);
    let mut after = 0;
    loop {
        let page = store.records(of.table, &present, after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.known.key;
        for kept in &page {
            let key = (text(kept, of.group).unwrap_or_default(), text(kept, of.value));
            times.entry(key).or_default().push(kept.times.changed_at);
        }
    }
    let cell = |((group, value), mut times): ((String, Option<String>), Vec<i64>)| {
        times.sort_unstable();
        let at = |index: usize| times.get(index).copied().unwrap_or_default();
        let count = u64::try_from(times.len()).unwrap_or(u64::MAX);
        Cell { group, value, count, since: at(0), median: at(times.len() / 2) }
    };
    Ok(times.into_iter().map(cell).collect())
}

/// Returns changes, the latest one first.
pub(crate) fn latest_changes(
    store: &mut dyn Store,
    of: Option<(&str, &str)>,
    before: i64,
    limit: usize,
) -> Result<Vec<Change>, Error> {
    let after = store.feed()?.pruned;
    let mut changes = store.changes(after, usize::MAX)?;
    changes.retain(|change| {
        change.number < before
            && of.is_none_or(|(table, id)| change.table == table && change.id == id)
    });
    changes.reverse();
    changes.truncate(limit);
    Ok(changes)
}
