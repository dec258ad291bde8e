//! The part of the trait of stores that reads records and pages.

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::Paging;
use crate::error::Error;
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::store::kept::{Index, Kept, Turned};

/// A place whose records are read outside of syncs.
pub(crate) trait RecordStore {
    /// Returns the records after this row that a filter accepts, in the order of their rows, at most `limit`.
    fn records(
        &mut self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Kept>, Error>;

    /// Returns a page of the records that a filter accepts.
    fn page(&mut self, table: &str, filter: &Filter, paging: &Paging) -> Result<Turned, Error>;

    /// Counts the members of each group by their value.
    fn cells(&mut self, of: &Placements<'_>) -> Result<Vec<Cell>, Error>;

    /// Creates indexes for pages and counts. Fails if another process syncs.
    fn add_indexes(&mut self, _indexes: &[Index<'_>]) -> Result<(), Error> {
        Ok(())
    }

    /// Returns the state of each table, in the order of their names.
    fn tables(&mut self) -> Result<Vec<TableStatus>, Error>;

    /// Returns the records with these identities, in any order, outside of a transaction. A table that does not exist has none.
    fn records_of(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Kept>, Error>;

    /// Returns a record by its identity, outside of a transaction; `None` also if the table does not exist.
    fn record(&mut self, table: &str, id: &str) -> Result<Option<Kept>, Error> {
        Ok(self.records_of(table, &[id])?.pop())
    }
}
