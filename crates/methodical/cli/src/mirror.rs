//! The mirror commands: they sync a copy of the service's lists and read it. This file finds the parts of a mirror that
//! commands name, and what a query of the service selects from a mirror.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use methodical_client::Error as CallError;
use methodical_client::blocking::{Client, Records};
use methodical_mirror::model::tables::{Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_mirror::model::{ListOperation, Operation, PagedOperation, Record, Service};
use methodical_mirror::queries::{Wanted, board, placements};
use methodical_mirror::{Filter, Mirror, State};
use serde::Serialize;

use crate::commands::Invocation;
use crate::failure::Failure;
use crate::mirror::open::{Place, each_record, note_age, read, read_place};
use crate::output::midnight;
use crate::output::printer::{Printer, Schema};
use crate::output::record::{Line, Object, text_of};
use crate::program::RecordType;
use crate::screen::{WARNING, closest};
use crate::settings::MirrorFlags;

pub(crate) mod assistant;
#[cfg(feature = "dashboard")]
pub(crate) mod dashboard;
pub(crate) mod open;
pub(crate) mod placements;
pub(crate) mod sync;
pub(crate) mod upkeep;

/// The identities of a table's records, with their titles.
pub(crate) type Titles = BTreeMap<String, String>;

/// Returns the first value that the mirror recovers. Fails if no list of the service has groups.
pub(crate) fn recovered<S: Mirrored>() -> Result<Recovered, Failure> {
    let first = found::<S>().recovered.first().copied();
    first.ok_or_else(|| Failure::usage("cannot answer: no list of the service has groups"))
}

/// A value that the mirror recovers: a member's value in a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovered {
    /// The table of the placements.
    pub(crate) table: &'static Table,
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    /// The name of the recovered value.
    pub(crate) value: &'static str,
    /// The values that the contract lists.
    pub(crate) known_values: &'static [&'static str],
}

impl Recovered {
    /// Returns the name of the field with the member's identity, such as `photo_id`.
    pub(crate) fn member_field(&self) -> String {
        format!("{}_{}", self.members.name(), self.members.identity())
    }

    pub(crate) fn group_field(&self) -> String {
        format!("{}_{}", self.groups.name(), self.groups.identity())
    }
}

/// The parts of a mirror that commands name.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) tables: Vec<&'static Table>,
    pub(crate) gauges: Vec<Gauge>,
    pub(crate) recovered: Vec<Recovered>,
}

pub(crate) fn found<S: Mirrored>() -> Found {
    visit::<S>(None, None).found
}

/// The records of a mirror that a query selects: all records of a table, or the members of a group.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    table: &'static Table,
    members: Option<Members>,
}

/// The members of a group: all of them, or only the members with certain values.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    /// The tables, and the name of the recovered value.
    pub(crate) of: Recovered,
    pub(crate) group: String,
    /// The accepted values. An empty list accepts all values.
    pub(crate) values: Vec<String>,
}

/// Returns what a query selects from the service's mirror, and the queries for further values on the command line. The
/// selection is `None` if the mirror lacks the list, or cannot tell which records the query's parameters select.
pub(crate) fn select<S: Mirrored, O: 'static>(
    query: &O,
    flags: &MirrorFlags,
) -> (Option<Selected>, Vec<O>) {
    let visitor = visit::<S>(Some((query, flags)), None);
    let others = visitor.others.into_iter().filter_map(|other| other.downcast().ok());
    (visitor.selected, others.map(|other| *other).collect())
}

/// Asks the service for the identities and titles of a table's records. Returns `None` if no list has the whole table.
pub(crate) fn identities<S: Mirrored>(
    client: &Client<S>,
    table: &Table,
) -> Option<Result<Titles, CallError>> {
    visit(None, Some((client, table))).identities
}

/// Finds the parts of a mirror, and either what a query selects or a table's identities.
struct Visitor<'a, S> {
    found: Found,
    /// A query, and the command line with more values.
    query: Option<(&'a dyn Any, &'a MirrorFlags)>,
    selected: Option<Selected>,
    others: Vec<Box<dyn Any>>,
    asked: Option<(&'a Client<S>, &'a Table)>,
    identities: Option<Result<Titles, CallError>>,
}

fn visit<'a, S: Mirrored>(
    query: Option<(&'a dyn Any, &'a MirrorFlags)>,
    asked: Option<(&'a Client<S>, &'a Table)>,
) -> Visitor<'a, S> {
    let (found, selected, others) = (Found::default(), None, Vec::new());
    let mut visitor = Visitor { found, query, selected, others, asked, identities: None };
    S::visit(&mut visitor);
    visitor
}

impl<S: Service> Visitor<'_, S> {
    /// Handles a list that returns the whole table. If its identities are requested, calls the list with `open`.
    fn whole<O: ListOperation + 'static>(
        &mut self,
        table: &'static Table,
        all: &O,
        open: impl FnOnce(&Client<S>) -> Result<Records<O::Item, O::Metadata>, CallError>,
    ) {
        self.found.tables.push(table);
        let query = self.query.and_then(|(query, _)| query.downcast_ref::<O>());
        if query.is_some_and(|query| is_same(query, all)) {
            self.selected = Some(Selected { table, members: None });
        }
        if let Some((client, _)) = self.asked.filter(|(_, asked)| asked.name() == table.name()) {
            self.identities = Some(open(client).and_then(|entries| titles::<O>(table, entries)));
        }
    }
}

