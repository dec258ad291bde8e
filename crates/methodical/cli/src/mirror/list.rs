//! Lists of the service, answered from a mirror.

use std::any::Any;
use std::collections::HashSet;
use std::io;
use std::ops::ControlFlow;

use methodical_mirror::{Error, Filter, Mirror, State};
use serde_json::{Map, Value};

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::failure::explained;
use crate::mirror::in_order::InOrder;
use crate::mirror::place::{note_age, open_for_list};
use crate::mirror::selected::{Members, Select, Selected};
use crate::mirror::unknown::unknown;
use crate::output::printer::Printer;
use crate::output::schema::Schema;
use crate::record_type::RecordType;

/// Prints the records of a mirror that a query selects.
pub(crate) fn print(
    query: &dyn Any,
    select: Select,
    record: RecordType<'_>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let selected = select(query);
    let (table, tables) = match &selected {
        Selected::All(table) => (*table, vec![table.name()]),
        Selected::Members(Members { of, .. }) => {
            (of.members, vec![of.members.name(), of.table.name()])
        }
        Selected::Other => {
            let text = "cannot answer from the mirror: it does not know which records these parameters select";
            return Err(Failure::usage(text).hint("leave out --from to ask the service"));
        }
        Selected::Nothing => {
            return Err(Failure::usage(
                "cannot answer from the mirror: it does not have this list",
            )
            .hint("leave out --from to ask the service"));
        }
    };
    if invocation.call.dry_run {
        invocation.screen.note("would read the mirror");
        return Ok(());
    }
    let mirror = open_for_list(invocation)?;
    let failed = |error: Error| explained(&error);
    let members = match &selected {
        Selected::Members(members) => Some(placed(&mirror, members).map_err(failed)?),
        _ => None,
    };
    let mut filter = Filter::new().state(State::Present);
    if let Some(since) = invocation.output.new_since {
        filter = filter.first_seen_since(since);
    }
    let mut printer = Printer::open(invocation, &Schema::of_operation(record, false))?;
    let in_order = InOrder::of(record.fields);
    let mut done = io::Result::Ok(());
    let read = mirror.each_matching(table.name(), &filter, |record| {
        if members.as_ref().is_none_or(|members| members.ids.contains(&record.id)) {
            done = printer.print_line(&in_order.write(&record.json));
        }
        let ends = done.is_err() || printer.is_done();
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    let read = read.map_err(failed);
    if let Err(failure) = done.map_err(Failure::from).and(read) {
        printer.abort();
        return Err(failure);
    }
    printer.finish()?;
    if let (Some(Placed { unknown, .. }), Selected::Members(of)) = (&members, &selected)
        && *unknown > 0
    {
        let (table, value) = (of.of.members.name(), of.of.value);
        let text = format!("the {value} of {unknown} more records ({table}) is not known");
        invocation.screen.note(&text);
    }
    if let (Some(placed), Selected::Members(members)) = (&members, &selected)
        && placed.ids.is_empty()
    {
        if !has_group(&mirror, members).map_err(failed)? {
            let (table, group) = (members.of.groups.name(), &members.group);
            invocation.screen.warn(&format!("the mirror has no {table} {group}"));
        }
        if let Some(value) = &members.value {
            let text = format!("unknown {} `{value}`", members.of.value);
            let note = unknown(Some(&mirror), members.of, value, text).map_err(failed)?;
            if let Some(note) = note {
                invocation.screen.note(&note);
            }
        }
    }
    note_age(&mirror, &tables, invocation)
}

/// Returns whether the mirror has the group.
fn has_group(mirror: &Mirror, members: &Members) -> Result<bool, Error> {
    let mut found = false;
    mirror.each_matching(
        members.of.groups.name(),
        &Filter::new().state(State::Present),
        |record| {
            found = record.id == members.group;
            if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    )?;
    Ok(found)
}

/// The members of a group.
struct Placed {
    ids: HashSet<String>,
    /// How many others may have the value: theirs is not known.
    unknown: u64,
}

/// Reads the members of a group, or those with a value.
fn placed(mirror: &Mirror, members: &Members) -> Result<Placed, Error> {
    let filter = Filter::new().state(State::Present).column(&members.group_column, &members.group);
    let mut placed = Placed { ids: HashSet::new(), unknown: 0 };
    mirror.each_matching(members.of.table.name(), &filter, |record| {
        let fields: Map<String, Value> = serde_json::from_str(&record.json).unwrap_or_default();
        let text = |name: &str| match fields.get(name) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Null) | None => None,
            Some(other) => Some(other.to_string()),
        };
        let value = text(members.of.value);
        if members.value.is_none() || members.value == value {
            placed.ids.extend(text(&members.member_column));
        } else if value.is_none() {
            placed.unknown += 1;
        }
        ControlFlow::Continue(())
    })?;
    Ok(placed)
}
