//! The lists, recoveries and gauges of a service, with the types of the operations erased.

use methodical_client::blocking;
use methodical_model::{
    Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery,
    Service, Table,
};
use serde::Serialize;

use crate::error::Error;
use crate::history::report::Report;
use crate::mirror::Mirror;
use crate::sync::budget::Budget;
use crate::sync::measure::{Measure, Measured};
use crate::sync::members::Filtered;
use crate::sync::options::SyncOptions;
use crate::sync::recover::Recover;

/// Everything that a mirror reads from a service.
pub(crate) struct Plan<S> {
    pub(crate) lists: Vec<Box<dyn List<S>>>,
    pub(crate) recoveries: Vec<Box<dyn Recover<S>>>,
    pub(crate) gauges: Vec<Box<dyn Measure<S>>>,
}

impl<S: Mirrored> Plan<S> {
    pub(crate) fn of_service() -> Self {
        let mut plan = Self { lists: Vec::new(), recoveries: Vec::new(), gauges: Vec::new() };
        S::visit(&mut plan);
        plan
    }
}

/// A list that can sync itself.
pub(crate) trait List<S>: Send + Sync {
    fn table(&self) -> &'static Table;

    fn sync(
        &self,
        mirror: &mut Mirror,
        client: &blocking::Client<S>,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error>;
}

impl<S: Service> MirrorVisitor<S> for Plan<S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.lists.push(Box::new(Whole { table, query }));
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.lists.push(Box::new(Pages { table, query }));
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.recoveries.push(Box::new(Filtered(recovery)));
    }

    fn gauge<O>(&mut self, gauge: Gauge, query: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.gauges.push(Box::new(Measured { gauge, query }));
    }
}

/// A list in one response.
struct Whole<O> {
    table: &'static Table,
    query: O,
}

impl<S, O> List<S> for Whole<O>
where
    S: Service,
    O: ListOperation<Service = S> + Send + Sync,
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    fn table(&self) -> &'static Table {
        self.table
    }

    fn sync(
        &self,
        mirror: &mut Mirror,
        client: &blocking::Client<S>,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error> {
        mirror.sync_within(client, &self.query, self.table, options, budget)
    }
}

/// A list in pages.
struct Pages<O> {
    table: &'static Table,
    query: O,
}

impl<S, O> List<S> for Pages<O>
where
    S: Service,
    O: PagedOperation<Service = S>,
    for<'a> <O::Item as Record>::Ref<'a>: Serialize,
{
    fn table(&self) -> &'static Table {
        self.table
    }

    fn sync(
        &self,
        mirror: &mut Mirror,
        client: &blocking::Client<S>,
        options: &SyncOptions,
        budget: &Budget,
    ) -> Result<Report, Error> {
        mirror.sync_pages_within(client, &self.query, self.table, options, budget)
    }
}
