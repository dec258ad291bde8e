//! The commands that answer questions about who is where: `placements list`, `report`, `duplicates`, and `show` of a member.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::{ControlFlow, Range};

use chrono::{Datelike as _, Days, Local, NaiveDate, NaiveTime, TimeZone as _};
use clap::{Args, Subcommand};
use methodical_mirror::model::tables::{Column, ColumnKind, FieldType, Table};
use methodical_mirror::queries::{self, PeriodReport, Placement, Wanted};
use methodical_mirror::{Filter, Mirror, State};
use serde_json::{Map, Value, json};

use crate::failure::Failure;
use crate::mirror::board::{check_synced, title};
use crate::mirror::list::{in_order, unknown, with_closest};
use crate::mirror::open::{self, duration, note_age, now, utc};
use crate::mirror::{Mirroring, Recovered, Titles};
use crate::output::destination::Destination;
use crate::output::flags::{OutputFlags, start_of_day};
use crate::output::printer::{Printer, Schema, counted};
use crate::output::record::{Cells, Path};
use crate::output::select::folded;
use crate::program::{Noun, RecordType};
use crate::run::Invocation;
use crate::screen::{Tone, paint, printable};
use crate::settings::{Settings, ValueOrder};

/// The records of each command that prints some, by the words of the command.
pub(crate) type Records = &'static [(&'static str, RecordType<'static>)];

/// Returns the description of the records of a table.
pub(crate) fn described(records: Records, table: &Table) -> RecordType<'static> {
    let found = records.iter().find(|(_, one)| one.noun.of(1) == table.name());
    found.map_or(RecordType::new(&[], &[]), |(_, one)| *one)
}

/// Returns the identity of the group with a title, from the mirror that `--from` names, or else from the service.
pub(crate) fn group_of_title(
    text: &str,
    of: Mirroring,
    invocation: &Invocation,
) -> Result<String, Failure> {
    let table = of.recovered()?.groups;
    let titles = if invocation.service.from.is_some() {
        titles(&open::for_list(invocation)?, table)?
    } else if invocation.call.dry_run {
        let text = format!("cannot look up the title `{text}` in a dry run");
        return Err(Failure::usage(text).hint("use the identity in place of the title"));
    } else {
        (of.titles)(table, invocation)?
    };
    match &*with_title(text, table, &titles)? {
        [only] => Ok(only.clone()),
        several => {
            Err(Failure::usage(format!("several of the {} have the title `{text}`", plural(table)))
                .hint(format!("use an identity: {}", several.join(", "))))
        }
    }
}

/// Returns the plural of the name of a table.
pub(crate) fn plural(table: &Table) -> String {
    match table.name().strip_suffix('y') {
        Some(start) => format!("{start}ies"),
        None => format!("{}s", table.name()),
    }
}

