//! Who is where, and what happened: `placements list`, `show`, `duplicates`, `board` and `report`, and group titles.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::iter;
use std::ops::{ControlFlow, Range};

use clap::{Args, Subcommand};
use jiff::civil::Date;
use jiff::{ToSpan as _, Zoned};
use methodical_mirror::model::tables::{Column, FieldType, Table};
use methodical_mirror::queries::{self, Placement, ValueTime, Wanted};
use methodical_mirror::{Error, Filter, Mirror, Paging, PastRun, PastValue, State, folded};
use serde_json::{Value, json};

use crate::commands::{Invocation, quoted};
use crate::failure::Failure;
use crate::mirror::open::{self, Asked, OF_PROFILE, PAGE, duration, local, note_age, now};
use crate::mirror::{Recovered, Titles, identities, recovered, warn_of_value, with_closest};
use crate::output::destination::Destination;
use crate::output::printer::{Printer, Schema, counted, selected};
use crate::output::record::{Cells, Fields, Line, Path};
use crate::output::{OutputFlags, day, midnight, since};
use crate::program::{OperationCommands, RecordType};
use crate::screen::{BOLD, paint, printable};
use crate::session::Session;

/// The record type of each command that prints records, by the command's words.
pub(crate) type Records = &'static [(&'static str, RecordType<'static>)];

/// Returns the description of a table's records.
pub(crate) fn described(records: Records, table: &Table) -> RecordType<'static> {
    let found = records.iter().find(|(_, one)| one.noun.of(1) == table.name());
    found.map_or(RecordType::new(&[], &[]), |(_, one)| *one)
}

/// Returns the identity of the group with a title, from the mirror that `--from` names, or else from the service.
pub(crate) fn group_of_title<C: OperationCommands>(
    text: &str,
    invocation: &Invocation,
) -> Result<String, Failure> {
    let of = recovered::<C::Service>()?;
    let table = of.groups;
    let from = invocation.mirror.from.as_deref();
    let unable = |text: String| Failure::usage(text).hint("use the id instead of the title");
    let titles = if from.is_some() {
        let (mirror, place) = open::read_place(invocation)?;
        titles(&mirror, of).map_err(|error| place.without_values(error, of, &mirror))?
    } else if invocation.service.dry_run {
        return Err(unable(format!("cannot look up the title `{text}` in a dry run")));
    } else {
        let session = Session::<C::Service>::open(invocation)?;
        let what = format!("cannot find the {} with the title `{text}`", table.name());
        match identities(session.client()?, table) {
            Some(Ok(titles)) => titles,
            Some(Err(error)) => return Err(session.explain(&error).within(&what)),
            None => return Err(unable(format!("{what}: no list has all {}", plural(table)))),
        }
    };
    match &*with_title(text, table, &titles, C::RECORDS, from, invocation)? {
        [only] => Ok(only.clone()),
        several => {
            Err(Failure::usage(format!("several {} have the title `{text}`", plural(table)))
                .hint(format!("use an id: {}", several.join(", "))))
        }
    }
}

pub(crate) fn plural(table: &Table) -> String {
    match table.name().strip_suffix('y') {
        Some(start) => format!("{start}ies"),
        None => format!("{}s", table.name()),
    }
}

/// Returns the identities of the groups that a text names: the group with this identity, or else the groups whose title
/// fits the text. Case does not matter in titles.
pub(crate) fn named(text: &str, titles: &Titles, fits: fn(&str, &str) -> bool) -> Vec<String> {
    if titles.contains_key(text) {
        return vec![text.to_owned()];
    }
    let wanted = folded(text);
    let found = titles.iter().filter(|(_, title)| fits(&folded(title), &wanted));
    found.map(|(id, _)| id.clone()).collect()
}

