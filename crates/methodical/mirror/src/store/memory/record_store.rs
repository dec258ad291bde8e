//! The records and pages of a store in memory.

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::Paging;
use crate::browse::scan;
use crate::error::Error;
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::store::kept::{Kept, Turned};
use crate::store::memory::MemoryStore;
use crate::store::memory::accept::accepts;
use crate::store::memory::content::{Stored, Table};
use crate::store::record_store::RecordStore;

impl RecordStore for MemoryStore {
    fn records(
        &mut self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Kept>, Error> {
        let shape = self.table(table)?.shape;
        let shape = self.shape(shape)?;
        let values = filter.values(table, &shape)?;
        let has_values = |kept: &Kept| {
            values.iter().all(|(column, value)| {
                let mut columns = kept.shape.columns.iter().zip(&kept.row.cells);
                let cell = columns.find(|(one, _)| one.name == column.name);
                value.is_some() && cell.is_some_and(|(_, cell)| cell == value)
            })
        };
        let tables = self.content.tables.get(table).into_iter();
        let rows = tables.flat_map(|table| table.rows.range(after + 1..));
        let kept = rows.map(|(_, stored)| {
            let Stored { known, id, times, row } = stored.clone();
            Ok(Kept { known, id, times, row, shape: self.shape(known.shape)? })
        });
        let is_wanted = |kept: &Kept| accepts(filter, kept) && has_values(kept);
        kept.filter(|kept| kept.as_ref().map_or(true, is_wanted)).take(limit).collect()
    }

    fn page(&mut self, table: &str, filter: &Filter, paging: &Paging) -> Result<Turned, Error> {
        scan::page(self, table, filter, paging)
    }

    fn cells(&mut self, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
        scan::cells(self, of)
    }

    fn tables(&mut self) -> Result<Vec<TableStatus>, Error> {
        let status = |(name, table): (&String, &Table)| TableStatus {
            table: name.clone(),
            completed_at: table.completed_at,
            present: table.counts.present,
            missing: table.counts.missing,
            rejected: table.rejected,
            values_from: None,
        };
        Ok(self.content.tables.iter().map(status).collect())
    }

    fn records_of(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Kept>, Error> {
        let Some(table) = self.content.tables.get(table) else { return Ok(Vec::new()) };
        let found = ids.iter().filter_map(|id| table.rows.get(table.keys.get(*id)?));
        let kept = found.map(|stored| {
            let Stored { known, id, times, row } = stored.clone();
            Ok(Kept { known, id, times, row, shape: self.shape(known.shape)? })
        });
        kept.collect()
    }
}
