//! Who is where: the commands `placements list`, `show` and `duplicates`, and the titles of groups.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::ops::ControlFlow;

use clap::{Args, Subcommand};
use methodical_mirror::model::tables::{FieldType, Mirrored, Table};
use methodical_mirror::queries::{self, Placement, Wanted};
use methodical_mirror::{Error, Filter, Mirror, PastValue, State, folded};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::mirror::counts::title;
use crate::mirror::open::{self, Asked, duration, local, note_age, now};
use crate::mirror::{Recovered, Titles, identities, recovered, warn_of_value, with_closest};
use crate::output::destination::Destination;
use crate::output::printer::{Printer, Schema, counted};
use crate::output::record::{Cells, Line, Path};
use crate::program::{Noun, OperationCommands, RecordType};
use crate::run::Invocation;
use crate::screen::{Tone, paint, printable};
use crate::session::Session;

/// The records of each command that prints records, by the words of the command.
pub(crate) type Records = &'static [(&'static str, RecordType<'static>)];

/// Returns the description of the records of a table.
pub(crate) fn described(records: Records, table: &Table) -> RecordType<'static> {
    let found = records.iter().find(|(_, one)| one.noun.of(1) == table.name());
    found.map_or(RecordType::new(&[], &[]), |(_, one)| *one)
}

