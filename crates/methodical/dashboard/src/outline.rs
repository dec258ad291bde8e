//! The tables, recovered values and gauges of a service.

use methodical_mirror::model::tables::{Gauge, MirrorVisitor, Mirrored, Recovery, Table};
use methodical_mirror::model::{self, ListOperation, Operation, PagedOperation, Service};
use methodical_mirror::{Error, Filter, Mirror, Order, Paging, Record, State};
use serde::Serialize;

use crate::cells::{fields, text};

/// The parts of a service that pages show.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    /// The tables of the service's lists.
    pub(crate) tables: Vec<&'static Table>,
    /// The first value that the mirror recovers.
    pub(crate) board: Option<Board>,
    pub(crate) gauges: Vec<&'static str>,
}

/// A value that the mirror recovers: a member's value in a group.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    pub(crate) members: &'static Table,
    pub(crate) groups: &'static Table,
    pub(crate) placements: Placements,
    /// The values that the contract lists.
    pub(crate) known_values: &'static [&'static str],
}

/// The names of a recovered table and of its columns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placements {
    pub(crate) table: &'static str,
    pub(crate) group: &'static str,
    pub(crate) member: &'static str,
    pub(crate) value: &'static str,
}

/// A placement: a member's value in a group.
pub(crate) struct Placed {
    pub(crate) member: String,
    pub(crate) group: String,
    pub(crate) value: Option<String>,
    pub(crate) since: i64,
}

impl Placements {
    /// Reads a record of the recovered table.
    pub(crate) fn placed(&self, record: &Record) -> Placed {
        let all = fields(&record.json);
        let part = |name: &str| all.get(name).and_then(text);
        Placed {
            member: part(self.member).unwrap_or_default(),
            group: part(self.group).unwrap_or_default(),
            value: part(self.value),
            since: record.changed_at,
        }
    }

    /// Reads the present placements of a member, latest value first.
    pub(crate) fn of_member(
        &self,
        mirror: &Mirror,
        member: &str,
        limit: usize,
    ) -> Result<Vec<Placed>, Error> {
        let filter = Filter::new().state(State::Present).column(self.member, member);
        let (order, is_descending) = (Order::Changed, true);
        let paging = Paging { order, is_descending, ..Paging::new(limit) };
        let page = mirror.browse(self.table, &filter, &paging)?;
        Ok(page.records.iter().map(|one| self.placed(one)).collect())
    }
}

impl Outline {
    pub(crate) fn of<S: Mirrored>() -> Self {
        let mut outline = Self::default();
        S::visit(&mut outline);
        outline
    }

    pub(crate) fn table(&self, name: &str) -> Option<&'static Table> {
        self.tables.iter().copied().find(|table| table.name() == name)
    }

    /// Returns the board if the table contains the board's members.
    pub(crate) fn board_of(&self, table: &Table) -> Option<&Board> {
        self.board.as_ref().filter(|board| board.members == table)
    }

    fn add(&mut self, table: &'static Table) {
        if self.table(table.name()).is_none() {
            self.tables.push(table);
        }
    }
}

impl<S: Service> MirrorVisitor<S> for Outline {
    fn list<O>(&mut self, table: &'static Table, _: O)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as model::Record>::Ref<'a>: Serialize,
    {
        self.add(table);
    }

    fn paged_list<O>(&mut self, table: &'static Table, _: O)
    where
        O: PagedOperation<Service = S>,
        for<'a> <O::Item as model::Record>::Ref<'a>: Serialize,
    {
        self.add(table);
    }

    fn recovery<O>(&mut self, recovery: Recovery<O>)
    where
        O: ListOperation<Service = S, Metadata: Send> + Send + Sync + 'static,
        for<'a> <O::Item as model::Record>::Ref<'a>: Serialize,
    {
        let Recovery { table, members, groups, value, known_values, .. } = recovery;
        let name = |index: usize| table.columns().get(index).and_then(|one| one.path().first());
        let (Some(group), Some(member)) = (name(1), name(2)) else { return };
        let placements = Placements { table: table.name(), group, member, value };
        self.board.get_or_insert(Board { members, groups, placements, known_values });
    }

    fn gauge<O>(&mut self, gauge: Gauge, _: O)
    where
        O: Operation<Service = S, Output: Serialize> + Send + Sync + 'static,
    {
        self.gauges.push(gauge.name());
    }
}
