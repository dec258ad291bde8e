//! The records of a table.

use methodical_mirror::model::Table;
use methodical_mirror::{Record, Snapshot, State as RecordState};

use crate::columns::{Column, Kind, Value};
use crate::delta::state::State;
use crate::error::Error;
use crate::export::draft::Draft;
use crate::export::ranges::{Hash, Numbered, Ranges};
use crate::fields::Fields;

/// A table of the mirror.
#[derive(Debug)]
pub(crate) struct Records {
    table: &'static Table,
    fields: Fields,
}

impl Records {
    pub(crate) fn new(table: &'static Table, decimals: bool) -> Self {
        Self { table, fields: Fields::of_table(table, decimals) }
    }

    pub(crate) fn name(&self) -> &str {
        self.table.name()
    }

    /// Writes the files whose records differ.
    pub(crate) fn write(
        &self,
        snapshot: &mut Snapshot<'_>,
        state: &State,
        draft: &mut Draft,
    ) -> Result<(), Error> {
        let mut ranges = Ranges::of(state, draft);
        ranges.write("", self, snapshot, draft)?;
        ranges.finish(draft);
        Ok(())
    }
}

impl Numbered for Records {
    type Row = Record;

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![Column::new("mirror_number", Kind::Integer)];
        columns.extend(self.fields.columns("mirror_extra", "mirror_nulls"));
        columns.push(Column::new("mirror_state", Kind::Text));
        let times =
            ["mirror_first_seen", "mirror_changed_at", "mirror_missing_since", "mirror_gone_at"];
        columns.extend(times.map(|name| Column::new(name, Kind::Time)));
        columns
    }

    fn page(
        &self,
        snapshot: &mut Snapshot<'_>,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        Ok(snapshot.records(self.name(), after, limit)?)
    }

    fn number(record: &Record) -> i64 {
        record.number
    }

    fn hash(record: &Record, hash: &mut Hash) {
        let times = [
            record.first_seen,
            record.changed_at,
            record.missing_since.unwrap_or(i64::MIN),
            record.gone_at.unwrap_or(i64::MIN),
        ];
        for time in times {
            hash.changing(time.to_le_bytes());
        }
        hash.changing(state_name(record.state));
        hash.changing(&record.json);
    }

    fn with(
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