/// Returns the identities of the groups that a text names: the group with this identity, or all groups with this title.
/// `from` is the mirror that the titles come from; `None` if the service returned them.
fn with_title(
    text: &str,
    table: &Table,
    titles: &Titles,
    records: Records,
    from: Option<&str>,
    invocation: &Invocation,
) -> Result<Vec<String>, Failure> {
    let found = named(text, titles, |title, wanted| title == wanted);
    if !found.is_empty() {
        return Ok(found);
    }
    let name = table.name();
    let text_of = format!("no {name} has the id or title `{text}`");
    let known: BTreeSet<String> = titles.values().cloned().collect();
    let failure = Failure::usage(with_closest(text_of, text, &known));
    let Some((list, _)) = records.iter().find(|(_, one)| one.noun.of(1) == name) else {
        return Err(failure);
    };
    let from = from.map(|from| format!(" --from {}", quoted(from))).unwrap_or_default();
    let list = invocation.command(&format!("{list}{from}"));
    let only = text.contains(',').then(|| format!("; each --{name} names only one"));
    Err(failure.hint(format!("{list} lists them{}", only.unwrap_or_default())))
}

/// Returns the identities of the present groups with their titles.
pub(crate) fn titles(mirror: &Mirror, of: Recovered) -> Result<Titles, Error> {
    let groups = queries::board(mirror, of.table.name(), &[], false)?.groups;
    Ok(groups.into_iter().map(|one| (one.id, one.title.unwrap_or_default())).collect())
}

/// A command about placements.
#[derive(Debug, Subcommand)]
pub(crate) enum PlacementsCommand {
    /// List each {member} in each {group}, with the {value} and since when.
    ///
    /// The other fields belong to the {member}. `since` is the time at which a sync first found the {value}, which can
    /// be later than the change in the service. `days` is the number of UTC midnights since then. The flag --since
    /// compares the date of the {member}; for the field, use `--filter 'since>=2026-11-30'`.
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
    /// Only placements in this {group}, by its id or its title; case does not matter. Repeat the flag for several.
    #[arg(id = "frame:group", long = "group", value_name = "ID or TITLE")]
    groups: Vec<String>,

    /// Only placements with this {value}; its case must match. Repeat the flag for several.
    #[arg(id = "frame:value", long = "value", value_name = "NAME")]
    values: Vec<String>,

    /// Only placements with the same {value} for TIME or longer, such as `12h` or `7d`; the longest first.
    ///
    /// Days and weeks count as in `days`, by the midnights in UTC, and shorter units to the second. Without --{value},
    /// placements with a final {value} are left out: one in a named group of the setting `statuses`. If no group has a
    /// name, that is a guess: one that fewer than one in ten leave, except the first one.
    #[arg(long, value_name = "TIME", value_parser = wait)]
    waiting: Option<(i64, i64)>,
}

/// Parses a waiting time. Returns the number of days if the unit is days or weeks, or else of seconds; the other is 0.
fn wait(text: &str) -> Result<(i64, i64), &'static str> {
    let seconds = i64::try_from(duration(text)?).unwrap_or(i64::MAX);
    Ok(if text.ends_with(['d', 'w']) { (seconds / 86_400, 0) } else { (0, seconds) })
}

