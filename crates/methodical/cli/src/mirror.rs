//! The commands of a mirror: they sync a copy of the lists of the service, and read it.

use std::any::Any;
use std::collections::BTreeMap;

use methodical_client::Error;
use methodical_client::blocking::{Client, Records};
use methodical_mirror::model::tables::{Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_mirror::model::{Beside, ListOperation, Operation, PagedOperation, Record, Service};
use serde::Serialize;

use crate::failure::Failure;
use crate::output::record::{Object, text_of};
use crate::settings::MirrorFlags;

pub(crate) mod assistant;
pub(crate) mod counts;
#[cfg(feature = "dashboard")]
pub(crate) mod dashboard;
pub(crate) mod list;
pub(crate) mod maintain;
pub(crate) mod open;
pub(crate) mod placements;
pub(crate) mod read;
pub(crate) mod sync;

/// The identities of the records of a table, with their titles.
pub(crate) type Titles = BTreeMap<String, String>;

/// Returns the first value that the mirror recovers.
pub(crate) fn recovered<S: Mirrored>() -> Result<Recovered, Failure> {
    let first = found::<S>().recovered.first().copied();
    first.ok_or_else(|| Failure::usage("cannot answer: no list of the service has groups"))
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

/// The records of a mirror that a query selects.
#[derive(Clone, Debug)]
pub(crate) enum Selected {
    /// All records of a table.
    All(&'static Table),
    /// The members of a group.
    Members(Members),
    /// The mirror lacks the list, or cannot tell which records its parameters select.
    Nothing,
}

/// The members of a group: all, or only those with some values.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    /// The tables, and the name of the value.
    pub(crate) of: Recovered,
    pub(crate) group: String,
    /// If it is empty, all values.
    pub(crate) values: Vec<String>,
}

/// Returns what a query selects from the mirror of the service, together with the queries for further values on the
/// command line.
pub(crate) fn select<S: Mirrored, O: 'static>(
    query: &O,
    flags: &MirrorFlags,
) -> (Selected, Vec<O>) {
    let visitor = visit::<S>(Some((query, flags)), None);
    let others = visitor.others.into_iter().filter_map(|other| other.downcast().ok());
    (visitor.selected, others.map(|other| *other).collect())
}

/// Asks the service for the identities of a table, with their titles. Returns `None` if no list returns the whole
/// table.
pub(crate) fn identities<S: Mirrored>(
    client: &Client<S>,
    table: &Table,
) -> Option<Result<Titles, Error>> {
    visit(None, Some((client, table))).identities
}

/// Finds the parts of a mirror, and what a query selects or the identities of a table.
struct Visitor<'a, S> {
    found: Found,
    query: Option<AskedQuery<'a>>,
    selected: Selected,
    others: Vec<Box<dyn Any>>,
    asked: Option<(&'a Client<S>, &'a Table)>,
    identities: Option<Result<Titles, Error>>,
}

/// A query, and the command line with more values.
type AskedQuery<'a> = (&'a dyn Any, &'a MirrorFlags);

fn visit<'a, S: Mirrored>(
    query: Option<AskedQuery<'a>>,
    asked: Option<(&'a Client<S>, &'a Table)>,
) -> Visitor<'a, S> {
    let (found, selected, others) = (Found::default(), Selected::Nothing, Vec::new());
    let mut visitor = Visitor { found, query, selected, others, asked, identities: None };
    S::visit(&mut visitor);
    visitor
}

impl<S: Service> Visitor<'_, S> {
    /// Takes a list that returns the whole table. If its identities are requested, `open` calls it.
    fn whole<O: Operation + 'static, T: Record, B: Beside>(
        &mut self,
        table: &'static Table,
        all: &O,
        open: impl FnOnce(&Client<S>) -> Result<Records<T, B>, Error>,
    ) {
        self.found.tables.push(table);
        let query = self.query.and_then(|(query, _)| query.downcast_ref::<O>());
        if query.is_some_and(|query| is_same(query, all)) {
            self.selected = Selected::All(table);
        }
        if let Some((client, _)) = self.asked.filter(|(_, asked)| asked.name() == table.name()) {
            self.identities = Some(open(client).and_then(|entries| titles(table, entries)));
        }
    }
}

/// Reads the identities of the records of a list, with their titles.
fn titles<T: Record, B: Beside>(
    table: &'static Table,
    mut entries: Records<T, B>,
) -> Result<Titles, Error> {
    let mut titles = Titles::new();
    let title = counts::title(table).unwrap_or_default();
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
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
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
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
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
        self.selected = Selected::Members(Members { of, group, values });
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
