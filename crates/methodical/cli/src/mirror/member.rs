//! `show`: a member of the mirror with its groups and values, now and before.

use std::io::Write as _;
use std::ops::ControlFlow;

use methodical_mirror::queries::{self, Placement, Wanted};
use methodical_mirror::{Error, Mirror, PastValue, State};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::mirror::open::{ask, local, note_age, now};
use crate::mirror::placements::{Records, described, titles};
use crate::mirror::{Recovered, Titles};
use crate::output::destination::Destination;
use crate::output::printer::{Printer, Schema, counted};
use crate::output::record::{Cells, Line, Path};
use crate::program::RecordType;
use crate::run::Invocation;
use crate::screen::{Tone, paint, printable};

struct Shown {
    of: Recovered,
    member: RecordType<'static>,
    /// The record as JSON.
    json: String,
    placements: Vec<Placement>,
    history: Vec<PastValue>,
    titles: Titles,
}

/// Shows a member: its fields, its placements, and how they changed.
pub(crate) fn show(
    id: &str,
    of: Recovered,
    records: Records,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mirror = ask(of, invocation)?;
    let name = of.members.name();
    let Some(record) = mirror.record(name, id)? else {
        return Err(Failure::usage(format!("the mirror has no {name} {id}")).hint(format!(
            "{} finds records by their text",
            invocation.command("mirror search TEXT")
        )));
    };
    let (placements, history) = placements_of(&mirror, of, id)?;
    let member = described(records, of.members);
    let json = Line::new().record(member.fields, &record.json).end();
    let titles = titles(&mirror, of.groups)?;
    let shown = Shown { of, member, json, placements, history, titles };
    let output = &invocation.output;
    if output.is_table(invocation.screen)? && output.selection().is_none() {
        shown.write(invocation)?;
    } else {
        shown.print(invocation)?;
    }
    if record.state != State::Present {
        invocation.screen.warn(&format!("{name} {id} is {} in the service", record.state.as_str()));
    }
    note_age(&mirror, &[of.table.name(), of.groups.name()], invocation)
}

/// Returns the placements of a member, and its past values.
pub(crate) fn placements_of(
    mirror: &Mirror,
    of: Recovered,
    id: &str,
) -> Result<(Vec<Placement>, Vec<PastValue>), Error> {
    let (table, wanted) = (of.table.name(), Wanted { member: Some(id), ..Wanted::default() });
    let (mut placements, mut history) = (Vec::new(), Vec::new());
    queries::placements(mirror, table, &wanted, now(), |one| {
        placements.push(one);
        ControlFlow::Continue(())
    })?;
    mirror.each_past_value(table, Some(id), |one| {
        history.push(one);
        ControlFlow::Continue(())
    })?;
    Ok((placements, history))
}

impl Shown {
    fn write(&self, invocation: &Invocation) -> Result<(), Failure> {
        let mut out = Destination::open(invocation.output.file(), &invocation.program)?;
        let color = out.view(invocation.screen).color;
        let mut cells = Cells::read(&self.json);
        let leaves = Schema::of_operation(self.member, false).leaves();
        let width = leaves.iter().map(|name| name.len()).max().unwrap_or_default();
        let paths: Vec<Path> = leaves.into_iter().map(Path::parse).collect();
        for path in &paths {
            let cell = cells.cell(path);
            let line = format!("{:width$}  {}", path.to_string(), printable(&cell));
            writeln!(out, "{}", line.trim_end())?;
        }
        let group = |id: &str| match self.titles.get(id).filter(|title| !title.is_empty()) {
            Some(title) => printable(&format!("{title} ({id})")).into_owned(),
            None => printable(id).into_owned(),
        };
        let value =
            |text: &Option<String>| printable(text.as_deref().unwrap_or("unknown")).into_owned();
        let now = format!("Now, by {}:", self.of.groups.name());
        writeln!(out, "\n{}", paint(color, Tone::Bold, &now))?;
        for one in &self.placements {
            let (group, value) = (group(&one.group), value(&one.value));
            let days = counted(one.days.unsigned_abs(), "day");
            let older = if one.is_older { " or longer" } else { "" };
            writeln!(out, "  {group}: {value} for {days}{older}")?;
        }
        writeln!(out, "\n{}", paint(color, Tone::Bold, "History:"))?;
        for one in &self.history {
            let (group, value) = (group(&one.group), value(&one.value));
            let until = one.ended_at.map(|at| format!(" until {}", local(at))).unwrap_or_default();
            let before = if one.began_before { " or earlier" } else { "" };
            writeln!(out, "  {}{before}{until}: {value} in {group}", local(one.began_at))?;
        }
        Ok(out.finish()?)
    }

    fn print(&self, invocation: &Invocation) -> Result<(), Failure> {
        let (group, value) = (self.of.group_field(), self.of.value);
        let placements = self.placements.iter().map(|one| {
            let since = local(one.since);
            json!({&group: one.group, "title": one.title, value: one.value, "since": since, "days": one.days})
        });
        let history = self.history.iter().map(|one| {
            let (title, since) = (self.titles.get(&one.group), local(one.began_at));
            let until = one.ended_at.map(local);
            json!({&group: one.group, "title": title, value: one.value, "since": since, "until": until})
        });
        let [placements, history]: [Value; 2] = [placements.collect(), history.collect()];
        let own = ["placements", "history"];
        let fields: Vec<&str> = self.member.fields.iter().copied().chain(own).collect();
        let schema = Schema { fields: &fields, ..Schema::of_operation(self.member, true) };
        let mut printer = Printer::open(invocation, &schema)?;
        let line = Line::new().record(self.member.fields, &self.json);
        printer.print_line(&line.add("placements", placements).add("history", history).end())?;
        printer.finish()
    }
}
