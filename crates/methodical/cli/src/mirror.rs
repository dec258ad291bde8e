//! The commands of a mirror: they sync a copy of the lists of the service, and read it.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt;

use methodical_client::blocking::{Client, Records};
use methodical_mirror::model::tables::{Column, Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_mirror::model::{Beside, ListOperation, Operation, PagedOperation, Record, Service};
use serde::Serialize;

use crate::connector::{self, TapFlags};
use crate::failure::Failure;
use crate::mirror::assistant::AssistantFlags;
#[cfg(feature = "dashboard")]
use crate::mirror::dashboard::DashboardFlags;
use crate::mirror::sync::SyncCommand;
use crate::mirror::watch::WatchFlags;
use crate::output::record::{Object, text_of};
use crate::run::Invocation;
use crate::session::Session;

pub(crate) mod assistant;
pub(crate) mod board;
pub(crate) mod command;
pub(crate) mod copy;
#[cfg(feature = "dashboard")]
pub(crate) mod dashboard;
pub(crate) mod list;
mod maintain;
pub(crate) mod member;
pub(crate) mod open;
pub(crate) mod placements;
mod read;
pub(crate) mod report;
mod sample;
pub(crate) mod sync;
pub(crate) mod watch;

/// The identities of the records of a table, with their titles.
pub(crate) type Titles = BTreeMap<String, String>;

/// The parts of the commands that depend on the service.
#[derive(Clone, Copy)]
pub(crate) struct Mirroring {
    pub(crate) sync: fn(&SyncCommand, &Invocation) -> Result<(), Failure>,
    #[cfg(feature = "dashboard")]
    pub(crate) dashboard: fn(&DashboardFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) watch: fn(&WatchFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) assistant: fn(&AssistantFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) tap: fn(&TapFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) found: fn() -> Found,
    pub(crate) select: Select,
    pub(crate) others: Others,
    /// Asks the service for the identities and titles of a table.
    pub(crate) titles: fn(&Table, &Invocation) -> Result<Titles, Failure>,
}

impl Mirroring {
    /// Creates the hooks of the service of a client.
    pub(crate) fn new<S: Mirrored>() -> Self {
        Self {
            sync: sync::run::<S>,
            #[cfg(feature = "dashboard")]
            dashboard: dashboard::run::<S>,
            watch: watch::run::<S>,
            assistant: assistant::run::<S>,
            tap: connector::run::<S>,
            found: found::<S>,
            select: select::<S>,
            others: others::<S>,
            titles: titles::<S>,
        }
    }

    /// Returns the first value that the mirror recovers.
    pub(crate) fn recovered(&self) -> Result<Recovered, Failure> {
        (self.found)().first_recovered()
    }
}

impl fmt::Debug for Mirroring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mirroring").finish_non_exhaustive()
    }
}

/// A value that the mirror recovers: the value of a member in a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovered {
    /// The table of the placements.
    pub(crate) table: &'static Table,
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    /// The name of the value.
    pub(crate) value: &'static str,
    /// The values that the contract lists.
    pub(crate) known_values: &'static [&'static str],
}

impl Recovered {
    /// Returns the name of the field with the identity of the member, such as `photo_id`.
    pub(crate) fn member_field(&self) -> String {
        format!("{}_{}", self.members.name(), self.members.identity())
    }

    /// Returns the name of the field with the identity of the group.
    pub(crate) fn group_field(&self) -> String {
        format!("{}_{}", self.groups.name(), self.groups.identity())
    }

    fn of<O>(recovery: &Recovery<O>) -> Self {
        let &Recovery { table, members, groups, value, known_values, .. } = recovery;
        Self { table, members, groups, value, known_values }
    }
}

/// The parts of a mirror that commands name.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) parts: Vec<Part>,
    pub(crate) recovered: Vec<Recovered>,
}

/// A part of a mirror.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// A table, and the API method of its list.
    Table(&'static Table, &'static str),
    /// The samples of a gauge.
    Gauge(Gauge),
}

impl Found {
    /// Returns all tables, with the API method of the list of each.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (&'static Table, &'static str)> {
        self.parts.iter().filter_map(|part| match *part {
            Part::Table(table, method) => Some((table, method)),
            Part::Gauge(_) => None,
        })
    }

    /// Returns all gauges.
    pub(crate) fn gauges(&self) -> impl Iterator<Item = Gauge> {
        self.parts.iter().filter_map(|part| match *part {
            Part::Table(..) => None,
            Part::Gauge(gauge) => Some(gauge),
        })
    }

    /// Returns the first value that the mirror recovers.
    pub(crate) fn first_recovered(&self) -> Result<Recovered, Failure> {
        let first = self.recovered.first().copied();
        first.ok_or_else(|| Failure::usage("cannot answer: no list of the service has groups"))
    }

    /// Returns the names of the tables that have personal columns.
    pub(crate) fn personal(&self) -> Vec<&'static str> {
        let recovered =
            |table: &Table| self.recovered.iter().any(|one| one.table.name() == table.name());
        let tables = self.tables().map(|(table, _)| table);
        let personal =
            tables.filter(|one| !recovered(one) && one.columns().iter().any(Column::is_personal));
        personal.map(Table::name).collect()
    }
}

/// Returns the parts of the mirror of a service.
pub(crate) fn found<S: Mirrored>() -> Found {
    let mut visitor = Visitor::<S>::default();
    S::visit(&mut visitor);
    visitor.found
}

/// Returns what a query selects from a mirror.
pub(crate) type Select = fn(query: &dyn Any) -> Selected;

