//! Asks the service for the identities of a table.

use std::any::Any;
use std::collections::BTreeSet;

use methodical_client::blocking::Client;
use methodical_mirror::model::{
    Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery,
    Service, Table,
};
use serde::Serialize;

use crate::entries::Entries;
use crate::output::record::{Object, text_of};

/// Asks the service for the identities of a table. The client is that of the service; `None` if the list cannot be read.
pub(crate) type Identities = fn(client: &dyn Any, table: &Table) -> Option<BTreeSet<String>>;

/// Asks the service for the identities of a table.
pub(crate) fn identities<S: Mirrored>(client: &dyn Any, table: &Table) -> Option<BTreeSet<String>> {
    let mut visitor = Asking::<S> { client: client.downcast_ref()?, table, found: None };
    S::visit(&mut visitor);
    visitor.found
}

struct Asking<'a, S> {
    client: &'a Client<S>,
    table: &'a Table,
    found: Option<BTreeSet<String>>,
}

impl<S> Asking<'_, S> {
    fn read(&mut self, mut entries: impl Entries) {
        let mut found = BTreeSet::new();
        let name = self.table.identity();
        while let Some(entry) = entries.next(|_, json| {
            found.insert(text_of(Object::parse(json).get(name)).into_owned());
        }) {
            if entry.is_err() {
                return;
            }
        }
        self.found = Some(found);
    }
}

impl<S: Service> MirrorVisitor<S> for Asking<'_, S> {
    fn list<O>(&mut self, table: &'static Table, query: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        if table.name() == self.table.name()
            && let Ok(entries) = self.client.stream(&query)
        {
            self.read(entries);
        }
    }

    fn paged_list<O>(&mut self, table: &'static Table, query: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        if table.name() == self.table.name() {
            self.read(self.client.stream_all(&query));
        }
    }

    fn recovery<O>(&mut self, _: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
    }

    fn gauge<O>(&mut self, _: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
    }
}
