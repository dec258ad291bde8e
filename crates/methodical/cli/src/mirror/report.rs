//! `report`: what happened in a week, a month or another period.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::{Datelike as _, Days, Local, NaiveDate};
use clap::Args;
use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::mirror::board::distinct;
use crate::mirror::open::Asked;
use crate::output::flags::{OutputFlags, day, midnight};
use crate::output::printer::Schema;
use crate::run::Invocation;

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
            let text = format!("cannot report: the period begins on {first} and ends on {last}");
            return Err(Failure::usage(text).hint("see --since and --until"));
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
    let days_of = |seconds| json!(days_of(seconds).parse::<f64>().ok());
    let [from, until] = days;
    // Adds the moves into each named group of values, in all groups of members or in one.
    let with_moves = |mut row: Value, id: Option<&String>| {
        for (name, column) in names.iter().zip(&columns) {
            let own = entered.iter().filter(|(group, _)| id.is_none_or(|id| id == *group));
            let moves = own.filter_map(|(_, counts)| counts.get(*name)).sum::<u64>();
            row.as_object_mut().map(|row| row.insert(column.clone(), json!(moves)));
        }
        row
    };
    let period = format!("{from} to {until}");
    let total = json!({"by": "total", "name": period, "new": report.new, "moved": report.moved});
    let total = with_moves(total, None);
    let groups = report.groups.iter().map(|group| {
        let row = json!({"by": of.groups.name(), "id": group.group, "name": group.title, "new": group.new, "moved": group.moved});
        with_moves(row, Some(&group.group))
    });
    let by = source.and_then(|one| one.path().first()).copied().unwrap_or_default();
    let sources = report.sources.iter();
    let sources = sources.map(|(name, new)| json!({"by": by, "name": name, "new": new}));
    let times = report.times.iter().map(|one| {
        let (average, median) = (days_of(one.average), days_of(one.median));
        json!({"by": of.value, "name": one.value, "times": one.times, "average_days": average, "median_days": median})
    });
    let [by, id, name, new, moved, times_field, averages @ ..] = OWN;
    let columns = columns.iter().map(String::as_str);
    let counts: Vec<&str> = [new, moved].into_iter().chain(columns).collect();
    let fields = [by, id, name].into_iter().chain(counts.iter().copied());
    let fields: Vec<&str> = fields.chain([times_field]).chain(averages).collect();
    let integers = counts.into_iter().chain([times_field]).map(|name| (name, FieldType::Integer));
    let types: Vec<_> = integers.chain(averages.map(|name| (name, FieldType::Real))).collect();
    let rows = [total].into_iter().chain(groups).chain(sources).chain(times);
    let values =
        |row: Value| fields.iter().map(move |name| row.get(name).cloned().unwrap_or_default());
    let schema = Schema { types: &types, is_open: true, ..Schema::of_program(&fields, false) };
    schema.print(invocation, rows.map(values))?;
    let tables = mirror.tables()?;
    let members = tables.iter().find(|one| one.table == of.members.name());
    if members.is_some_and(|one| one.present > 0 && one.present == report.new) {
        let text = "the first sync was in this period, so every record counts as new";
        invocation.screen.note(text);
    }
    if names.is_empty() {
        let set = "config set statuses 'Hired: Accepted; Closed: Rejected'";
        let demo = invocation.call.demo;
        let set = if demo { invocation.program.name.command(set) } else { invocation.command(set) };
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
