//! `board`: how many members of each group have each value, or a value of each named group of values.

use std::iter;

use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries::{self, Board};
use serde_json::Value;

use crate::failure::Failure;
use crate::mirror::Recovered;
use crate::mirror::open::{ask, note_age};
use crate::output::printer::{Printer, RecordSource, Schema};
use crate::run::Invocation;
use crate::settings::{Settings, ValueOrder};

pub(crate) fn run(of: Recovered, invocation: &Invocation) -> Result<(), Failure> {
    let mirror = ask(of, invocation)?;
    let order = ValueOrder::of(&Settings::of_known(invocation)?);
    let board = queries::board(&mirror, of.table.name(), &order.with(of.known_values), false)?;
    print(board, of, &order, invocation)?;
    note_age(&mirror, &[of.table.name(), of.groups.name()], invocation)
}

/// Prints a board. Its cells are summed by the groups of values in the settings.
fn print(
    board: Board,
    of: Recovered,
    order: &ValueOrder,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Invocation { output, screen, .. } = invocation;
    let is_table = output.is_table(*screen)?;
    let mut values: Vec<&str> = Vec::new();
    // The place of each cell in the counts of a group.
    let places = board.values.iter().map(|value| {
        let name = value.as_deref().map(|value| order.group_of(value).unwrap_or(value))?;
        let place = values.iter().position(|known| *known == name).unwrap_or(values.len());
        if place == values.len() {
            values.push(name);
        }
        Some(place)
    });
    let places: Vec<Option<usize>> = places.collect();
    let known = values.len();
    // The counts of the values, and then of members whose value is unknown.
    let rows = board.groups.into_iter().map(|group| {
        let mut counts = vec![0; known + 1];
        for (cell, place) in group.cells.iter().zip(&places) {
            if let Some(count) = counts.get_mut(place.unwrap_or(known)) {
                *count += cell.count;
            }
        }
        (group.id, group.title, counts)
    });
    let mut rows: Vec<(String, Option<String>, Vec<u64>)> = rows.collect();
    let count = |row: &[u64], place: usize| row.get(place).copied().unwrap_or_default();
    let unknown: u64 = rows.iter().map(|(_, _, counts)| count(counts, known)).sum();
    if is_table && output.choice().is_none() && !rows.is_empty() {
        let sum = |place| rows.iter().map(|(_, _, counts)| count(counts, place)).sum();
        let sums = (0..=known).map(sum).collect();
        rows.push((String::new(), Some("all".to_owned()), sums));
    }
    let shows_unknown = !is_table || output.fields.is_some() || unknown > 0;
    let (id, title) = (of.groups.identity(), title(of.groups));
    let own: Vec<&str> = [id, UNKNOWN, TOTAL].into_iter().chain(title).collect();
    let values = distinct(&values, of.value, &own);
    let counts: Vec<&str> = values
        .iter()
        .map(String::as_str)
        .chain(shows_unknown.then_some(UNKNOWN))
        .chain([TOTAL])
        .collect();
    let types: Vec<_> = counts.iter().map(|name| (*name, FieldType::Integer)).collect();
    let names: Vec<&str> = iter::once(id).chain(title).chain(counts.iter().copied()).collect();
    let source = RecordSource::Named;
    let schema = Schema { types: &types, source, ..Schema::of_program(&names, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for (id, text, row) in rows {
        let total: u64 = row.iter().sum();
        let numbers = row.into_iter().take(counts.len() - 1).chain([total]).map(Value::from);
        let texts = iter::once(Value::from(id)).chain(title.map(|_| Value::from(text)));
        printer.print_members(names.iter().copied().zip(texts.chain(numbers)))?;
    }
    printer.finish()
}

const UNKNOWN: &str = "unknown";

const TOTAL: &str = "total";

/// Returns column names for the values, which are unique even in capitals. A name that another column already has gets
/// a prefix, such as `status=total`.
pub(crate) fn distinct(values: &[&str], field: &str, own: &[&str]) -> Vec<String> {
    let mut taken: Vec<String> = own.iter().map(|name| name.to_lowercase()).collect();
    let mut names: Vec<String> = Vec::with_capacity(values.len());
    for value in values {
        let mut name = (*value).to_owned();
        while name.is_empty()
            || taken.contains(&name.to_lowercase())
            || (name != *value && values.contains(&&*name))
        {
            name = format!("{field}={name}");
        }
        taken.push(name.to_lowercase());
        names.push(name);
    }
    names
}

/// Returns the name of the first text column of a group that is neither personal nor its identity.
pub(crate) fn title(groups: &'static Table) -> Option<&'static str> {
    let is_title = |column: &&Column| column.kind() == ColumnKind::Text && !column.is_personal();
    let texts = groups.columns().iter().filter(is_title);
    let mut names = texts.filter_map(|column| match column.path() {
        [name] if *name != groups.identity() => Some(*name),
        _ => None,
    });
    names.next()
}

#[cfg(test)]
mod count_tests {
    use super::distinct;

    #[test]
    fn a_value_with_the_name_of_another_column_is_renamed() {
        let values = ["New", "total", "ID", "unknown", "", "status=total", "new"];
        let names = distinct(&values, "status", &["id", "unknown", "total", "title"]);
        let expected = [
            "New",
            "status=status=total",
            "status=ID",
            "status=unknown",
            "status=",
            "status=total",
            "status=new",
        ];
        assert_eq!(names, expected);
    }
}
