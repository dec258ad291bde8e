//! The tables and gauges of a mirror, as its service describes them.

use methodical_mirror::model::{
    Gauge, ListOperation, MirrorVisitor, Mirrored, Operation, PagedOperation, Record, Recovery,
    Service, Table,
};
use serde::Serialize;

/// The tables and gauges that a mirror of a service has.
///
/// ```
/// use methodical_mirror::model::{Column, Table};
/// use methodical_warehouse::Described;
///
/// static PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);
///
/// let photos = Described::new(&[&PHOTO], &["storage"]);
/// # drop(photos);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Described {
    pub(crate) tables: Vec<&'static Table>,
    pub(crate) gauges: Vec<String>,
}

impl Described {
    /// Describes these tables, and gauges of these names.
    pub fn new(tables: &[&'static Table], gauges: &[&str]) -> Self {
        let gauges = gauges.iter().map(|&name| name.to_owned()).collect();
        Self { tables: tables.to_vec(), gauges }
    }

    /// Describes everything that a mirror of a service has.
    pub fn of<S: Mirrored>() -> Self {
        let mut described = Self::default();
        S::visit(&mut described);
        described
    }

    pub(crate) fn table(&self, name: &str) -> Option<&'static Table> {
        self.tables.iter().copied().find(|table| table.name() == name)
    }
}

impl<S: Service> MirrorVisitor<S> for Described {
    fn list<O>(&mut self, table: &'static Table, _: O)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.tables.push(table);
    }

    fn paged_list<O>(&mut self, table: &'static Table, _: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.tables.push(table);
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Beside: Send> + Send + Sync + 'static,
        for<'a> <O::Item as Record>::Ref<'a>: Serialize,
    {
        self.tables.push(recovery.table);
    }

    fn gauge<O>(&mut self, gauge: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.gauges.push(gauge.name().to_owned());
    }
}
