//! The parts of the commands that depend on the service.

use std::fmt;

use gateway_client_core::ServiceClient;
use gateway_mirror::model::{
    Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery,
    Service, Table,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::mirror::selected::{Select, select};
use crate::mirror::sync::{self, SyncFlags};

/// The parts of the commands that depend on the service.
#[derive(Clone, Copy)]
pub(crate) struct Mirroring {
    pub(crate) sync: fn(&SyncFlags, &Invocation) -> Result<(), Failure>,
    pub(crate) recovered: fn() -> Vec<Recovered>,
    pub(crate) select: Select,
}

impl Mirroring {
    /// Creates the hooks of the service of a client.
    pub(crate) fn of<C: ServiceClient<Service: Mirrored>>() -> Self {
        Self {
            sync: sync::run::<C>,
            recovered: recovered::<C::Service>,
            select: select::<C::Service>,
        }
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
    pub(crate) groups: &'static Table,
    /// The name of the value.
    pub(crate) value: &'static str,
    /// The values that the contract lists.
    pub(crate) known_values: &'static [&'static str],
}

/// Returns the values that the mirror of a service recovers.
fn recovered<S: Mirrored>() -> Vec<Recovered> {
    let mut found = Found(Vec::new());
    S::visit(&mut found);
    found.0
}

struct Found(Vec<Recovered>);

impl<S: Service> MirrorVisitor<S> for Found {
    fn list<O>(&mut self, _: &'static Table, _: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
    }

    fn paged_list<O>(&mut self, _: &'static Table, _: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let Recovery { table, groups, value, known_values, .. } = recovery;
        self.0.push(Recovered { table, groups, value, known_values });
    }

    fn gauge<O>(&mut self, _: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
    }
}