pub(crate) fn list(flags: &PlacementsFlags, asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, ref order, invocation, .. } = asked;
    let mut groups = BTreeSet::new();
    if !flags.groups.is_empty() {
        let titles = titles(mirror, of)?;
        let from = Some(invocation.mirror.from.as_deref().unwrap_or(OF_PROFILE));
        for text in &flags.groups {
            groups.extend(with_title(text, of.groups, &titles, asked.records, from, invocation)?);
        }
    }
    let (days, seconds) = flags.waiting.unwrap_or_default();
    let (now, mut older, mut ended) = (now(), 0_usize, BTreeMap::<_, u64>::new());
    // As on the dashboard, a final value does not count as waiting, unless it is asked for.
    let has_ends = flags.waiting.is_none() || !flags.values.is_empty();
    let is_guess = !has_ends && order.groups().next().is_none();
    let passages =
        if is_guess { queries::passages(mirror, of.table.name(), None)? } else { Vec::new() };
    let ends = queries::ends(&passages, &order.0, of.known_values);
    let wanted = Wanted { is_longest_first: flags.waiting.is_some(), ..Wanted::default() };
    let mut found: Vec<Placement> = Vec::new();
    queries::placements(mirror, of.table.name(), &wanted, now, |one| {
        let has_value = |value: &String| flags.values.contains(value);
        let is_wanted = (groups.is_empty() || groups.contains(&one.group))
            && (flags.values.is_empty() || one.value.as_ref().is_some_and(has_value));
        let waits =
            is_wanted && one.days >= days && now.saturating_sub(one.since).max(0) >= seconds;
        match one.value.as_deref().and_then(|value| ends.get(value)).filter(|_| !has_ends) {
            Some(end) if waits => *ended.entry(*end).or_default() += 1,
            None if waits => found.push(one),
            None if is_wanted && one.is_older => older += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
    print_placements(&found, asked)?;
    let (value, mut screen, output) = (of.value, invocation.screen, &invocation.output);
    let counts =
        format!("`days` counts from the first sync, or from when the {value} became known");
    let is_whole = output.filter.is_empty() && output.since.is_none() && output.limit.is_none();
    if flags.waiting.is_none() {
        older = found.iter().filter(|one| one.is_older && is_whole).count();
    }
    if older > 0 {
        screen.note(&match flags.waiting {
            Some(_) => format!("{older} more may have waited longer: {counts}"),
            None => format!("for {older} of {} placements, {counts}", found.len()),
        });
    }
    // Even the reader of an empty file needs to know of a guess.
    screen.quiet &= !is_guess;
    let advice = naming_ends(asked).map(|set| format!("; name the final ones: {set}"));
    let advice = advice.unwrap_or_default();
    if !ended.is_empty() {
        let count: u64 = ended.values().sum();
        let have = if count == 1 { "has" } else { "have" };
        let is = if is_guess { "looks" } else { "is" };
        let listed = ended.into_keys().map(|end| format!(" --{value} {}", quoted(end)));
        let listed: String = listed.collect();
        let text =
            format!("{count} more {have} a {value} that {is} final;{listed} lists them{advice}");
        screen.note(&text);
    } else if is_guess && ends.is_empty() && !found.is_empty() {
        screen.note(&format!("no {value} looks final yet, so all count as waiting{advice}"));
    }
    for value in &flags.values {
        if !found.iter().any(|one| one.value.as_ref() == Some(value)) {
            warn_of_value(Some(mirror), of, value, invocation);
        }
    }
    asked.note_age()
}

/// Prints placements, each with the fields of its member.
fn print_placements(found: &[Placement], asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, member, invocation, .. } = asked;
    // If a member has a field of this name, that field is kept.
    let free = |name: String| {
        if member.fields.contains(&&*name) { format!("placement_{name}") } else { name }
    };
    let group = [Some(of.group_field()), title(of.groups).map(str::to_owned)];
    let group: Vec<String> = group.into_iter().flatten().map(free).collect();
    let before = format!("previous_{}", of.value);
    let [value, before, since, days] =
        [of.value.to_owned(), before, "since".to_owned(), "days".to_owned()].map(free);
    let own: Vec<&str> =
        group.iter().chain([&value, &before, &since, &days]).map(String::as_str).collect();
    let fields: Vec<&str> = member.fields.iter().chain(&own).copied().collect();
    let shown = member.columns.iter().copied().take(2).chain(group.last().map(String::as_str));
    let columns: Vec<&str> = shown.chain([&*value, &*days, &*since]).collect();
    let mut types = member.types.to_vec();
    types.extend([(&*since, FieldType::DateTime), (&*days, FieldType::Integer)]);
    let placement = RecordType::new(&columns, &fields).typed(&types);
    let placement = placement.named("placement", "placements");
    let mut printer = Printer::open(invocation, &Schema::of_operation(placement, false))?;
    for page in found.chunks(PAGE) {
        let ids: Vec<&str> = page.iter().map(|one| &*one.member).collect();
        let members = mirror.records_of(of.members.name(), &ids)?;
        for one in page {
            let record = members.get(&one.member).map_or("{}", |record| &*record.json);
            let title = (group.len() > 1).then(|| json!(one.title));
            let since = local(one.since);
            let rest = [json!(one.value), json!(one.previous), json!(since), json!(one.days)];
            let values = [json!(one.group)].into_iter().chain(title).chain(rest);
            let line = Line::new().record(member.fields, record);
            let line =
                own.iter().zip(values).fold(line, |line, (name, value)| line.add(name, value));
            printer.print_line(&line.end())?;
        }
    }
    printer.finish()
}

/// Returns the command that names the final values and keeps the others. Returns `None` if some are already named, or
/// for the sample service, which has no settings.
fn naming_ends(&Asked { ref order, invocation, .. }: &Asked<'_>) -> Option<String> {
    if order.groups().next().is_some() || invocation.service.demo {
        return None;
    }
    let mut others = order.with(&[]);
    others.retain(|value| !["Accepted", "Rejected"].contains(value));
    let others = if others.is_empty() { String::new() } else { others.join(", ") + "; " };
    let set = quoted(&format!("{others}Hired: Accepted; Closed: Rejected"));
    Some(invocation.command(&format!("config set statuses {set}")))
}

pub(crate) fn duplicates<C: OperationCommands>(invocation: &Invocation) -> Result<(), Failure> {
    let of = recovered::<C::Service>()?;
    let (mirror, member) = (open::read(invocation)?, described(C::RECORDS, of.members));
    let columns = of.members.columns().iter().filter(|one| one.is_personal());
    let names: Vec<String> = columns.map(Column::name).collect();
    let [emails, phones] = ["mail", "phone"].map(|part| {
        names.iter().map(String::as_str).filter(|name| name.contains(part)).collect::<Vec<_>>()
    });
    let found = queries::duplicates(&mirror, of.members.name(), &emails, &phones)?;
    let with_own = |names: Fields<'static>| [&["set", "same"], names].concat();
    let [columns, fields] = [member.columns, member.fields].map(with_own);
    let schema =
        Schema { columns: &columns, fields: &fields, ..Schema::of_operation(member, false) };
    let mut printer = Printer::open(invocation, &schema)?;
    for (number, set) in (1_u64..).zip(&found) {
        let ids: Vec<&str> = set.ids.iter().map(String::as_str).collect();
        let members = mirror.records_of(of.members.name(), &ids)?;
        for record in ids.iter().filter_map(|id| members.get(*id)) {
            let same = json!(set.columns.join(", "));
            let line = Line::new().add("set", json!(number)).add("same", same);
            printer.print_line(&line.record(member.fields, &record.json).end())?;
        }
    }
    printer.finish()?;
    note_age(&mirror, &[of.members.name()], invocation)
}

/// Shows a member: its fields, its placements, and how they changed.
pub(crate) fn show(id: &str, asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, member, invocation, .. } = asked;
    let name = of.members.name();
    let Some(record) = mirror.record(name, id)? else {
        let search = invocation.command("mirror search TEXT");
        let failure = Failure::usage(format!("the mirror has no {name} {id}"));
        return Err(failure.hint(format!("{search} finds records by their text")));
    };
    let (placements, history) = placements_of(mirror, of, id)?;
    let (titles, group, value) = (titles(mirror, of)?, of.group_field(), of.value);
    let line = Line::new().record(member.fields, &record.json);
    let output = &invocation.output;
    if output.is_table(invocation.screen)? && output.selection().is_none() {
        print_text(asked, &line.end(), (&placements, &history), &titles)?;
    } else {
        let placements = placements.iter().map(|one| {
            json!({&group: one.group, "title": one.title, value: one.value, "since": local(one.since),
                "days": one.days, "or_longer": one.is_older})
        });
        let history = history.iter().map(|one| {
            json!({&group: one.group, "title": titles.get(&one.group), value: one.value,
                "since": local(one.began_at), "or_earlier": one.began_before, "until": one.ended_at.map(local)})
        });
        let [placements, history]: [Value; 2] = [placements.collect(), history.collect()];
        let fields = [member.fields, &["placements", "history"]].concat();
        let schema = Schema { fields: &fields, ..Schema::of_operation(member, true) };
        let mut printer = Printer::open(invocation, &schema)?;
        printer.print_line(&line.add("placements", placements).add("history", history).end())?;
        printer.finish()?;
    }
    if record.state != State::Present {
        let state = record.state.as_str();
        invocation.screen.warn(&format!("the mirror lists {name} {id} as {state}"));
    }
    asked.note_age()
}

