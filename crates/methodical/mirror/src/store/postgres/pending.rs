//! Writes that wait for each other, so that one round trip carries thousands of them.

use std::mem::take;
use std::sync::Arc;

use ::postgres::types::Type;

use crate::engine::known::State;
use crate::error::Error;
use crate::fields::layout::without_nul;
use crate::store::postgres::copy::{Rows, clamped};
use crate::store::postgres::link::{Link, Parameter};
use crate::store::postgres::spells;
use crate::store::postgres::table::{FIXED, Table};
use crate::store::postgres::updates::Updates;
use crate::store::spells::SpellStep;
use crate::store::{NewChange, Written};

/// Writes of one transaction that were not sent yet.
#[derive(Default)]
pub(crate) struct Pending {
    /// The table of the records.
    table: Option<Arc<Table>>,
    inserted: Rows,
    updated: Updates,
    marked: Marks,
    /// The keys of erased records, by state and time.
    erased: Vec<(State, i64, Vec<i64>)>,
    changes: Rows,
    rejected: Rows,
    spells: spells::Pending,
    count: usize,
}

/// New states of records whose fields stay, one array for each column.
#[derive(Default)]
struct Marks {
    keys: Vec<i64>,
    misses: Vec<i32>,
    at: i64,
}

impl Pending {
    /// Returns whether the writes must be sent before those to this table.
    pub(crate) fn has_other(&self, table: &Arc<Table>) -> bool {
        self.table.as_ref().is_some_and(|other| !Arc::ptr_eq(other, table))
    }

    /// Returns whether the writes are worth a round trip.
    pub(crate) fn is_full(&self) -> bool {
        self.count >= FULL || self.inserted.size() + self.changes.size() >= FULL_BYTES
    }

    pub(crate) fn write(&mut self, table: &Arc<Table>, written: &Written<'_>) -> Result<(), Error> {
        self.begin(table);
        let plain = without_nul(written.row, &table.shape)?;
        let row = plain.as_ref().unwrap_or(written.row);
        if !written.is_new {
            self.updated.push(written, row, &table.shape);
            return Ok(());
        }
        let rows = &mut self.inserted;
        rows.begin(FIXED + row.cells.len().saturating_sub(1));
        rows.value(row.cells.get(table.shape.identity).and_then(Option::as_ref));
        rows.integer(written.key);
        rows.bytes(&written.hash());
        rows.text(State::Present.as_str());
        rows.small(0);
        rows.integer(written.shape);
        rows.time(written.at);
        rows.time(written.at);
        rows.optional(row.extra.as_deref());
        rows.optional(row.nulls.as_deref());
        for (index, cell) in row.cells.iter().enumerate() {
            if index != table.shape.identity {
                rows.value(cell.as_ref());
            }
        }
        Ok(())
    }

    pub(crate) fn mark(&mut self, table: &Arc<Table>, key: i64, misses: u32, at: i64) {
        self.begin(table);
        self.marked.keys.push(key);
        self.marked.misses.push(i32::try_from(misses).unwrap_or(i32::MAX));
        self.marked.at = at;
    }

    pub(crate) fn erase(&mut self, table: &Arc<Table>, key: i64, state: State, at: i64) {
        self.begin(table);
        match self.erased.last_mut() {
            Some((one, time, keys)) if (*one, *time) == (state, at) => keys.push(key),
            _ => self.erased.push((state, at, vec![key])),
        }
    }

    pub(crate) fn append(&mut self, number: i64, change: &NewChange<'_>) {
        self.count += 1;
        let rows = &mut self.changes;
        rows.begin(6);
        rows.integer(number);
        rows.time(change.at);
        rows.text(change.table);
        rows.text(change.id);
        rows.text(change.kind.as_str());
        let fields = serde_json::Value::from(change.fields.to_vec()).to_string();
        rows.optional((!change.fields.is_empty()).then_some(&*fields));
    }

    pub(crate) fn reject(&mut self, scope: &str, index: u64, reason: &str) {
        self.count += 1;
        let rows = &mut self.rejected;
        rows.begin(3);
        rows.text(scope);
        rows.integer(i64::try_from(index).unwrap_or(i64::MAX));
        rows.text(&reason.replace('\0', "\u{fffd}"));
    }

    pub(crate) fn write_spell(&mut self, step: &SpellStep<'_>) {
        self.count += 1;
        self.spells.push(step);
    }

    fn begin(&mut self, table: &Arc<Table>) {
        self.count += 1;
        self.table.get_or_insert_with(|| Arc::clone(table));
    }

    /// Sends the writes, and does not wait for them.
    pub(crate) fn flush(&mut self, link: &Link, schema: &str) -> Result<(), Error> {
        if take(&mut self.count) == 0 {
            return Ok(());
        }
        if let Some(table) = self.table.take() {
            self.flush_records(link, &table)?;
        }
        self.spells.flush(link, schema)?;
        for (rows, columns) in [
            (&mut self.changes, "mirror_change (number, at, table_name, record_id, kind, fields)"),
            (&mut self.rejected, "mirror_rejected (scope, position, reason)"),
        ] {
            if let Some(rows) = rows.take() {
                let sql = format!("COPY {schema}.{columns} FROM STDIN (FORMAT binary)");
                link.post(move |session| rows.send(session, &sql))?;
            }
        }
        Ok(())
    }

    fn flush_records(&mut self, link: &Link, table: &Arc<Table>) -> Result<(), Error> {
        if let Some(rows) = self.inserted.take() {
            let table = Arc::clone(table);
            link.post(move |session| rows.send(session, &table.copy))?;
        }
        if let Some(updates) = self.updated.take() {
            let table = Arc::clone(table);
            link.post(move |session| session.execute(&table.update, &updates.parameters()))?;
        }
        if !self.marked.keys.is_empty() {
            let (table, Marks { keys, misses, at }) = (Arc::clone(table), take(&mut self.marked));
            let at = clamped(at);
            link.post(move |session| {
                let parameters: [Parameter<'_>; 3] =
                    [(&keys, Type::INT8_ARRAY), (&misses, Type::INT4_ARRAY), (&at, Type::INT8)];
                session.execute(&table.mark, &parameters)
            })?;
        }
        for (state, at, keys) in take(&mut self.erased) {
            let (table, at) = (Arc::clone(table), clamped(at));
            link.post(move |session| {
                let parameters: [Parameter<'_>; 3] =
                    [(&keys, Type::INT8_ARRAY), (&state.as_str(), Type::TEXT), (&at, Type::INT8)];
                session.execute(&table.erase, &parameters)
            })?;
        }
        Ok(())
    }
}

/// Number of writes that are worth a round trip.
const FULL: usize = 8192;

/// Size of inserted rows that is worth a round trip, in bytes.
const FULL_BYTES: usize = 1 << 20;
