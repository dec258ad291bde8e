//! `board`: how many members each group has with each value.

mod columns;
pub(crate) mod counts;
mod fold;

use std::iter;

use methodical_mirror::model::{FieldType, Table};
use methodical_mirror::{Error, Mirror};
use serde_json::Value;

use crate::config::settings::Settings;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::binding::Reader;
use crate::mirror::board::columns::{OTHER, TOTAL, UNKNOWN};
use crate::mirror::board::counts::{Counts, Group};
use crate::mirror::board::fold::fold;
use crate::mirror::failure::explained;
use crate::mirror::found::Recovered;
use crate::mirror::hooks::Mirroring;
use crate::mirror::place::{Place, note_age, open_to_read};
use crate::output::format::Format;
use crate::output::printer::Printer;
use crate::output::schema::{RecordSource, Schema};

/// Prints the counts of each group.
pub(crate) fn run(of: Mirroring, invocation: &Invocation) -> Result<(), Failure> {
    let Some(recovered) = (of.recovered)().into_iter().next() else {
        return Err(Failure::usage("cannot print a board: no list of the service has groups"));
    };
    if invocation.call.dry_run {
        invocation.screen.note("would read the mirror");
        return Ok(());
    }
    let mirror = open_to_read(invocation)?;
    check_synced(&mirror, recovered, invocation)?;
    let counts = Counts::read(&mirror, recovered).map_err(|error| explained(&error))?;
    print(counts, invocation)?;
    note_age(&mirror, &[recovered.table.name(), recovered.groups.name()], invocation)
}

/// Fails if the mirror has no groups, or none of their values yet.
fn check_synced(mirror: &Mirror, of: Recovered, invocation: &Invocation) -> Result<(), Failure> {
    let failed = |error: Error| explained(&error);
    let tables = mirror.tables().map_err(failed)?;
    let has = |table: &Table| {
        tables.iter().any(|one| one.table == table.name() && one.completed_at.is_some())
    };
    if has(of.groups) && has(of.table) {
        return Ok(());
    }
    let text = if has(of.groups) {
        format!("cannot print a board: the mirror has no {} yet", of.value)
    } else {
        "cannot print a board: the first sync has not finished".to_owned()
    };
    let settings = Settings::of_known(invocation)?;
    let sync = Place::of_reader(Reader::new(&settings, invocation))?.sync(invocation);
    Err(Failure::usage(text).hint(format!("run {sync} again, without --no-recover")))
}

fn print(mut counts: Counts, invocation: &Invocation) -> Result<(), Failure> {
    let Invocation { output, screen, .. } = invocation;
    let format = output.format()?;
    let is_table = format == Some(Format::TABLE)
        || (format.is_none() && output.file().is_none() && screen.output.is_terminal());
    counts.has_unknown = !is_table || output.fields.is_some() || counts.sum().unknown > 0;
    let width = screen.output.width.filter(|_| is_table && !output.wide && output.fields.is_none());
    let folded = width.map(|width| fold(&mut counts, width.into())).unwrap_or_default();
    let title = counts.title.iter().copied();
    let names: Vec<&str> = iter::once(counts.id)
        .chain(title)
        .chain(counts.values.iter().map(String::as_str))
        .chain(counts.has_unknown.then_some(UNKNOWN))
        .chain([TOTAL])
        .collect();
    let text = 1 + usize::from(counts.title.is_some());
    let types: Vec<_> = names.iter().skip(text).map(|name| (*name, FieldType::Integer)).collect();
    let schema = Schema {
        columns: &names,
        fields: &names,
        noun: None,
        single: false,
        types: &types,
        source: RecordSource::Response,
    };
    let mut printer = Printer::open(invocation, &schema)?;
    for group in &counts.groups {
        printer.print_line(&record(&names, &counts, group))?;
    }
    if is_table && output.choice().is_none() && !counts.groups.is_empty() {
        printer.print_line(&record(&names, &counts, &counts.sum()))?;
    }
    printer.finish()?;
    if !folded.is_empty() {
        let folded = folded.join(", ");
        screen.note(&format!("`{OTHER}` is {folded}; --wide shows all columns"));
    }
    Ok(())
}

/// Returns a group as a JSON object with the fields in this order.
fn record(names: &[&str], counts: &Counts, group: &Group) -> String {
    let unknown = counts.has_unknown.then_some(&group.unknown);
    let numbers = group.counts.iter().chain(unknown).map(|count| Value::from(*count));
    let title = counts.title.map(|_| group.title.clone());
    let values = iter::once(Value::from(&*group.id))
        .chain(title)
        .chain(numbers)
        .chain([Value::from(group.total())]);
    let members: Vec<String> = names
        .iter()
        .zip(values)
        .map(|(name, value)| format!("{}:{value}", Value::from(*name)))
        .collect();
    format!("{{{}}}", members.join(","))
}