/// Prints each field of a member on a line, and then its placements and their history as sentences.
fn print_text(
    asked: &Asked<'_>,
    json: &str,
    (placements, history): (&[Placement], &[PastValue]),
    titles: &Titles,
) -> Result<(), Failure> {
    let &Asked { of, member, invocation, .. } = asked;
    let mut out = Destination::of(invocation)?;
    let color = out.view.color;
    let leaves = Schema::of_operation(member, false).leaves();
    let width = leaves.iter().map(|name| name.len()).max().unwrap_or_default();
    let paths: Vec<Path> = leaves.into_iter().map(Path::parse).collect();
    let mut cells = Cells::read(json);
    for path in &paths {
        let line = format!("{:width$}  {}", path.to_string(), printable(&cells.cell(path)));
        writeln!(out, "{}", line.trim_end())?;
    }
    let group = |id: &str| match titles.get(id).filter(|title| !title.is_empty()) {
        Some(title) => printable(&format!("{title} ({id})")).into_owned(),
        None => printable(id).into_owned(),
    };
    let value =
        |text: &Option<String>| printable(text.as_deref().unwrap_or("unknown")).into_owned();
    writeln!(out, "\n{}", paint(color, BOLD, &format!("Now, by {}:", of.groups.name())))?;
    for one in placements {
        let days = counted(one.days.unsigned_abs(), "day");
        let older = if one.is_older { " or longer" } else { "" };
        writeln!(out, "  {}: {} for {days}{older}", group(&one.group), value(&one.value))?;
    }
    writeln!(out, "\n{}", paint(color, BOLD, "History:"))?;
    for one in history {
        let (since, value) = (local(one.began_at), value(&one.value));
        let until = one.ended_at.map(|at| format!(" until {}", local(at))).unwrap_or_default();
        let before = if one.began_before { " or earlier" } else { "" };
        writeln!(out, "  {since}{before}{until}: {value} in {}", group(&one.group))?;
    }
    Ok(out.finish()?)
}

