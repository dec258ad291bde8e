//! `board`: how many members of each group have each value, or a value of each named group of values.

use std::iter;

use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries;
use serde_json::Value;

use crate::failure::Failure;
use crate::mirror::open::Asked;
use crate::output::printer::Schema;

/// Prints the board. Its cells are added up by the groups of values in the settings.
pub(crate) fn run(asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, invocation, .. } = asked;
    let (output, order) = (&invocation.output, asked.order()?);
    let board = queries::board(mirror, of.table.name(), &order.with(of.known_values), false)?;
    let is_table = output.is_table(invocation.screen)?;
    let mut values: Vec<&str> = Vec::new();
    // The place of each cell in the counts of a group: after the values, the members whose value is unknown.
    let mut places = Vec::new();
    for value in &board.values {
        let name = value.as_deref().map(|value| order.group_of(value).unwrap_or(value));
        if let Some(name) = name.filter(|name| !values.contains(name)) {
            values.push(name);
        }
        places.push(name.and_then(|name| values.iter().position(|known| *known == name)));
    }
    let mut sums = vec![0; values.len() + 1];
    let rows = board.groups.into_iter().map(|group| {
        let mut counts = vec![0; values.len() + 1];
        for (cell, place) in group.cells.iter().zip(&places) {
            for counts in [&mut counts, &mut sums] {
                if let Some(count) = counts.get_mut(place.unwrap_or(values.len())) {
                    *count += cell.count;
                }
            }
        }
        (group.id, group.title, counts)
    });
    let mut rows: Vec<(String, Option<String>, Vec<u64>)> = rows.collect();
    let has_unknown = sums.last().is_some_and(|unknown| *unknown > 0);
    let shows_unknown = !is_table || output.fields.is_some() || has_unknown;
    if is_table && output.choice().is_none() && !rows.is_empty() {
        rows.push((String::new(), Some("all".to_owned()), sums));
    }
    let (id, title) = (of.groups.identity(), title(of.groups));
    let own: Vec<&str> = [id, UNKNOWN, TOTAL].into_iter().chain(title).collect();
    let values = distinct(&values, of.value, &own);
    let counts = values.iter().map(String::as_str).chain(shows_unknown.then_some(UNKNOWN));
    let counts: Vec<&str> = counts.chain([TOTAL]).collect();
    let types: Vec<_> = counts.iter().map(|name| (*name, FieldType::Integer)).collect();
    let names: Vec<&str> = iter::once(id).chain(title).chain(counts.iter().copied()).collect();
    let rows = rows.into_iter().map(|(id, text, row)| {
        let total: u64 = row.iter().sum();
        let numbers = row.into_iter().take(counts.len() - 1).chain([total]).map(Value::from);
        iter::once(Value::from(id)).chain(title.map(|_| Value::from(text))).chain(numbers)
    });
    Schema { types: &types, is_open: true, ..Schema::of_program(&names, false) }
        .print(invocation, rows)?;
    asked.note_age()
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
