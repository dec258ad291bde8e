//! Notes in a run how long the placements of a recovered table have each value.

use crate::error::Error;
use crate::fields::row::{Row, Value};
use crate::fields::shape::Shape;
use crate::store::Store;
use crate::store::data::{SpellStep, StepKind};

/// The spells of a recovered table in one run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spells {
    /// The index of the column of the value.
    column: usize,
    at: i64,
    is_baseline: bool,
}

impl Spells {
    /// Creates the spells of a run. `None` if the values are personal, and the mirror omits personal data.
    pub(crate) fn new(
        shape: &Shape,
        value: &str,
        at: i64,
        is_baseline: bool,
        is_reduced: bool,
    ) -> Option<Self> {
        let columns = shape.columns.iter();
        let (column, found) = columns.enumerate().find(|(_, column)| column.name == value)?;
        (!(is_reduced && found.is_personal)).then_some(Self { column, at, is_baseline })
    }

    /// Begins a spell.
    pub(crate) fn begin(
        self,
        store: &mut Store,
        table: &str,
        id: &str,
        value: Option<&str>,
        was_unknown: bool,
    ) -> Result<(), Error> {
        let began_before = self.is_baseline || was_unknown;
        let kind = StepKind::Begin { value, at: self.at, began_before };
        store.write_spell(&SpellStep { table, id, kind })
    }

    /// Ends the spell of a placement.
    pub(crate) fn end(self, store: &mut Store, table: &str, id: &str) -> Result<(), Error> {
        store.write_spell(&SpellStep { table, id, kind: StepKind::End { at: self.at } })
    }

    /// Returns the value of a row.
    pub(crate) fn value<'r>(self, row: &'r Row<'_>) -> Option<&'r str> {
        value(row, self.column)
    }
}

/// Resumes the last spell of a placement that was missing.
pub(crate) fn resume(store: &mut Store, table: &str, id: &str) -> Result<(), Error> {
    store.write_spell(&SpellStep { table, id, kind: StepKind::Resume })
}

/// Returns the value in a column. PostgreSQL has no U+0000 in text, so that such a value counts as unknown in all stores.
pub(crate) fn value<'r>(row: &'r Row<'_>, column: usize) -> Option<&'r str> {
    match row.cells.get(column)?.as_ref()? {
        Value::Text(text) if !text.contains('\0') => Some(text),
        _ => None,
    }
}
