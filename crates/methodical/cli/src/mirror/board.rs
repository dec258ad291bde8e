//! `board`: how many members each group has with each value, or with those of a group of values.

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

/// Prints the counts of each group.
pub(crate) fn run(of: Recovered, invocation: &Invocation) -> Result<(), Failure> {
    let Some(mirror) = ask(of, invocation)? else { return Ok(()) };
    let order = ValueOrder::of(&Settings::of_known(invocation)?);
    let board = queries::board(&mirror, of.table.name(), &order.with(of.known_values), false)?;
    print(Counts::new(board, of, &order), invocation)?;
    note_age(&mirror, &[of.table.name(), of.groups.name()], invocation)
}

fn print(mut counts: Counts, invocation: &Invocation) -> Result<(), Failure> {
    let Invocation { output, screen, .. } = invocation;
    let is_table = output.is_table(*screen)?;
    counts.has_unknown = !is_table || output.fields.is_some() || counts.sum().unknown > 0;
    let title = counts.title.iter().copied();
    let names: Vec<&str> = iter::once(counts.id)
        .chain(title)
        .chain(counts.values.iter().map(String::as_str))
        .chain(counts.has_unknown.then_some(UNKNOWN))
        .chain([TOTAL])
        .collect();
    let text = 1 + usize::from(counts.title.is_some());
    let types: Vec<_> = names.iter().skip(text).map(|name| (*name, FieldType::Integer)).collect();
    let source = RecordSource::Response;
    let schema =
        Schema { types: &types, source, has_total: true, ..Schema::of_program(&names, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    let sum = Some(counts.sum())
        .filter(|_| is_table && output.choice().is_none() && !counts.groups.is_empty());
    for group in counts.groups.iter().chain(&sum) {
        let unknown = counts.has_unknown.then_some(&group.unknown);
        let numbers = group.counts.iter().chain(unknown).map(|count| Value::from(*count));
        let title = counts.title.map(|_| Value::from(group.title.clone()));
        let values = iter::once(Value::from(&*group.id)).chain(title).chain(numbers);
        let values = values.chain([Value::from(group.total())]);
        printer.print_members(names.iter().copied().zip(values))?;
    }
    printer.finish()
}

/// The column of the members whose value is unknown.
const UNKNOWN: &str = "unknown";

/// The column of all members.
const TOTAL: &str = "total";

/// The counts of all groups.
#[derive(Debug)]
struct Counts {
    /// The name of the field that identifies a group.
    id: &'static str,
    /// The name of the field with its title; `None` if no field has one.
    title: Option<&'static str>,
    /// The names of the columns of the values: those in the settings and in the contract, then the others.
    values: Vec<String>,
    /// Whether the column of unknown values is shown.
    has_unknown: bool,
    /// The groups, in the order of first sight.
    groups: Vec<Group>,
}

/// The counts of a group.
#[derive(Clone, Debug, Default)]
struct Group {
    id: String,
    title: Option<String>,
    /// For each value.
    counts: Vec<u64>,
    /// Members whose value is unknown.
    unknown: u64,
}

impl Group {
    /// Returns the number of members.
    fn total(&self) -> u64 {
        self.counts.iter().sum::<u64>() + self.unknown
    }
}

impl Counts {
    /// Adds up the cells of a board by the groups of values in the settings.
    fn new(board: Board, of: Recovered, order: &ValueOrder) -> Self {
        let mut values: Vec<&str> = Vec::new();
        let columns: Vec<Option<usize>> = board
            .values
            .iter()
            .map(|value| {
                let name = value.as_deref().map(|value| order.group_of(value).unwrap_or(value))?;
                let place = values.iter().position(|known| *known == name);
                Some(place.unwrap_or_else(|| {
                    values.push(name);
                    values.len() - 1
                }))
            })
            .collect();
        let groups = board.groups.into_iter().map(|group| {
            let mut counted = Group { counts: vec![0; values.len()], ..Group::default() };
            for (cell, column) in group.cells.iter().zip(&columns) {
                match column.and_then(|column| counted.counts.get_mut(column)) {
                    Some(count) => *count += cell.count,
                    None => counted.unknown += cell.count,
                }
            }
            Group { id: group.id, title: group.title, ..counted }
        });
        let (id, title) = (of.groups.identity(), title(of.groups));
        Self {
            id,
            title,
            has_unknown: true,
            groups: groups.collect(),
            values: distinct(&values, of.value, id, title),
        }
    }

    /// Returns the sums over all groups.
    fn sum(&self) -> Group {
        let sum = |index: usize| {
            self.groups.iter().filter_map(|group| group.counts.get(index)).sum::<u64>()
        };
        Group {
            id: String::new(),
            title: Some("all".to_owned()),
            counts: (0..self.values.len()).map(sum).collect(),
            unknown: self.groups.iter().map(|group| group.unknown).sum(),
        }
    }
}

/// Returns column names of the values, which differ even in capitals. One that is also the name of another column gets a prefix, such
/// as `status=total`.
fn distinct(values: &[&str], field: &str, id: &str, title: Option<&str>) -> Vec<String> {
    let own = [id, UNKNOWN, TOTAL].into_iter().chain(title);
    let mut taken: Vec<String> = own.map(str::to_lowercase).collect();
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

/// Returns the name of the first text of a group besides its identity that is not personal.
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
        let names = distinct(&values, "status", "id", Some("title"));
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
