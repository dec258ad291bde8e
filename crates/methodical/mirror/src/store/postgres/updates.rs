//! Rows that are to be updated, one array for each column.

use std::mem::take;

use ::postgres::types::Type;

use crate::fields::row::{Row, Value};
use crate::fields::shape::Shape;
use crate::store::Written;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::Parameter;

/// Rows for the statement `update` of a table.
#[derive(Default)]
pub(crate) struct Updates {
    keys: Vec<i64>,
    ids: Vec<String>,
    hashes: Vec<Vec<u8>>,
    changed: Vec<bool>,
    extras: Vec<Option<String>>,
    nulls: Vec<Option<String>>,
    /// The columns except the identity, as text.
    columns: Vec<Vec<Option<String>>>,
    shape: i64,
    at: i64,
}

impl Updates {
    pub(crate) fn push(&mut self, written: &Written<'_>, row: &Row<'_>, shape: &Shape) {
        self.keys.push(written.key);
        self.ids.push(written.id.to_owned());
        self.hashes.push(written.hash().to_vec());
        self.changed.push(written.is_changed);
        self.extras.push(row.extra.clone());
        self.nulls.push(row.nulls.clone());
        (self.shape, self.at) = (written.shape, clamped(written.at));
        let cells = row.cells.iter().enumerate();
        let cells = cells.filter(|(index, _)| *index != shape.identity).map(|(_, cell)| cell);
        self.columns.resize_with(row.cells.len().saturating_sub(1), Vec::new);
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(cell.as_ref().map(text));
        }
    }

    /// Takes the rows; `None` without any.
    pub(crate) fn take(&mut self) -> Option<Self> {
        (!self.keys.is_empty()).then(|| take(self))
    }

    pub(crate) fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters: Vec<Parameter<'_>> = vec![
            (&self.keys, Type::INT8_ARRAY),
            (&self.ids, Type::TEXT_ARRAY),
            (&self.hashes, Type::BYTEA_ARRAY),
            (&self.changed, Type::BOOL_ARRAY),
            (&self.extras, Type::TEXT_ARRAY),
            (&self.nulls, Type::TEXT_ARRAY),
            (&self.shape, Type::INT8),
            (&self.at, Type::INT8),
        ];
        for column in &self.columns {
            parameters.push((column, Type::TEXT_ARRAY));
        }
        parameters
    }
}

/// Returns a value as text that PostgreSQL reads as the same value.
pub(crate) fn text(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) => text.clone().into_owned(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => format!("{value:?}"),
        Value::Boolean(value) => value.to_string(),
    }
}
