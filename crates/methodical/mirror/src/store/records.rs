//! The records and pages of a SQLite file.

use std::sync::Arc;

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::Paging;
use crate::error::{Error, ErrorKind};
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::store::data::{Index, Kept, Turned};
use crate::store::select::Page;
use crate::store::{Store, browse, rows, scope, select};

impl Store {
    /// Returns the records after this row that a filter accepts, in the order of their rows, at most `limit`.
    pub(crate) fn records(
        &mut self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Kept>, Error> {
        let shape = Arc::clone(&self.table(table)?.shape);
        let page = Page { table, shape: &shape, filter, after, limit };
        select::records(&self.connection, &mut self.shapes, &page)
    }

    /// Returns a page of the records that a filter accepts.
    pub(crate) fn page(
        &mut self,
        table: &str,
        filter: &Filter,
        paging: &Paging,
    ) -> Result<Turned, Error> {
        let shape = Arc::clone(&self.table(table)?.shape);
        browse::page(&self.connection, &mut self.shapes, (table, &shape), filter, paging)
    }

    /// Counts the members of each group by their value.
    pub(crate) fn cells(&mut self, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
        self.table(of.table)?;
        browse::cells(&self.connection, of)
    }

    /// Creates indexes for pages and counts. Fails if another process syncs.
    pub(crate) fn add_indexes(&mut self, indexes: &[Index<'_>]) -> Result<(), Error> {
        for index in indexes {
            if let Index::Page(table, _) = index {
                self.table(table)?;
            }
        }
        let sql = browse::indexes(&self.connection, indexes, &self.tables)?;
        if sql.is_empty() {
            return Ok(());
        }
        self.lock()?;
        let created = self.run(&sql).and_then(|()| self.run("COMMIT"));
        self.roll_back();
        created
    }

    /// Returns the state of each table, in the order of their names.
    pub(crate) fn tables(&mut self) -> Result<Vec<TableStatus>, Error> {
        scope::statuses(&self.connection)
    }

    /// Returns the records with these identities, in any order, outside of a transaction. A table that does not exist has none.
    pub(crate) fn records_of(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Kept>, Error> {
        let table = match self.table(table) {
            Ok(table) => table,
            Err(error) if error.kind() == ErrorKind::Table => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let (connection, shapes) = (&self.connection, &mut self.shapes);
            found.extend(rows::find(connection, shapes, &table.row_of, table.id(id))?);
        }
        Ok(found)
    }

    /// Returns a record by its identity, outside of a transaction; `None` also if the table does not exist.
    pub(crate) fn record(&mut self, table: &str, id: &str) -> Result<Option<Kept>, Error> {
        Ok(self.records_of(table, &[id])?.pop())
    }
}
