//! The records of a table: each file has a fixed range of their numbers, and is written again if one of them differs.
//!
//! Every record is read and hashed in each export. The feed would not do: a purge, a new column and a mirror that begins to
//! omit personal data change rows without a change.

use std::collections::BTreeMap;

use gateway_mirror::model::Table;
use gateway_mirror::{Record, Snapshot, State as RecordState};
use sha2::{Digest as _, Sha256};

use crate::columns::{Column, Kind, Value};
use crate::delta::action::{Add, schema_string};
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;
use crate::fields::Fields;

/// A table of the mirror.
#[derive(Debug)]
pub(crate) struct Records {
    table: &'static Table,
    fields: Fields,
}

impl Records {
    pub(crate) fn new(table: &'static Table) -> Self {
        Self { table, fields: Fields::of_table(table) }
    }

    pub(crate) fn name(&self) -> &str {
        self.table.name()
    }

    pub(crate) fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("mirror_number", Kind::Integer)];
        columns.extend(self.fields.columns("mirror_extra", "mirror_nulls"));
        columns.push(Column::new("mirror_state", Kind::Text));
        let times =
            ["mirror_first_seen", "mirror_changed_at", "mirror_missing_since", "mirror_gone_at"];
        columns.extend(times.map(|name| Column::new(name, Kind::Time)));
        columns
    }

    /// Writes the files whose records differ.
    pub(crate) fn write(
        &self,
        snapshot: &mut Snapshot<'_>,
        state: &State,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let columns = self.columns();
        let schema = schema_string(&columns);
        // A file of another program has no range.
        let mut existing: BTreeMap<&str, &Add> = BTreeMap::new();
        for add in state.files.values() {
            if let Some(second) = existing.insert(add.tag(RANGE).unwrap_or(&add.path), add) {
                draft.remove(&second.path);
            }
        }
        let mut after = 0;
        while let Some(first) = snapshot.records(self.name(), after, 1)?.first() {
            let from = first.number.saturating_sub(1) / draft.rows_per_file * draft.rows_per_file;
            let to = from + draft.rows_per_file;
            let range = format!("{}-{to}", from + 1);
            let old = existing.remove(&*range);
            let mut hash = Hash::new(&schema);
            if let Some(old) = old {
                self.each(snapshot, from, to, |record| {
                    hash.add(record);
                    Ok(())
                })?;
                if old.tag(HASH) == Some(&*hash.finish(snapshot)) {
                    after = to;
                    continue;
                }
                draft.remove(&old.path);
                hash = Hash::new(&schema);
            }
            let mut file = draft.begin(&columns)?;
            self.each(snapshot, from, to, |record| {
                hash.add(record);
                self.push(record, |row| file.rows.push(row))
            })?;
            draft.add(file, &[(RANGE, range), (HASH, hash.finish(snapshot))])?;
            after = to;
        }
        for old in existing.values() {
            draft.remove(&old.path);
        }
        Ok(())
    }

    /// Passes each record with a number above `from` and up to `to`.
    fn each(
        &self,
        snapshot: &mut Snapshot<'_>,
        from: i64,
        to: i64,
        mut take: impl FnMut(&Record) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut after = from;
        loop {
            let page = snapshot.records(self.name(), after, PAGE)?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.number;
            for record in &page {
                if record.number > to {
                    return Ok(());
                }
                take(record)?;
            }
        }
    }

    fn push(
        &self,
        record: &Record,
        take: impl FnOnce(&[Option<Value<'_>>]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let time = |seconds: i64| Some(Value::Time(seconds.saturating_mul(1_000_000)));
        let after = [
            Some(Value::Text(state_name(record.state))),
            time(record.first_seen),
            time(record.changed_at),
            record.missing_since.and_then(time),
            record.gone_at.and_then(time),
        ];
        let before = [Some(Value::Integer(record.number))];
        self.fields.read(&record.json)?.with(take, &before, &after)
    }
}

/// Returns the name of a state, as in the tables of the mirror.
fn state_name(state: RecordState) -> &'static str {
    match state {
        RecordState::Present => "present",
        RecordState::Missing => "missing",
        RecordState::Gone => "gone",
        _ => "forgotten",
    }
}

/// The hash of the records of a file.
#[derive(Debug)]
struct Hash(Sha256);

impl Hash {
    fn new(schema: &str) -> Self {
        Self(Sha256::new_with_prefix(schema))
    }

    fn add(&mut self, record: &Record) {
        let numbers = [
            record.number,
            record.first_seen,
            record.changed_at,
            record.missing_since.unwrap_or(i64::MIN),
            record.gone_at.unwrap_or(i64::MIN),
        ];
        for number in numbers {
            self.0.update(number.to_le_bytes());
        }
        for text in [state_name(record.state), &record.json] {
            self.0.update(text.len().to_le_bytes());
            self.0.update(text);
        }
    }

    /// Returns the hash with the secret of the mirror: a file may have so few records that they could be guessed.
    fn finish(self, snapshot: &Snapshot<'_>) -> String {
        snapshot.keyed_hash(&self.0.finalize())
    }
}

/// The tag with the range of the numbers.
const RANGE: &str = "gateway.rows";

/// The tag with the hash of the records.
const HASH: &str = "gateway.hash";

/// Number of records that are read together.
const PAGE: usize = 1024;