/// Returns the placements of a member, and its past values.
pub(crate) fn placements_of(
    mirror: &Mirror,
    of: Recovered,
    id: &str,
) -> Result<(Vec<Placement>, Vec<PastValue>), Error> {
    let (table, wanted) = (of.table.name(), Wanted { member: Some(id), ..Wanted::default() });
    let mut placements = Vec::new();
    queries::placements(mirror, table, &wanted, now(), |one| {
        placements.push(one);
        ControlFlow::Continue(())
    })?;
    Ok((placements, mirror.past_values(table, Some(id), usize::MAX)?))
}

/// Prints the board. Its cells are added up by the groups of values in the settings.
pub(crate) fn board(asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, ref order, invocation, .. } = asked;
    let output = &invocation.output;
    let board = queries::board(mirror, of.table.name(), &order.with(of.known_values), false)?;
    let is_table = output.is_table(invocation.screen)?;
    let mut values: Vec<&str> = Vec::new();
    // The place of each cell in a group's counts. The count of members with an unknown value follows the values.
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

/// Returns the name of the field with a group's title; `None` without one. The field is never personal.
pub(crate) fn title(groups: &Table) -> Option<&'static str> {
    groups.titles().find(|column| !column.is_personal())?.path().first().copied()
}

/// The flags of `report`.
#[derive(Debug, Args)]
pub(crate) struct ReportFlags {
    /// Report on this week, from Monday to today [default]. On a Monday, `--since last-week --until yesterday` is the
    /// whole week before.
    #[arg(long)]
    week: bool,

