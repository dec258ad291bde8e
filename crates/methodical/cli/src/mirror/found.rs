//! The parts of the mirror of a service that commands name.

use methodical_mirror::model::{
    Column, Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record,
    Recovery, Service, Table,
};
use serde::Serialize;

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
    pub(crate) fn of<O>(recovery: &Recovery<O>) -> Self {
        let &Recovery { table, members, groups, value, known_values, .. } = recovery;
        Self { table, members, groups, value, known_values }
    }
}

/// The parts of a mirror that commands name.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) recovered: Vec<Recovered>,
    /// All tables.
    pub(crate) tables: Vec<&'static str>,
    /// The tables, each with the API method of its list.
    pub(crate) methods: Vec<(&'static str, &'static str)>,
    /// The tables with personal columns.
    pub(crate) personal: Vec<&'static str>,
}

/// Returns the parts of the mirror of a service.
pub(crate) fn found<S: Mirrored>() -> Found {
    let mut found = Found::default();
    S::visit(&mut found);
    found
}

impl Found {
    fn add<O: Operation>(&mut self, table: &'static Table) {
        self.tables.push(table.name());
        self.methods.push((table.name(), O::METHOD));
        if table.columns().iter().any(Column::is_personal) {
            self.personal.push(table.name());
        }
    }
}

impl<S: Service> MirrorVisitor<S> for Found {
    fn list<O>(&mut self, table: &'static Table, _: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.add::<O>(table);
    }

    fn paged_list<O>(&mut self, table: &'static Table, _: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.add::<O>(table);
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        let table = recovery.table.name();
        self.tables.push(table);
        self.methods.push((table, O::METHOD));
        self.recovered.push(Recovered::of(&recovery));
    }

    fn gauge<O>(&mut self, _: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
    }
}