/// Returns the identities of the groups that a text names: one identity, or all with this title in any case.
fn with_title(text: &str, table: &Table, titles: &Titles) -> Result<Vec<String>, Failure> {
    if titles.contains_key(text) {
        return Ok(vec![text.to_owned()]);
    }
    let wanted = folded(text);
    let found = titles.iter().filter(|(_, title)| folded(title) == wanted);
    let found: Vec<String> = found.map(|(id, _)| id.clone()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let name = table.name();
    let text_of = format!("no {name} has the title or the identity `{text}`");
    let known: BTreeSet<String> = titles.values().cloned().collect();
    Err(Failure::usage(with_closest(text_of, text, &known)))
}

/// Returns the identities of the present groups with their titles.
fn titles(mirror: &Mirror, table: &'static Table) -> Result<Titles, Failure> {
    let mut titles = Titles::new();
    let path = Path::parse(title(table).unwrap_or_default());
    mirror.each_matching(table.name(), &Filter::new().state(State::Present), |record| {
        let title = Cells::read(&record.json).cell(&path).into_owned();
        titles.insert(record.id, title);
        ControlFlow::Continue(())
    })?;
    Ok(titles)
}

/// A command about placements.
#[derive(Debug, Subcommand)]
pub(crate) enum PlacementsCommand {
    /// List each {member} in each {group}, with the {value} and since when.
    ///
    /// The other fields are those of the {member}. `since` is when a sync first found the {value}, which can be later than the change
    /// in the service. `days` is the number of whole days since then.
    #[command(after_help = "\
Examples:
  {program} placements list --output-file all.xlsx
  {program} placements list --{group} 101 --{value} New --{value} Shortlist
  {program} placements list --waiting 7d --sort -days")]
    List(PlacementsFlags),
}

/// The flags of `placements list`.
#[derive(Debug, Args)]
pub(crate) struct PlacementsFlags {
    /// Only those in this {group}: its identity or its title. Repeat the flag for several.
    #[arg(id = "frame:group", long = "group", value_name = "ID or TITLE")]
    groups: Vec<String>,

    /// Only those with this {value}. Repeat the flag for several.
    #[arg(id = "frame:value", long = "value", value_name = "NAME")]
    values: Vec<String>,

    /// Only those that have had their {value} for TIME or longer, such as `7d`; the longest first.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    waiting: Option<u64>,
}

/// Lists the placements of a mirror.
pub(crate) fn list(
    flags: &PlacementsFlags,
    of: Mirroring,
    records: Records,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let of = of.recovered()?;
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    check_synced(&mirror, of, invocation)?;
    let mut groups = BTreeSet::new();
    if !flags.groups.is_empty() {
        let titles = titles(&mirror, of.groups)?;
        for text in &flags.groups {
            groups.extend(with_title(text, of.groups, &titles)?);
        }
    }
    let (days, mut older) = (flags.waiting.map_or(0, |seconds| seconds.div_ceil(86_400)), 0);
    let days = i64::try_from(days).unwrap_or(i64::MAX);
    let wanted = Wanted { is_longest_first: days > 0, ..Wanted::default() };
    let mut found: Vec<Placement> = Vec::new();
    queries::placements(&mirror, of.table.name(), &wanted, now(), |one| {
        let has_value = |value: &String| flags.values.contains(value);
        let is_wanted = (groups.is_empty() || groups.contains(&one.group))
            && (flags.values.is_empty() || one.value.as_ref().is_some_and(has_value));
        if is_wanted && one.days >= days {
            found.push(one);
        } else if is_wanted && one.is_older {
            older += 1;
        }
        ControlFlow::Continue(())
    })?;
    let member = described(records, of.members);
    let names = Names::new(of, member);
    let own = names.all();
    let fields: Vec<&str> =
        member.fields.iter().copied().chain(own.iter().map(String::as_str)).collect();
    let (title, [value, _, since, days]) =
        (names.title.as_ref().unwrap_or(&names.group), &names.rest);
    let shown = member.columns.iter().copied().take(2);
    let columns: Vec<&str> = shown.chain([title, value, since, days].map(|name| &**name)).collect();
    let mut types = member.types.to_vec();
    types.extend([(&**since, FieldType::DateTime), (&**days, FieldType::Integer)]);
    let noun = Some(Noun::new("placement", "placements"));
    let schema =
        Schema { columns: &columns, types: &types, noun, ..Schema::of_operation(member, false) };
    let mut printer = Printer::open(invocation, &Schema { fields: &fields, ..schema })?;
    for page in found.chunks(PAGE) {
        let ids: Vec<&str> = page.iter().map(|one| &*one.member).collect();
        let members = mirror.records_of(of.members.name(), &ids)?;
        for one in page {
            let record = members.get(&one.member).map_or("{}", |record| &*record.json);
            let record = in_order(member.fields, record);
            let start = record.strip_suffix('}').unwrap_or(&record);
            let gap = if start.len() > 1 { "," } else { "" };
            printer.print_line(&format!("{start}{gap}{}}}", names.members(one)))?;
        }
    }
    printer.finish()?;
    if older > 0 {
        invocation.screen.note(&format!(
            "{} had the {} before the first sync found it, and may have been waiting for longer",
            counted(older, "more placement"),
            of.value
        ));
    }
    for value in flags.values.iter().filter(|_| found.is_empty()) {
        let text = format!("unknown {} `{value}`", of.value);
        if let Some(note) = unknown(Some(&mirror), of, value, text)? {
            invocation.screen.note(&note);
        }
    }
    note_age(&mirror, &[of.table.name(), of.groups.name()], invocation)
}

/// Number of members that are read together.
const PAGE: usize = 500;

/// The names of the fields of a placement beside those of its member.
struct Names {
    group: String,
    title: Option<String>,
    /// Those of the value, the value before, the time and the days.
    rest: [String; 4],
}

impl Names {
    fn new(of: Recovered, member: RecordType<'_>) -> Self {
        // A member with a field of this name keeps it.
        let free = |name: String| {
            if member.fields.contains(&&*name) { format!("placement_{name}") } else { name }
        };
        Self {
            group: free(of.group_field()),
            title: title(of.groups).map(|name| free(name.to_owned())),
            rest: [
                of.value.to_owned(),
                format!("previous_{}", of.value),
                "since".to_owned(),
                "days".to_owned(),
            ]
            .map(free),
        }
    }

    fn all(&self) -> Vec<String> {
        [&self.group].into_iter().chain(&self.title).chain(&self.rest).cloned().collect()
    }

    /// Returns the members of a JSON object.
    fn members(&self, one: &Placement) -> String {
        let title = self.title.as_ref().map(|_| Value::from(one.title.clone()));
        let values = [Value::from(&*one.group)].into_iter().chain(title).chain([
            json!(one.value),
            json!(one.previous),
            json!(local(one.since)),
            json!(one.days),
        ]);
        let names = self.all().into_iter().map(Value::from);
        let members: Vec<_> =
            names.zip(values).map(|(name, value)| format!("{name}:{value}")).collect();
        members.join(",")
    }
}

/// Returns a time on this machine, as `2026-11-30 14:05:00`: so a spreadsheet takes it for a date.
fn local(seconds: i64) -> String {
    let time = Local.timestamp_opt(seconds, 0).earliest();
    time.map_or_else(|| utc(seconds), |time| time.format("%Y-%m-%d %H:%M:%S").to_string())
}

/// Shows a member: its fields, its placements, and how they changed.
pub(crate) fn show(
    id: &str,
    of: Mirroring,
    records: Records,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let of = of.recovered()?;
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    check_synced(&mirror, of, invocation)?;
    let name = of.members.name();
    let Some(record) = mirror.record(name, id)? else {
        return Err(Failure::usage(format!("the mirror has no {name} {id}")).hint(format!(
            "{} finds one by a part of its texts",
            invocation.command("mirror search TEXT")
        )));
    };
    let (table, wanted) = (of.table.name(), Wanted { member: Some(id), ..Wanted::default() });
    let mut placements = Vec::new();
    queries::placements(&mirror, table, &wanted, now(), |one| {
        placements.push(one);
        ControlFlow::Continue(())
    })?;
    let mut history = Vec::new();
    mirror.each_past_value(table, Some(id), |one| {
        history.push(one);
        ControlFlow::Continue(())
    })?;
    let titles = titles(&mirror, of.groups)?;
    let member = described(records, of.members);
    let json = in_order(member.fields, &record.json);
    let (group, value) = (of.group_field(), of.value);
    if invocation.output.is_table(invocation.screen)? && invocation.output.selection().is_none() {
        let mut out = Destination::open(invocation.output.file(), &invocation.program)?;
        let color = out.view(invocation.screen).color;
        let mut cells = Cells::read(&json);
        let paths: Vec<Path> =
            Schema::of_operation(member, false).leaves().into_iter().map(Path::parse).collect();
        let width = paths.iter().map(|path| path.to_string().len()).max().unwrap_or_default();
        for path in &paths {
            let cell = cells.cell(path);
            let line = format!("{:width$}  {}", path.to_string(), printable(&cell));
            writeln!(out, "{}", line.trim_end())?;
        }
        let named = |id: &str| match titles.get(id).filter(|title| !title.is_empty()) {
            Some(title) => printable(&format!("{title} ({id})")).into_owned(),
            None => printable(id).into_owned(),
        };
        let said = |text: Option<&str>| printable(text.unwrap_or("unknown")).into_owned();
        writeln!(out, "\n{}", paint(color, Tone::Bold, &format!("Now, by {}:", of.groups.name())))?;
        for one in &placements {
            let (group, value, days) = (
                named(&one.group),
                said(one.value.as_deref()),
                counted(one.days.unsigned_abs(), "day"),
            );
            let older = if one.is_older { " or longer" } else { "" };
            writeln!(out, "  {group}: {value} for {days}{older}")?;
        }
        writeln!(out, "\n{}", paint(color, Tone::Bold, "History:"))?;
        for one in &history {
            let (group, value) = (named(&one.group), said(one.value.as_deref()));
            let until = one.ended_at.map(|at| format!(" until {}", local(at))).unwrap_or_default();
            let before = if one.began_before { " or earlier" } else { "" };
            writeln!(out, "  {}{before}{until}: {value} in {group}", local(one.began_at))?;
        }
        out.finish()?;
    } else {
        let placements: Vec<Value> = placements
            .iter()
            .map(|one| json!({&group: one.group, "title": one.title, value: one.value, "since": local(one.since), "days": one.days}))
            .collect();
        let history: Vec<Value> = history
            .iter()
            .map(|one| {
                let until = one.ended_at.map(local);
                json!({&group: one.group, "title": titles.get(&one.group), value: one.value, "since": local(one.began_at), "until": until})
            })
            .collect();
        let fields: Vec<&str> =
            member.fields.iter().copied().chain(["placements", "history"]).collect();
        let schema = Schema { fields: &fields, ..Schema::of_operation(member, true) };
        let mut printer = Printer::open(invocation, &schema)?;
        let start = json.strip_suffix('}').unwrap_or(&json);
        printer.print_line(&format!(
            "{start},\"placements\":{},\"history\":{}}}",
            Value::from(placements),
            Value::from(history)
        ))?;
        printer.finish()?;
    }
    if record.state != State::Present {
        invocation.screen.warn(&format!("{name} {id} is {} in the service", record.state.as_str()));
    }
    note_age(&mirror, &[table, of.groups.name()], invocation)
}

/// Prints the members that may be the same.
pub(crate) fn duplicates(
    of: Mirroring,
    records: Records,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let of = of.recovered()?;
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    let columns = of.members.columns().iter().filter(|one| one.is_personal());
    let names: Vec<String> = columns.map(|one| one.path().join("_")).collect();
    let [emails, phones] = ["mail", "phone"].map(|part| {
        names.iter().map(String::as_str).filter(|name| name.contains(part)).collect::<Vec<_>>()
    });
    let found = queries::duplicates(&mirror, of.members.name(), &emails, &phones)?;
    let member = described(records, of.members);
    let fields: Vec<&str> =
        ["set", "same"].into_iter().chain(member.fields.iter().copied()).collect();
    let shown = member.columns.iter().copied().filter(|name| fields.contains(name));
    let columns: Vec<&str> = ["set", "same"].into_iter().chain(shown).collect();
    let schema =
        Schema { columns: &columns, fields: &fields, ..Schema::of_operation(member, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for (number, set) in (1_u64..).zip(&found) {
        let ids: Vec<&str> = set.ids.iter().map(String::as_str).collect();
        let members = mirror.records_of(of.members.name(), &ids)?;
        for record in ids.iter().filter_map(|id| members.get(*id)) {
            let record = in_order(member.fields, &record.json);
            let rest = record.strip_prefix('{').unwrap_or(&record);
            let same = Value::from(set.columns.join(", "));
            printer.print_line(&format!("{{\"set\":{number},\"same\":{same},{rest}"))?;
        }
    }
    printer.finish()?;
    note_age(&mirror, &[of.members.name()], invocation)
}

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
    #[arg(long, value_name = "DATE", value_parser = start_of_day, requires = "frame:since")]
    until: Option<i64>,
}

impl ReportFlags {
    /// Returns the period: from the begin of the first day until the end of the last one.
    fn period(&self, invocation: &Invocation) -> Result<Range<i64>, Failure> {
        let today = Local::now().date_naive();
        let since = invocation.output.since.as_ref();
        if since.is_some() && (self.week || self.month) {
            return Err(Failure::usage("cannot use --since with --week or --month"));
        }
        let first = match since {
            Some(since) => start_of_day(since.day()).map_err(Failure::usage)?,
            None if self.month => midnight(today.with_day(1).unwrap_or(today)),
            None => midnight(today - Days::new(today.weekday().num_days_from_monday().into())),
        };
        let last = self.until.unwrap_or_else(|| midnight(today));
        Ok(first..last.saturating_add(86_400))
    }
}

/// Returns when a day begins on this machine, in seconds since 1970.
fn midnight(day: NaiveDate) -> i64 {
    let begin = day.and_time(NaiveTime::MIN);
    Local
        .from_local_datetime(&begin)
        .earliest()
        .map_or_else(|| begin.and_utc().timestamp(), |it| it.timestamp())
}

/// Prints what happened in a period.
pub(crate) fn report(
    flags: &ReportFlags,
    of: Mirroring,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let of = of.recovered()?;
    let period = flags.period(invocation)?;
    // The records of the report have no dates.
    let output = OutputFlags { since: None, ..invocation.output.clone() };
    let invocation = &Invocation { output, ..invocation.clone() };
    let Some(mirror) = open::read(invocation, "would read the mirror")? else { return Ok(()) };
    check_synced(&mirror, of, invocation)?;
    let order = ValueOrder::of(&Settings::of_known(invocation)?);
    let table = of.table.name();
    let source = source_column(of.members);
    let report = queries::report(&mirror, table, period.clone(), source.as_deref())?;
    // How many placements came into each named group of values, by group of members.
    let mut entered: BTreeMap<String, BTreeMap<&str, u64>> = BTreeMap::new();
    for one in queries::moves(&mirror, table, period.clone())? {
        let name =
            |value: &Option<String>| value.as_deref().and_then(|value| order.group_of(value));
        if let Some(name) =
            name(&one.to).filter(|to| !one.is_learned && name(&one.from) != Some(*to))
        {
            *entered.entry(one.group).or_default().entry(name).or_default() += 1;
        }
    }
    let names: Vec<&str> = order.groups().collect();
    let rows: Vec<Vec<(&str, Value)>> = report
        .groups
        .iter()
        .map(|group| {
            let mut row = vec![(of.groups.identity(), json!(group.group))];
            row.extend(title(of.groups).map(|name| (name, json!(group.title))));
            row.extend([("new", json!(group.new)), ("moved", json!(group.moved))]);
            let counts = entered.get(&group.group);
            row.extend(
                names
                    .iter()
                    .map(|name| (*name, json!(counts.and_then(|it| it.get(name)).unwrap_or(&0)))),
            );
            row
        })
        .collect();
    let last = period.end - 86_400;
    let days = [period.start, last].map(|at| local(at).chars().take(10).collect::<String>());
    print(
        &Printed {
            of,
            report: &report,
            rows: &rows,
            names: &names,
            days,
            source: source.as_deref(),
        },
        invocation,
    )?;
    let tables = mirror.tables()?;
    let members = tables.iter().find(|one| one.table == of.members.name());
    if members.is_some_and(|one| one.present > 0 && one.present == report.new) {
        invocation.screen.note(
            "the first sync was in this period, so that all records are new in it; --since begins later",
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

/// Returns the column with the source of a member, such as `portal_name`: the first text of a nested record that is not personal, and no
/// identity.
fn source_column(members: &Table) -> Option<String> {
    let is_source = |one: &&Column| {
        one.kind() == ColumnKind::Text
            && !one.is_personal()
            && one.path().len() > 1
            && one.path().last() != Some(&"id")
    };
    members.columns().iter().find(is_source).map(|one| one.path().join("_"))
}

/// A report and how it is printed.
struct Printed<'a> {
    of: Recovered,
    report: &'a PeriodReport,
    rows: &'a [Vec<(&'a str, Value)>],
    /// The names of the groups of values.
    names: &'a [&'a str],
    days: [String; 2],
    source: Option<&'a str>,
}

fn print(shown: &Printed<'_>, invocation: &Invocation) -> Result<(), Failure> {
    let &Printed { of, report, rows, names, ref days, source } = shown;
    let output = &invocation.output;
    let is_text = output.is_table(invocation.screen)?;
    let is_json =
        output.format()?.map_or(!is_text, |format| format == crate::output::format::Format::JSON);
    let day = |seconds: i64| format!("{}.{}", seconds / 86_400, seconds % 86_400 / 8640);
    if is_json && output.choice().is_none() {
        let object = |row: &Vec<(&str, Value)>| {
            row.iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect::<Map<_, _>>()
        };
        let times = report.times.iter().map(|one| {
            json!({of.value: one.value, "times": one.times, "average_days": one.average / 86_400, "median_days": one.median / 86_400})
        });
        let sources = report.sources.iter().map(|(name, new)| json!({"name": name, "new": new}));
        let fields = &["from", "until", "new", "moved", "groups", "sources", "times"];
        let mut printer = Printer::open(invocation, &Schema::of_program(fields, true))?;
        printer.print(&json!({
            "from": days[0], "until": days[1], "new": report.new, "moved": report.moved,
            "groups": rows.iter().map(object).collect::<Vec<_>>(),
            "sources": sources.collect::<Vec<_>>(), "times": times.collect::<Vec<_>>(),
        }))?;
        return printer.finish();
    }
    let mut fields = vec![of.groups.identity()];
    fields.extend(title(of.groups));
    fields.extend(["new", "moved"].iter().chain(names));
    let types: Vec<_> = fields
        .iter()
        .skip(1 + usize::from(title(of.groups).is_some()))
        .map(|name| (*name, FieldType::Integer))
        .collect();
    let schema = Schema { types: &types, ..Schema::of_program(&fields, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for row in rows {
        let members: Vec<_> =
            row.iter().map(|(name, value)| format!("{}:{value}", Value::from(*name))).collect();
        printer.print_line(&format!("{{{}}}", members.join(",")))?;
    }
    printer.finish()?;
    if is_text && output.choice().is_none() && output.file().is_none() {
        let mut out = Destination::open(None, &invocation.program)?;
        let (new, moved) = (counted(report.new, of.members.name()), counted(report.moved, "move"));
        writeln!(out, "\nFrom {} to {}: {new} new, {moved}.", days[0], days[1])?;
        let sources: Vec<String> = report
            .sources
            .iter()
            .map(|(name, new)| format!("{} {new}", name.as_deref().unwrap_or("unknown")))
            .collect();
        if source.is_some() && !sources.is_empty() {
            writeln!(out, "New by source: {}.", printable(&sources.join(", ")))?;
        }
        for one in &report.times {
            let (value, times) = (printable(&one.value), counted(one.times, "time"));
            writeln!(
                out,
                "Left {value} {times}, after {} days on average (median {}).",
                day(one.average),
                day(one.median)
            )?;
        }
        out.finish()?;
    }
    Ok(())
}