    /// Report on this month, from its first day to today.
    #[arg(long, conflicts_with = "week")]
    month: bool,

    /// The first day of the period: YYYY-MM-DD, `today`, `yesterday`, `last-week` (its Monday) or `7d`.
    #[arg(long, value_name = "DATE", value_parser = since)]
    since: Option<String>,

    /// The last day of the period [default: today]. --since sets the first one.
    #[arg(long, value_name = "DATE", value_parser = day, requires = "since")]
    until: Option<Date>,
}

impl ReportFlags {
    /// Returns the first and the last day of the period.
    fn days(&self) -> Result<[Date; 2], Failure> {
        // A `--since` before the command also arrives here.
        if self.since.is_some() && (self.week || self.month) {
            return Err(Failure::usage("cannot use --since with --week or --month"));
        }
        let today = Zoned::now().date();
        let wrong = |error| Failure::usage(format!("invalid value for --since: {error}"));
        let first = match &self.since {
            Some(since) => day(since).map_err(wrong)?,
            None if self.month => today.first_of_month(),
            None => today.saturating_sub(today.weekday().to_monday_zero_offset().days()),
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
pub(crate) fn period([first, last]: [Date; 2]) -> Range<i64> {
    midnight(first)..last.tomorrow().map_or(i64::MAX, midnight)
}

pub(crate) fn report(flags: &ReportFlags, asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, ref order, invocation, .. } = asked;
    let days = flags.days()?;
    // The records of the report have no dates.
    let output = OutputFlags { since: None, ..invocation.output.clone() };
    let invocation = &Invocation { output, ..invocation.clone() };
    let (table, source) = (of.table.name(), of.members.source());
    let source_name = source.map(Column::name);
    let mut report = queries::report(mirror, table, period(days), source_name.as_deref())?;
    let values = order.with(of.known_values);
    let place = |one: &ValueTime| values.iter().position(|value| *value == one.value);
    report.times.sort_by_key(|one| place(one).unwrap_or(values.len()));
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
        line.add("average_days", days_of(one.average)).add("median_days", days_of(one.median))
    });
    let [by, id, name, new, moved, times_field, averages @ ..] = OWN;
    let groups_of_values: Vec<&str> = columns.iter().map(String::as_str).collect();
    let counts = [&[new, moved], &*groups_of_values, &[times_field]].concat();
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
    let firsts = [first_sync(mirror, of.members)?, first_sync(mirror, of.table)?];
    if let Some(last) = firsts.into_iter().flatten().max().filter(|at| *at > period(days).start) {
        let is_new = firsts.iter().flatten().any(|at| period(days).contains(at));
        let new = if is_new { "; the records of a first sync count as new" } else { "" };
        let at = local(last);
        let text = format!("changes before the first complete sync, at {at}, are unknown{new}");
        invocation.screen.note(&text);
    }
    if let Some(set) = naming_ends(asked) {
        let text = format!("to count hires or closed placements, name their statuses: {set}");
        invocation.screen.note(&text);
    }
    asked.note_age()
}

/// Returns when a table's first complete list was synced. If the log no longer has it, returns when the first record
/// was first seen, or the start of the oldest sync in the log if that is earlier; `None` if there is no record either.
fn first_sync(mirror: &Mirror, table: &Table) -> Result<Option<i64>, Error> {
    let (runs, name) = (mirror.runs(usize::MAX)?, table.name());
    let is_first = |run: &&PastRun| run.table == name && run.report.is_baseline;
    let first = runs.iter().rfind(is_first).map(|run| run.ended_at);
    let oldest = runs.last().map_or(i64::MAX, |run| run.started_at);
    let records = mirror.browse(name, &Filter::new(), &Paging::new(1))?.records;
    Ok(first.or_else(|| Some(records.first()?.first_seen.min(oldest))))
}

/// The fields of a line of the report, except the named groups of values.
const OWN: [&str; 8] = ["by", "id", "name", "new", "moved", "times", "average_days", "median_days"];

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