/// Reads the identities of a list's records, with their titles.
fn titles<O: ListOperation>(
    table: &'static Table,
    mut entries: Records<O::Item, O::Metadata>,
) -> Result<Titles, CallError> {
    let mut titles = Titles::new();
    let title = placements::title(table).unwrap_or_default();
    while let Some(entry) = entries.next_json_with(|_, json| {
        let object = Object::parse(json);
        let text = |name| text_of(object.get(name)).into_owned();
        titles.insert(text(table.identity()), text(title));
    }) {
        entry?;
    }
    Ok(titles)
}

impl<S: Service> MirrorVisitor<S> for Visitor<'_, S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query, |client| client.stream(&query));
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query, |client| Ok(client.stream_all(&query)));
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let &Recovery { table, members, groups, value, known_values, .. } = &recovery;
        let of = Recovered { table, members, groups, value, known_values };
        self.found.tables.push(table);
        self.found.recovered.push(of);
        let Some((query, flags)) = self.query else { return };
        let Some(query) = query.downcast_ref::<O>() else { return };
        let (Some(group), value) = (recovery.filters)(query) else { return };
        let same = match &value {
            Some(value) => (recovery.of_value)(&group, value),
            None => (recovery.of_group)(&group),
        };
        // A query with another parameter selects other records.
        if !same.is_ok_and(|same| is_same(&same, query)) {
            return;
        }
        for other in flags.more_values.iter().flat_map(|value| (recovery.of_value)(&group, value)) {
            self.others.push(Box::new(other));
        }
        let values = value.into_iter().chain(flags.more_values.iter().cloned()).collect();
        self.selected =
            Some(Selected { table: members, members: Some(Members { of, group, values }) });
    }

    fn gauge<O>(&mut self, gauge: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.found.gauges.push(gauge);
    }
}

fn is_same<O: Operation>(one: &O, other: &O) -> bool {
    match (one.query(), other.query()) {
        (Ok(one), Ok(other)) => one.as_str() == other.as_str() && one.path() == other.path(),
        _ => false,
    }
}

/// Prints the records that a query of the service selects from a mirror.
pub(crate) fn print_list(
    selected: Option<&Selected>,
    record: RecordType<'_>,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Some(Selected { table, members }) = selected else {
        let text = "cannot use --from: this command's records are not in the mirror";
        return Err(Failure::usage(text).hint("omit --from to ask the service"));
    };
    let (mirror, place) = read_place(invocation)?;
    let placed = members.as_ref().map(|members| placed(&mirror, &place, members)).transpose()?;
    let mut filter = Filter::new().state(State::Present);
    if let Some(since) = invocation.mirror.new_since {
        filter = filter.first_seen_since(midnight(since));
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
    let placements = members.iter().map(|members| members.of.table.name());
    note_age(&mirror, &[table.name()].into_iter().chain(placements).collect::<Vec<_>>(), invocation)
}

/// Prints a note about unknown values of a group's members.
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
        warn_of_value(Some(mirror), *of, value, invocation);
    }
    Ok(())
}

/// The members of a group that a query selects.
#[derive(Default)]
struct Placed {
    ids: HashSet<String>,
    /// The known values of the selected members.
    values: HashSet<String>,
    /// Other members whose value is unknown. They may have a selected value.
    unknown: HashSet<String>,
}

/// Reads the members of a group: all of them, or only the members with certain values.
fn placed(mirror: &Mirror, place: &Place<'_>, members: &Members) -> Result<Placed, Failure> {
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
    })
    .map_err(|error| place.without_values(error, members.of, mirror))?;
    Ok(placed)
}

/// Prints a note about unknown names in a query, after the service returned no record for some or all of its values.
pub(crate) fn note_unknown<S: Mirrored>(
    selected: Option<&Selected>,
    client: Option<&Client<S>>,
    invocation: &Invocation,
) {
    let members = selected.and_then(|selected| selected.members.as_ref());
    let Some(Members { of, group, values }) = members else { return };
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
        warn_of_value(read(invocation).ok().as_ref(), *of, value, invocation);
    }
}

/// Warns if a value is unknown. Values match exactly, so the list would be empty, which looks like a valid result: the
/// warning is printed even with -q.
pub(crate) fn warn_of_value(
    mirror: Option<&Mirror>,
    of: Recovered,
    value: &str,
    invocation: &Invocation,
) {
    let text = format!("unknown {} `{value}`", of.value);
    if let Some(text) = unknown(mirror, of, value, text) {
        invocation.screen.say(WARNING, "warning", &text);
    }
}

/// Returns a note if neither the contract nor the mirror has the value. The note begins with `text` and suggests the
/// closest value. A mirror that cannot be read counts as one without values.
pub(crate) fn unknown(
    mirror: Option<&Mirror>,
    of: Recovered,
    value: &str,
    text: String,
) -> Option<String> {
    let mut known: BTreeSet<String> = of.known_values.iter().map(|&one| one.to_owned()).collect();
    if let Some(Ok(board)) = mirror.map(|mirror| board(mirror, of.table.name(), &[], false)) {
        known.extend(board.values.into_iter().flatten());
    }
    (!known.contains(value)).then(|| with_closest(text, value, &known))
}

pub(crate) fn with_closest(text: String, name: &str, known: &BTreeSet<String>) -> String {
    let names = || known.iter().map(String::as_str);
    let same = names().find(|one| one.to_lowercase() == name.to_lowercase());
    match same.or_else(|| closest(name, names())) {
        Some(other) => format!("{text}; did you mean `{other}`?"),
        None => text,
    }
}
