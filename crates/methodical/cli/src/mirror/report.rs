//! `report`: what happened in a week, a month or another period.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::ops::Range;

use chrono::{Datelike as _, Days, Local, NaiveDate};
use clap::Args;
use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries::{self, PeriodReport};
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::mirror::Recovered;
use crate::mirror::board::title;
use crate::mirror::open::{ask, note_age};
use crate::output::destination::Destination;
use crate::output::flags::{OutputFlags, day, midnight};
use crate::output::format::Format;
use crate::output::printer::{Printer, Schema, counted};
use crate::run::Invocation;
use crate::screen::printable;
use crate::settings::{Settings, ValueOrder};

/// The flags of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportFlags {
    /// This week, from Monday; the default.
    #[arg(long)]
    week: bool,

    /// This month.
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

pub(crate) fn report(
    flags: &ReportFlags,
    of: Recovered,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let days = flags.days(invocation)?;
    // The records of the report have no dates.
    let output = OutputFlags { since: None, ..invocation.output.clone() };
    let invocation = &Invocation { output, ..invocation.clone() };
    let mirror = ask(of, invocation)?;
    let order = ValueOrder::of(&Settings::of_known(invocation)?);
    let table = of.table.name();
    let source = source_column(of.members);
    let report = queries::report(&mirror, table, period(days), source_name(of.members).as_deref())?;
    // How many placements came into each named group of values, by group of members.
    let mut entered: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    for one in queries::moves(&mirror, table, period(days))? {
        let name =
            |value: &Option<String>| value.as_deref().and_then(|value| order.group_of(value));
        let to = name(&one.to).filter(|to| !one.is_learned && name(&one.from) != Some(*to));
        if let Some(name) = to {
            *entered.entry(one.group).or_default().entry(name).or_default() += 1;
        }
    }
    let names: Vec<&str> = order.groups().collect();
    let rows = report.groups.iter().map(|group| {
        let mut row = vec![(of.groups.identity(), json!(group.group))];
        row.extend(title(of.groups).map(|name| (name, json!(group.title))));
        row.extend([("new", json!(group.new)), ("moved", json!(group.moved))]);
        let counts = entered.get(&group.group);
        let count = |name: &str| counts.and_then(|counts| counts.get(name)).copied().unwrap_or(0);
        row.extend(names.iter().map(|name| (*name, json!(count(name)))));
        row
    });
    let rows: Vec<Row<'_>> = rows.collect();
    let output = &invocation.output;
    let is_text = output.is_table(invocation.screen)?;
    let is_json = output.format()?.map_or(!is_text, |format| format == Format::JSON);
    if is_json && output.choice().is_none() {
        print_object(&report, &rows, days, of, invocation)?;
    } else {
        print_rows(&rows, &names, of, invocation)?;
        if is_text && output.choice().is_none() && output.file().is_none() {
            write_summary(&report, days, of, source, invocation)?;
        }
    }
    let tables = mirror.tables()?;
    let members = tables.iter().find(|one| one.table == of.members.name());
    if members.is_some_and(|one| one.present > 0 && one.present == report.new) {
        invocation.screen.note(
            "the first sync was in this period, so every record counts as new; begin after it with --since DATE",
        );
    }
    if names.is_empty() {
        let set = "config set statuses 'Hired: Accepted; Closed: Rejected'";
        let demo = invocation.call.demo;
        let set = if demo { invocation.program.name.command(set) } else { invocation.command(set) };
        invocation
            .screen
            .note(&format!("to count hires or closed placements, name their statuses: {set}"));
    }
    note_age(&mirror, &[table, of.groups.name()], invocation)
}

/// Returns the column with the source of a member, such as `portal.name`: the first text of a nested record that is not personal, and no
/// identity.
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

type Row<'a> = Vec<(&'a str, Value)>;

fn print_object(
    report: &PeriodReport,
    rows: &[Row<'_>],
    [from, until]: [NaiveDate; 2],
    of: Recovered,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let object = |row: &Row<'_>| {
        row.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<Map<_, _>>()
    };
    let times = report.times.iter().map(|one| {
        json!({of.value: one.value, "times": one.times, "average_days": one.average / 86_400, "median_days": one.median / 86_400})
    });
    let sources = report.sources.iter().map(|(name, new)| json!({"name": name, "new": new}));
    let fields = &["from", "until", "new", "moved", "groups", "sources", "times"];
    let mut printer = Printer::open(invocation, &Schema::of_program(fields, true))?;
    printer.print(&json!({
        "from": from.to_string(), "until": until.to_string(), "new": report.new, "moved": report.moved,
        "groups": rows.iter().map(object).collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(), "times": times.collect::<Vec<_>>(),
    }))?;
    printer.finish()
}

fn print_rows(
    rows: &[Row<'_>],
    names: &[&str],
    of: Recovered,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let texts = [Some(of.groups.identity()), title(of.groups)].into_iter().flatten();
    let counts: Vec<&str> = ["new", "moved"].into_iter().chain(names.iter().copied()).collect();
    let fields: Vec<&str> = texts.chain(counts.iter().copied()).collect();
    let types: Vec<_> = counts.iter().map(|name| (*name, FieldType::Integer)).collect();
    let schema = Schema { types: &types, ..Schema::of_program(&fields, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for row in rows {
        printer.print_members(row.iter().cloned())?;
    }
    printer.finish()
}

/// Writes the other figures below a table.
fn write_summary(
    report: &PeriodReport,
    [from, until]: [NaiveDate; 2],
    of: Recovered,
    source: Option<&Column>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut out = Destination::open(None, &invocation.program)?;
    let (new, moved) = (counted(report.new, of.members.name()), counted(report.moved, "move"));
    writeln!(out, "\nFrom {from} to {until}: {new} new, {moved}.")?;
    let sources = report
        .sources
        .iter()
        .map(|(name, new)| format!("{} {new}", name.as_deref().unwrap_or("unknown")));
    let sources: Vec<String> = sources.collect();
    if let Some(name) = source.and_then(|one| one.path().first())
        && !sources.is_empty()
    {
        writeln!(out, "New by {}: {}.", name.replace('_', " "), printable(&sources.join(", ")))?;
    }
    let days = |seconds: i64| format!("{}.{}", seconds / 86_400, seconds % 86_400 / 8640);
    for one in &report.times {
        let (value, times) = (printable(&one.value), counted(one.times, "time"));
        let (average, median) = (days(one.average), days(one.median));
        writeln!(out, "Left {value} {times}, after {average} days on average (median {median}).")?;
    }
    Ok(out.finish()?)
}
