//! The records of a mirror that a query of the service selects.

use std::any::Any;
use std::marker::PhantomData;

use methodical_mirror::model::{
    Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery,
    Service, Table,
};
use serde::Serialize;

use crate::mirror::found::Recovered;
use crate::mirror::identities::{Identities, identities};

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
    /// The columns of the placements with the identities of group and member.
    pub(crate) group_column: String,
    pub(crate) member_column: String,
    pub(crate) group: String,
    pub(crate) value: Option<String>,
    pub(crate) identities: Identities,
}

/// Returns what a query selects from the mirror of the service.
pub(crate) fn select<S: Mirrored>(query: &dyn Any) -> Selected {
    let identities = identities::<S>;
    let mut visitor =
        Selecting { query, found: Selected::Nothing, identities, service: PhantomData::<S> };
    S::visit(&mut visitor);
    visitor.found
}

struct Selecting<'a, S> {
    query: &'a dyn Any,
    found: Selected,
    identities: Identities,
    service: PhantomData<S>,
}

impl<S: Service> Selecting<'_, S> {
    /// Takes a list that returns the whole table.
    fn whole<O: Operation + 'static>(&mut self, table: &'static Table, all: &O) {
        let Some(query) = self.query.downcast_ref::<O>() else { return };
        if is_same(query, all) {
            self.found = Selected::All(table);
        } else if matches!(self.found, Selected::Nothing) {
            self.found = Selected::Other;
        }
    }
}

impl<S: Service> MirrorVisitor<S> for Selecting<'_, S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query);
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.whole(table, &query);
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let Some(query) = self.query.downcast_ref::<O>() else { return };
        let (Some(group), value) = (recovery.filters)(query) else { return };
        let same = match &value {
            Some(value) => (recovery.of_value)(&group, value),
            None => (recovery.of_group)(&group),
        };
        // A query with another parameter selects other records.
        if !same.is_ok_and(|same| is_same(&same, query)) {
            return;
        }
        let of = Recovered::of(&recovery);
        let column = |table: &Table| format!("{}_{}", table.name(), table.identity());
        self.found = Selected::Members(Members {
            of,
            group_column: column(of.groups),
            member_column: column(of.members),
            group,
            value,
            identities: self.identities,
        });
    }

    fn gauge<O>(&mut self, _: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
    }
}

/// Returns whether two queries are sent in the same way.
fn is_same<O: Operation>(one: &O, other: &O) -> bool {
    match (one.query(), other.query()) {
        (Ok(one), Ok(other)) => one.as_str() == other.as_str() && one.path() == other.path(),
        _ => false,
    }
}
