//! Counts over a mirror. `board`: how many members each group has with each value, or with those of a group of values.
//! `report`: what happened in a week, a month or another period.

use std::collections::BTreeMap;
use std::iter;
use std::ops::Range;

use chrono::{Datelike as _, Days, Local, NaiveDate};
use clap::Args;
use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::mirror::open::Asked;
use crate::output::flags::{OutputFlags, day, midnight};
use crate::output::printer::{Printer, Schema, selected};
use crate::output::record::{Line, Path};
use crate::run::Invocation;

/// Prints the board. Its cells are added up by the groups of values in the settings.
pub(crate) fn board(asked: &Asked<'_>) -> Result<(), Failure> {
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
fn distinct(values: &[&str], field: &str, own: &[&str]) -> Vec<String> {
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

/// The flags of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportFlags {
    /// Report on this week, from Monday [default].
    #[arg(long)]
    week: bool,

    /// Report on this month.
    #[arg(long, conflicts_with = "week")]
    month: bool,

    /// The last day of the period [default: today]. --since sets the first one.
    #[arg(long, value_name = "DATE", value_parser = day, requires = "since")]
    until: Option<NaiveDate>,
}

impl ReportFlags {
    /// Returns the first and the last day of the period.
    fn days(&self, invocation: &Invocation) -> Result<[NaiveDate; 2], Failure> {
        let today = Local::now().date_naive();
        let since = invocation.output.since.as_ref();
        if since.is_some() && (self.week || self.month) {
            return Err(Failure::usage("cannot use --since with --week or --month"));
        }
        let first = match since {
            Some(since) => day(since.text()).map_err(Failure::usage)?,
            None if self.month => today.with_day(1).unwrap_or(today),
            None => today - Days::new(today.weekday().num_days_from_monday().into()),
        };
        let last = self.until.unwrap_or(today);
        if first > last {
            let text =
                format!("cannot report: the period begins on {first}, after its end on {last}");
            return Err(Failure::usage(text).hint("change --since or --until"));
        }
        Ok([first, last])
    }
}

/// Returns the period from the start of the first day to the end of the last one. A day may have 23 or 25 hours.
pub(crate) fn period([first, last]: [NaiveDate; 2]) -> Range<i64> {
    midnight(first)..last.checked_add_days(Days::new(1)).map_or(i64::MAX, midnight)
}

pub(crate) fn report(flags: &ReportFlags, asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, invocation, .. } = asked;
    let (days, order) = (flags.days(invocation)?, asked.order()?);
    // The records of the report have no dates.
    let output = OutputFlags { since: None, ..invocation.output.clone() };
    let invocation = &Invocation { output, ..invocation.clone() };
    let table = of.table.name();
    let source = source_column(of.members);
    let report = queries::report(mirror, table, period(days), source_name(of.members).as_deref())?;
    // How many placements moved into each named group of values, by group of members.
    let mut entered: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    for one in queries::moves(mirror, table, period(days))? {
        let name =
            |value: &Option<String>| value.as_deref().and_then(|value| order.group_of(value));
        let to = name(&one.to).filter(|to| !one.is_learned && name(&one.from) != Some(*to));
        if let Some(name) = to {
            *entered.entry(one.group).or_default().entry(name).or_default() += 1;
        }
    }
    let names: Vec<&str> = order.groups().collect();
    // A group that has the name of another field gets a prefix, as on the board.
    let columns = distinct(&names, of.value, &OWN);
    let days_of = |seconds: i64| format!("{}.{}", seconds / 86_400, seconds % 86_400 / 8640);
    let line = |by: &str| Line::new().add("by", json!(by));
    // Adds the counts, with the moves into each named group of values, in all groups of members or in one.
    let with_counts = |line: Line, group: Option<&str>, new: u64, moved: u64| {
        let line = line.add("new", new).add("moved", moved);
        names.iter().zip(&columns).fold(line, |line, (name, column)| {
            let own = entered.iter().filter(|(id, _)| group.is_none_or(|group| group == *id));
            line.add(column, own.filter_map(|(_, counts)| counts.get(*name)).sum::<u64>())
        })
    };
    let [first, last] = days;
    let total = line("total").add("name", json!(format!("{first} to {last}")));
    let total = with_counts(total, None, report.new, report.moved);
    let groups = report.groups.iter().map(|one| {
        let line = line(of.groups.name()).add("id", json!(one.group)).add("name", json!(one.title));
        with_counts(line, Some(&one.group), one.new, one.moved)
    });
    let by = source.and_then(|one| one.path().first()).copied().unwrap_or_default();
    let sources = report.sources.iter();
    let sources = sources.map(|(name, new)| line(by).add("name", json!(name)).add("new", new));
    let times = report.times.iter().map(|one| {
        let line = line(of.value).add("name", json!(one.value)).add("times", one.times);
        let line = line.add("average_days", days_of(one.average));
        line.add("median_days", days_of(one.median))
    });
    let [by, id, name, new, moved, times_field, averages @ ..] = OWN;
    let groups_of_values = columns.iter().map(String::as_str);
    let counts = [new, moved].into_iter().chain(groups_of_values);
    let counts: Vec<&str> = counts.chain([times_field]).collect();
    let fields = [&[by, id, name], &*counts, &averages].concat();
    let integers = counts.into_iter().map(|name| (name, FieldType::Integer));
    let types: Vec<_> = integers.chain(averages.map(|name| (name, FieldType::Real))).collect();
    let schema = Schema { types: &types, is_open: true, ..Schema::of_program(&fields, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    let lines = [total].into_iter().chain(groups).chain(sources).chain(times);
    // A line has all fields, so that each reader of JSON finds them.
    let paths: Vec<Path> = fields.iter().map(|name| Path::field(name)).collect();
    let paths: Vec<_> = paths.iter().map(Path::names).collect();
    lines.map(Line::end).try_for_each(|line| printer.print_line(&selected(&paths, &line)))?;
    printer.finish()?;
    let tables = mirror.tables()?;
    let members = tables.iter().find(|one| one.table == of.members.name());
    if members.is_some_and(|one| one.present > 0 && one.present == report.new) {
        let text = "the first sync was in this period, so every record counts as new";
        invocation.screen.note(text);
    }
    if names.is_empty() {
        let set = "config set statuses 'Hired: Accepted; Closed: Rejected'";
        let demo = invocation.service.demo;
        let set = if demo { invocation.program.command(set) } else { invocation.command(set) };
        invocation
            .screen
            .note(&format!("to count hires or closed placements, name their statuses: {set}"));
    }
    asked.note_age()
}

/// The fields of a record except the named groups of values.
const OWN: [&str; 8] = ["by", "id", "name", "new", "moved", "times", "average_days", "median_days"];

/// Returns the column with the source of a member, such as `portal.name`: the first text in a nested record that is
/// neither personal nor an identity.
fn source_column(members: &Table) -> Option<&Column> {
    let is_source = |one: &&Column| {
        one.kind() == ColumnKind::Text
            && !one.is_personal()
            && one.path().len() > 1
            && one.path().last() != Some(&"id")
    };
    members.columns().iter().find(is_source)
}

/// Returns the name of this column, such as `portal_name`.
pub(crate) fn source_name(members: &Table) -> Option<String> {
    source_column(members).map(|one| one.path().join("_"))
}

#[cfg(test)]
mod tests {
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
