//! Lists of the service, answered from a mirror, and the names that it knows.

use std::collections::{BTreeSet, HashSet};
use std::ops::ControlFlow;

use methodical_client::blocking::Client;
use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::queries::{Wanted, board, placements};
use methodical_mirror::{Error, Filter, Mirror, State};

use crate::failure::Failure;
use crate::mirror::open::{each_record, note_age, read};
use crate::mirror::{Members, Recovered, Selected, identities};
use crate::output::printer::{Printer, Schema};
use crate::output::record::Line;
use crate::program::RecordType;
use crate::run::Invocation;
use crate::screen::{Tone, closest};

/// Prints the records of a mirror that a query of the service selects.
pub(crate) fn print(
    selected: &Selected,
    record: RecordType<'_>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let (table, tables, members) = match selected {
        Selected::All(table) => (*table, vec![table.name()], None),
        Selected::Members(members) => {
            let of = members.of;
            (of.members, vec![of.members.name(), of.table.name()], Some(members))
        }
        Selected::Nothing => {
            let text = "cannot use --from: the mirror does not contain the records of this command";
            return Err(Failure::usage(text).hint("omit --from to ask the service"));
        }
    };
    let mirror = read(invocation)?;
    let placed = members.map(|members| placed(&mirror, members)).transpose()?;
    let mut filter = Filter::new().state(State::Present);
    if let Some(since) = invocation.mirror.new_since {
        filter = filter.first_seen_since(since);
    }
    let mut printer = Printer::open(invocation, &Schema::of_operation(record, false))?;
    let read = each_record(&mirror, table.name(), &filter, |one| {
        if placed.as_ref().is_none_or(|placed| placed.ids.contains(&one.id)) {
            printer.print_line(&Line::new().record(record.fields, &one.json).end())?;
        }
        Ok(!printer.is_done())
    });
    if let Err(failure) = read {
        printer.abort();
        return Err(failure);
    }
    printer.finish()?;
    if let (Some(placed), Some(members)) = (&placed, members) {
        note_members(&mirror, placed, members, invocation)?;
    }
    note_age(&mirror, &tables, invocation)
}

/// Prints a note about what is not known of the members of a group.
fn note_members(
    mirror: &Mirror,
    placed: &Placed,
    Members { of, group, values }: &Members,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let unknown = placed.unknown.len();
    if unknown > 0 {
        let (members, value) = (of.members.name(), of.value);
        let text =
            format!("{unknown} more records ({members}) may match: their {value} is unknown");
        invocation.screen.note(&text);
    }
    let table = of.groups.name();
    if placed.ids.is_empty()
        && mirror.record(table, group)?.is_none_or(|one| one.state != State::Present)
    {
        invocation.screen.warn(&format!("the mirror has no {table} {group}"));
    }
    for value in values.iter().filter(|value| !placed.values.contains(*value)) {
        warn_of_value(Some(mirror), *of, value, invocation)?;
    }
    Ok(())
}

/// The members of a group.
#[derive(Default)]
struct Placed {
    ids: HashSet<String>,
    /// The values that some of them have.
    values: HashSet<String>,
    /// The members whose value is unknown, so that they may have it.
    unknown: HashSet<String>,
}

/// Reads the members of a group: all, or only those with some values.
fn placed(mirror: &Mirror, members: &Members) -> Result<Placed, Error> {
    let mut placed = Placed::default();
    let wanted = Wanted { group: Some(&members.group), ..Wanted::default() };
    placements(mirror, members.of.table.name(), &wanted, 0, |one| {
        let is_wanted = |value| members.values.contains(value);
        if members.values.is_empty() || one.value.as_ref().is_some_and(is_wanted) {
            placed.ids.insert(one.member);
            placed.values.extend(one.value);
        } else if one.value.is_none() {
            placed.unknown.insert(one.member);
        }
        ControlFlow::Continue(())
    })?;
    Ok(placed)
}

/// Prints a note about unknown names in a query, after the service returned no record for some or all of its values.
pub(crate) fn note_unknown<S: Mirrored>(
    selected: &Selected,
    client: Option<&Client<S>>,
    invocation: &Invocation,
) {
    let Selected::Members(Members { of, group, values }) = selected else { return };
    // With -q, the list of groups is not needed.
    let client = client.filter(|_| !invocation.screen.quiet);
    if let Some(Ok(known)) = client.and_then(|client| identities(client, of.groups)) {
        let known: BTreeSet<String> = known.into_keys().collect();
        if !known.contains(group) {
            let text = format!("{} {group} does not exist", of.groups.name());
            invocation.screen.note(&with_closest(text, group, &known));
        }
    }
    for value in values {
        // Without a mirror that can be read, the contract decides.
        let mirror = read(invocation).ok();
        let noted = warn_of_value(mirror.as_ref(), *of, value, invocation);
        drop(noted.or_else(|_unreadable| warn_of_value(None, *of, value, invocation)));
    }
}

/// Warns if a value is unknown. Values match exactly, so the list would be empty, which looks like a valid result: the
/// warning is printed even with -q.
pub(crate) fn warn_of_value(
    mirror: Option<&Mirror>,
    of: Recovered,
    value: &str,
    invocation: &Invocation,
) -> Result<(), Error> {
    let text = format!("unknown {} `{value}`", of.value);
    if let Some(text) = unknown(mirror, of, value, text)? {
        invocation.screen.say(Tone::Warning, "warning", &text);
    }
    Ok(())
}

/// If neither the contract nor the mirror has the value, returns a note that begins with `text` and suggests the
/// closest value.
pub(crate) fn unknown(
    mirror: Option<&Mirror>,
    of: Recovered,
    value: &str,
    text: String,
) -> Result<Option<String>, Error> {
    let known = known_values(mirror, of)?;
    Ok((!known.contains(value)).then(|| with_closest(text, value, &known)))
}

/// Returns the values of the contract, and those of the mirror.
fn known_values(mirror: Option<&Mirror>, of: Recovered) -> Result<BTreeSet<String>, Error> {
    let mut values: BTreeSet<String> = of.known_values.iter().map(|&one| one.to_owned()).collect();
    if let Some(mirror) = mirror {
        let board = board(mirror, of.table.name(), &[], false)?;
        values.extend(board.values.into_iter().flatten());
    }
    Ok(values)
}

pub(crate) fn with_closest(text: String, name: &str, known: &BTreeSet<String>) -> String {
    let names = || known.iter().map(String::as_str);
    let same = names().find(|one| one.to_lowercase() == name.to_lowercase());
    match same.or_else(|| closest(name, names())) {
        Some(other) => format!("{text}; did you mean `{other}`?"),
        None => text,
    }
}