/// Returns the identity of the group with a title, from the mirror that `--from` names, or else from the service.
pub(crate) fn group_of_title<S: Mirrored>(
    text: &str,
    invocation: &Invocation,
) -> Result<String, Failure> {
    let table = recovered::<S>()?.groups;
    let titles = if invocation.mirror.from.is_some() {
        titles(&open::read(invocation)?, table)?
    } else if invocation.service.dry_run {
        let text = format!("cannot look up the title `{text}` in a dry run");
        return Err(Failure::usage(text).hint("use the id instead of the title"));
    } else {
        let session = Session::<S>::open(invocation)?;
        let what = format!("cannot find the {} with the title `{text}`", table.name());
        match identities::<S>(&session.client, table) {
            Some(Ok(titles)) => titles,
            Some(Err(error)) => return Err(session.explain(&error).within(&what)),
            None => {
                let failure = Failure::usage(format!("{what}: no list has all {}", plural(table)));
                return Err(failure.hint("use the id instead of the title"));
            }
        }
    };
    match &*with_title(text, table, &titles)? {
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

/// Returns the groups with this identity, or else those whose title fits the text. Case does not matter.
pub(crate) fn named(text: &str, titles: &Titles, fits: fn(&str, &str) -> bool) -> Vec<String> {
    if titles.contains_key(text) {
        return vec![text.to_owned()];
    }
    let wanted = folded(text);
    let found = titles.iter().filter(|(_, title)| fits(&folded(title), &wanted));
    found.map(|(id, _)| id.clone()).collect()
}

/// Returns the identities of the groups that a text names: one identity, or all with this title.
fn with_title(text: &str, table: &Table, titles: &Titles) -> Result<Vec<String>, Failure> {
    let found = named(text, titles, |title, wanted| title == wanted);
    if !found.is_empty() {
        return Ok(found);
    }
    let name = table.name();
    let text_of = format!("no {name} has the id or title `{text}`");
    let known: BTreeSet<String> = titles.values().cloned().collect();
    Err(Failure::usage(with_closest(text_of, text, &known)))
}

/// Returns the identities of the present groups with their titles.
pub(crate) fn titles(mirror: &Mirror, table: &'static Table) -> Result<Titles, Failure> {
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
    /// The other fields belong to the {member}. `since` is the time at which a sync first found the {value}, which can
    /// be later than the change in the service. `days` is the number of UTC midnights since then.
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
    /// placements with an end {value} are left out: one that fewer than one in ten leave, except the first one.
    #[arg(long, value_name = "TIME", value_parser = wait)]
    waiting: Option<(i64, i64)>,
}

/// Parses a time to wait: a number of days, or else of seconds.
fn wait(text: &str) -> Result<(i64, i64), &'static str> {
    let seconds = i64::try_from(duration(text)?).unwrap_or(i64::MAX);
    Ok(if text.ends_with(['d', 'w']) { (seconds / 86_400, 0) } else { (0, seconds) })
}

pub(crate) fn list(flags: &PlacementsFlags, asked: &Asked<'_>) -> Result<(), Failure> {
    let &Asked { ref mirror, of, member, invocation } = asked;
    let mut groups = BTreeSet::new();
    if !flags.groups.is_empty() {
        let titles = titles(mirror, of.groups)?;
        for text in &flags.groups {
            groups.extend(with_title(text, of.groups, &titles)?);
        }
    }
    let (days, seconds) = flags.waiting.unwrap_or_default();
    let (now, mut older, mut ended) = (now(), 0, BTreeMap::<_, u64>::new());
    // As on the dashboard, an end value does not count as waiting.
    let has_ends = flags.waiting.is_none() || !flags.values.is_empty();
    let passages =
        if has_ends { Vec::new() } else { queries::passages(mirror, of.table.name(), None)? };
    let values = asked.order()?;
    let ends = queries::ends(&passages, values.with(of.known_values).first().copied());
    let wanted = Wanted { is_longest_first: flags.waiting.is_some(), ..Wanted::default() };
    let mut found: Vec<Placement> = Vec::new();
    queries::placements(mirror, of.table.name(), &wanted, now, |one| {
        let has_value = |value: &String| flags.values.contains(value);
        let is_wanted = (groups.is_empty() || groups.contains(&one.group))
            && (flags.values.is_empty() || one.value.as_ref().is_some_and(has_value));
        let waits =
            is_wanted && one.days >= days && now.saturating_sub(one.since).max(0) >= seconds;
        match one.value.as_deref().and_then(|value| ends.get(value)) {
            Some(end) if waits => *ended.entry(*end).or_default() += 1,
            None if waits => found.push(one),
            None if is_wanted && one.is_older => older += 1,
            _ => {}
        }
        ControlFlow::Continue(())
    })?;
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
    let columns: Vec<&str> = shown.chain([&*value, &*since, &*days]).collect();
    let mut types = member.types.to_vec();
    types.extend([(&*since, FieldType::DateTime), (&*days, FieldType::Integer)]);
    let noun = Some(Noun("placement", "placements"));
    let schema =
        Schema { columns: &columns, types: &types, noun, ..Schema::of_operation(member, false) };
    let mut printer = Printer::open(invocation, &Schema { fields: &fields, ..schema })?;
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
    printer.finish()?;
    if older > 0 {
        invocation.screen.note(&format!(
            "{} may have waited longer: the first sync already found the {}",
            counted(older, "more placement"),
            of.value
        ));
    }
    if !ended.is_empty() {
        let (count, ends): (u64, Vec<&str>) = (ended.values().sum(), ended.into_keys().collect());
        let more = if count == 1 { "more has" } else { "more have" };
        // Printed even with `-q`: in a young mirror, the guess of an end value can be wrong.
        let text = format!(
            "{count} {more} an end {value} ({}); --{value} NAME lists them",
            ends.join(", "),
            value = of.value
        );
        invocation.screen.say(Tone::Dim, "note", &text);
    }
    for value in &flags.values {
        if !found.iter().any(|one| one.value.as_ref() == Some(value)) {
            warn_of_value(Some(mirror), of, value, invocation)?;
        }
    }
    asked.note_age()
}

const PAGE: usize = 500;

pub(crate) fn duplicates<C: OperationCommands>(invocation: &Invocation) -> Result<(), Failure> {
    let of = recovered::<C::Service>()?;
    let (mirror, member) = (open::read(invocation)?, described(C::RECORDS, of.members));
    let columns = of.members.columns().iter().filter(|one| one.is_personal());
    let names: Vec<String> = columns.map(|one| one.path().join("_")).collect();
    let [emails, phones] = ["mail", "phone"].map(|part| {
        names.iter().map(String::as_str).filter(|name| name.contains(part)).collect::<Vec<_>>()
    });
    let found = queries::duplicates(&mirror, of.members.name(), &emails, &phones)?;
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
    let &Asked { ref mirror, of, member, invocation } = asked;
    let name = of.members.name();
    let Some(record) = mirror.record(name, id)? else {
        return Err(Failure::usage(format!("the mirror has no {name} {id}")).hint(format!(
            "{} finds records by their text",
            invocation.command("mirror search TEXT")
        )));
    };
    let (placements, history) = placements_of(mirror, of, id)?;
    let (titles, group, value) = (titles(mirror, of.groups)?, of.group_field(), of.value);
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
        invocation.screen.warn(&format!("{name} {id} is {} in the service", record.state.as_str()));
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
    let now = format!("Now, by {}:", of.groups.name());
    writeln!(out, "\n{}", paint(color, Tone::Bold, &now))?;
    for one in placements {
        let days = counted(one.days.unsigned_abs(), "day");
        let older = if one.is_older { " or longer" } else { "" };
        writeln!(out, "  {}: {} for {days}{older}", group(&one.group), value(&one.value))?;
    }
    writeln!(out, "\n{}", paint(color, Tone::Bold, "History:"))?;
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