/// The records of a mirror that a query selects.
#[derive(Clone, Debug)]
pub(crate) enum Selected {
    /// All records of a table.
    All(&'static Table),
    /// The members of a group.
    Members(Members),
    /// The mirror has the list of the query, but not the records that its parameters select.
    Other,
    /// The mirror does not have the list.
    Nothing,
}

/// The members of a group, or those with a value.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    /// The tables, and the name of the value.
    pub(crate) of: Recovered,
    pub(crate) group: String,
    pub(crate) value: Option<String>,
    pub(crate) identities: Identities,
}

/// Returns what a query selects from the mirror of the service.
fn select<S: Mirrored>(query: &dyn Any) -> Selected {
    let mut visitor = Visitor::<S> { query: Some(query), ..Visitor::default() };
    S::visit(&mut visitor);
    match visitor.selected {
        Selected::Members(members) => {
            Selected::Members(Members { identities: identities::<S>, ..members })
        }
        other => other,
    }
}

/// Returns the queries for other values than that of a query.
pub(crate) type Others = fn(query: &dyn Any, values: &[String]) -> Vec<Box<dyn Any>>;

fn others<S: Mirrored>(query: &dyn Any, values: &[String]) -> Vec<Box<dyn Any>> {
    let mut visitor = Visitor::<S> { query: Some(query), values, ..Visitor::default() };
    S::visit(&mut visitor);
    visitor.others
}

/// Asks the service for the identities of a table, with their titles. The client is that of the service; `None` if the list cannot be
/// read.
pub(crate) type Identities = fn(client: &dyn Any, table: &Table) -> Option<Titles>;

fn identities<S: Mirrored>(client: &dyn Any, table: &Table) -> Option<Titles> {
    let asked = client.downcast_ref().map(|client| (client, table));
    let mut visitor = Visitor::<S> { asked, ..Visitor::default() };
    S::visit(&mut visitor);
    visitor.identities
}

fn titles<S: Mirrored>(table: &Table, invocation: &Invocation) -> Result<Titles, Failure> {
    let session = Session::<S>::open(invocation)?;
    identities::<S>(&session.client, table).ok_or_else(|| {
        Failure::usage(format!(
            "cannot look up the title of a {}: cannot read their list",
            table.name()
        ))
        .hint("use the identity in place of the title")
    })
}

/// Finds the parts of a mirror, what a query selects, or the identities of a table.
struct Visitor<'a, S> {
    found: Found,
    query: Option<&'a dyn Any>,
    selected: Selected,
    asked: Option<(&'a Client<S>, &'a Table)>,
    identities: Option<Titles>,
    /// Values for which queries are created.
    values: &'a [String],
    others: Vec<Box<dyn Any>>,
}

impl<S> Default for Visitor<'_, S> {
    fn default() -> Self {
        Self {
            found: Found::default(),
            query: None,
            selected: Selected::Nothing,
            asked: None,
            identities: None,
            values: &[],
            others: Vec::new(),
        }
    }
}

impl<S: Service> Visitor<'_, S> {
    /// Takes a list that returns the whole table.
    fn whole<O: Operation + 'static>(&mut self, table: &'static Table, all: &O) {
        self.found.parts.push(Part::Table(table, O::METHOD));
        let Some(query) = self.query.and_then(<dyn Any>::downcast_ref::<O>) else { return };
        if is_same(query, all) {
            self.selected = Selected::All(table);
        } else if matches!(self.selected, Selected::Nothing) {
            self.selected = Selected::Other;
        }
    }

    /// Returns the client if the identities of a table are asked for.
    fn asks_for(&self, table: &Table) -> Option<&Client<S>> {
        self.asked.filter(|(_, asked)| asked.name() == table.name()).map(|(client, _)| client)
    }

    fn read<T: Record, B: Beside>(&mut self, table: &'static Table, mut entries: Records<T, B>) {
        let mut found = BTreeMap::new();
        let title = board::title(table).unwrap_or_default();
        while let Some(entry) = entries.next_json_with(|_, json| {
            let object = Object::parse(json);
            let text = |name| text_of(object.get(name)).into_owned();
            found.insert(text(table.identity()), text(title));
        }) {
            if entry.is_err() {
                return;
            }
        }
        self.identities = Some(found);
    }
}

impl<S: Service> MirrorVisitor<S> for Visitor<'_, S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query);
        if let Some(Ok(entries)) = self.asks_for(table).map(|client| client.stream(&query)) {
            self.read(table, entries);
        }
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query);
        if let Some(entries) = self.asks_for(table).map(|client| client.stream_all(&query)) {
            self.read(table, entries);
        }
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let of = Recovered::of(&recovery);
        self.found.parts.push(Part::Table(recovery.table, O::METHOD));
        self.found.recovered.push(of);
        let Some(query) = self.query.and_then(<dyn Any>::downcast_ref::<O>) else { return };
        let (Some(group), value) = (recovery.filters)(query) else { return };
        let same = match &value {
            Some(value) => (recovery.of_value)(&group, value),
            None => (recovery.of_group)(&group),
        };
        // A query with another parameter selects other records.
        if !same.is_ok_and(|same| is_same(&same, query)) {
            return;
        }
        let others = self.values.iter().filter_map(|value| (recovery.of_value)(&group, value).ok());
        for other in others {
            self.others.push(Box::new(other));
        }
        self.selected = Selected::Members(Members { of, group, value, identities: |_, _| None });
    }

    fn gauge<O>(&mut self, gauge: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.found.parts.push(Part::Gauge(gauge));
    }
}

/// Returns whether two queries are sent in the same way.
fn is_same<O: Operation>(one: &O, other: &O) -> bool {
    match (one.query(), other.query()) {
        (Ok(one), Ok(other)) => one.as_str() == other.as_str() && one.path() == other.path(),
        _ => false,
    }
}
