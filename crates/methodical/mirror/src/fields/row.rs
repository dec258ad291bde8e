//! A record as a row of its table. Nothing is lost: what fits no column is in the column `mirror_extra`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::error::{Error, ErrorKind};
use crate::fields::json::Members;
use crate::fields::shape::{Column, Kind, Shape};
use crate::fields::text::{Object, quoted};

/// The value of a column.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Real(f64),
    Boolean(bool),
}

/// A record as a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row<'a> {
    /// The values of the columns, in the order of the shape.
    pub(crate) cells: Vec<Option<Value<'a>>>,
    /// A JSON object of everything without a column.
    pub(crate) extra: Option<String>,
    /// A JSON array of the names that are `null`: columns, and nested records with columns.
    pub(crate) nulls: Option<String>,
}

impl Row<'_> {
    /// Returns the record as JSON text.
    pub(crate) fn to_json(&self, shape: &Shape) -> Result<String, Error> {
        let extra = match &self.extra {
            Some(text) => Members::of(text)?,
            None => Members::default(),
        };
        let nulls: Vec<String> =
            serde_json::from_str(self.nulls.as_deref().unwrap_or("[]")).map_err(damaged)?;
        let is_null = |name: &str| nulls.iter().any(|null| null == name);
        let mut members: BTreeMap<&str, String> =
            extra.iter().map(|(name, value)| (name, value.text.to_owned())).collect();
        let mut nested: BTreeMap<&str, Object> = BTreeMap::new();
        for (column, cell) in shape.columns.iter().zip(&self.cells) {
            let value = match cell {
                Some(value) => json(value, column),
                None if is_null(&column.name) => "null".to_owned(),
                None => continue,
            };
            match &*column.path {
                [name] => drop(members.insert(name, value)),
                [name, field, ..] => nested.entry(name).or_default().push(field, &value),
                [] => {}
            }
        }
        let parents = shape.columns.iter().filter(|column| column.path.len() == 2);
        for parent in parents.filter_map(|column| column.path.first()) {
            if is_null(parent) {
                members.insert(parent, "null".to_owned());
            }
        }
        for (name, mut object) in nested {
            if let Some(below) = extra.get(name) {
                for (field, value) in Members::of(below.text)?.iter() {
                    object.push(field, value.text);
                }
            }
            members.insert(name, object.finish());
        }
        let mut object = Object::default();
        for (name, value) in &members {
            object.push(name, value);
        }
        Ok(object.finish())
    }

    /// Returns the row with copies of its texts.
    pub(crate) fn into_owned(self) -> Row<'static> {
        let own = |value| match value {
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Integer(value) => Value::Integer(value),
            Value::Real(value) => Value::Real(value),
            Value::Boolean(value) => Value::Boolean(value),
        };
        let cells = self.cells.into_iter().map(|cell| cell.map(own)).collect();
        Row { cells, extra: self.extra, nulls: self.nulls }
    }

    /// Removes everything that may be personal: the personal columns, and all unlisted fields.
    pub(crate) fn erase(&mut self, shape: &Shape) {
        for (column, cell) in shape.columns.iter().zip(&mut self.cells) {
            if column.is_personal && !is_identity(shape, column) {
                *cell = None;
            }
        }
        (self.extra, self.nulls) = (None, None);
    }
}

/// Returns whether a column is the one that identifies a record. It stays when a record is erased.
pub(crate) fn is_identity(shape: &Shape, column: &Column) -> bool {
    shape.identity().is_ok_and(|identity| identity.name == column.name)
}

/// Returns the JSON text of a value.
fn json(value: &Value<'_>, column: &Column) -> String {
    match value {
        Value::Text(text) if column.kind == Kind::Json => text.clone().into_owned(),
        Value::Text(text) => quoted(text),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => serde_json::Value::from(*value).to_string(),
        Value::Boolean(value) => value.to_string(),
    }
}

fn damaged(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Store, "cannot read a row: a column of the mirror is damaged")
        .because(error)
}
