//! A record as a row of its table, and back. Nothing is lost: what fits no column is in the column `mirror_extra`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Json, Members, quoted};
use crate::fields::number;
use crate::fields::shape::{Column, Kind, Shape};

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

/// Returns the identity of a record.
pub(crate) fn identity<'a>(shape: &Shape, members: &Members<'a>) -> Result<Cow<'a, str>, Error> {
    let column = shape.identity()?;
    let value = column.path.first().and_then(|name| members.get(name));
    match value.map(|value| cell(column.kind, value)).transpose()? {
        // PostgreSQL has no U+0000 in text.
        Some(Cell::Value(Value::Text(id))) if !id.is_empty() && !id.contains('\0') => Ok(id),
        Some(Cell::Value(Value::Integer(id))) => Ok(id.to_string().into()),
        _ => {
            let text = format!("the identity `{}` is missing or of another kind", column.name);
            Err(Error::new(ErrorKind::Record, text))
        }
    }
}

impl<'a> Row<'a> {
    /// Creates the row of a record.
    pub(crate) fn of(shape: &Shape, members: &Members<'a>) -> Result<Self, Error> {
        let mut cells = vec![None; shape.columns.len()];
        let (mut extra, mut nulls) = (Object::default(), Vec::new());
        for (name, value) in members.iter() {
            if !shape.nests(name) {
                if !store(shape, &[name], value, &mut cells, &mut nulls)? {
                    extra.push(name, value.get());
                }
                continue;
            }
            match Json::of(value)? {
                Json::Null => nulls.push(quoted(name)),
                Json::Object(inner) => {
                    let mut below = Object::default();
                    for (field, value) in inner.iter() {
                        if !store(shape, &[name, field], value, &mut cells, &mut nulls)? {
                            below.push(field, value.get());
                        }
                    }
                    // An empty object would be lost: nothing else says that it is there.
                    if !below.is_empty() || inner.len() == 0 {
                        extra.push(name, &below.finish());
                    }
                }
                _ => extra.push(name, value.get()),
            }
        }
        let extra = (!extra.is_empty()).then(|| extra.finish());
        let nulls = (!nulls.is_empty()).then(|| format!("[{}]", nulls.join(",")));
        Ok(Self { cells, extra, nulls })
    }

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
            extra.iter().map(|(name, value)| (name, value.get().to_owned())).collect();
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
                for (field, value) in Members::of(below.get())?.iter() {
                    object.push(field, value.get());
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

    /// Returns the row without U+0000 in its columns, which some databases cannot store: the JSON object of everything without
    /// a column has such a value. Returns `None` if no column has one.
    pub(crate) fn without_nul(&self, shape: &Shape) -> Result<Option<Row<'static>>, Error> {
        let has_nul = |cell: &Option<Value<'_>>| matches!(cell, Some(Value::Text(text)) if text.contains('\0'));
        if !self.cells.iter().any(has_nul) {
            return Ok(None);
        }
        let columns = shape.columns.iter().zip(&self.cells);
        let columns = columns.filter(|(_, cell)| !has_nul(cell)).map(|(column, _)| column.clone());
        let fitting = Shape { identity: shape.identity, columns: columns.collect() };
        let json = self.to_json(shape)?;
        let mut row = Row::of(&fitting, &Members::of(&json)?)?.into_owned();
        for (index, _) in self.cells.iter().enumerate().filter(|(_, cell)| has_nul(cell)) {
            row.cells.insert(index, None);
        }
        Ok(Some(row))
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

/// Puts a value into its column, or its name into the list of nulls. Returns whether it has a column that it fits.
fn store<'a>(
    shape: &Shape,
    path: &[&str],
    value: &'a RawValue,
    cells: &mut [Option<Value<'a>>],
    nulls: &mut Vec<String>,
) -> Result<bool, Error> {
    let columns = shape.columns.iter().zip(cells);
    let Some((column, to)) = columns.into_iter().find(|(column, _)| column.path == path) else {
        return Ok(false);
    };
    match cell(column.kind, value)? {
        Cell::Value(value) => *to = Some(value),
        Cell::Null => nulls.push(quoted(&column.name)),
        Cell::Misfit => return Ok(false),
    }
    Ok(true)
}

/// A JSON value for a column of some kind.
enum Cell<'a> {
    Value(Value<'a>),
    Null,
    /// The column cannot hold the value exactly.
    Misfit,
}

fn cell(kind: Kind, value: &RawValue) -> Result<Cell<'_>, Error> {
    let exact = |value: Option<Value<'static>>| value.map_or(Cell::Misfit, Cell::Value);
    Ok(match (Json::of(value)?, kind) {
        (Json::Null, _) => Cell::Null,
        (_, Kind::Json) => Cell::Value(Value::Text(value.get().into())),
        (Json::Text(text), Kind::Text) => Cell::Value(Value::Text(text)),
        (Json::Boolean(value), Kind::Boolean) => Cell::Value(Value::Boolean(value)),
        (Json::Number(text), Kind::Integer) => exact(text.parse().ok().map(Value::Integer)),
        (Json::Number(text), Kind::Real) => {
            let value = text.parse().ok().filter(|value: &f64| value.is_finite());
            let is_exact = |value: &f64| number::equal(&format!("{value:?}"), text);
            exact(value.filter(is_exact).map(Value::Real))
        }
        _ => Cell::Misfit,
    })
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

/// A JSON object under construction.
#[derive(Default)]
struct Object(String);

impl Object {
    fn push(&mut self, name: &str, value: &str) {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        self.0.push_str(&quoted(name));
        self.0.push(':');
        self.0.push_str(value);
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}

#[cfg(test)]
mod tests {
    use gateway_model_core::{Column, Table};
    use proptest::prelude::*;
    use serde_json::Value as JsonValue;

    use super::{Row, Value, identity};
    use crate::fields::json::Members;
    use crate::fields::meaning;
    use crate::fields::shape::Shape;

    const TABLE: Table = Table::new(
        "photo",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["title"]).personal(),
            Column::integer(&["size"]),
            Column::real(&["score"]),
            Column::boolean(&["open"]),
            Column::json(&["tags"]),
            Column::text(&["place", "id"]),
            Column::text(&["place", "name"]).personal(),
        ],
    );

    fn row(json: &str) -> Row<'_> {
        Row::of(&shape(), &Members::of(json).unwrap()).unwrap()
    }

    fn shape() -> Shape {
        Shape::of(&TABLE).unwrap()
    }

    #[test]
    fn a_record_fills_its_columns() {
        let row = row(
            r#"{"id":"007","title":"\u0041 😀","size":-7,"score":0.10,"open":true,"tags":["a"],
                "place":{"id":"3","name":null,"zip":"0049"},"new":1.0}"#,
        );
        let text = |text: &str| Some(Value::Text(text.to_owned().into()));
        assert_eq!(
            row.cells,
            [
                text("007"),
                text("A 😀"),
                Some(Value::Integer(-7)),
                Some(Value::Real(0.1)),
                Some(Value::Boolean(true)),
                text(r#"["a"]"#),
                text("3"),
                None
            ]
        );
        assert_eq!(row.extra.as_deref(), Some(r#"{"new":1.0,"place":{"zip":"0049"}}"#));
        assert_eq!(row.nulls.as_deref(), Some(r#"["place_name"]"#));
    }

    #[test]
    fn a_value_that_its_column_cannot_hold_is_kept_as_json() {
        for value in [
            r#""size":"7""#,
            r#""size":9223372036854775808"#,
            r#""score":1e400"#,
            r#""score":0.1234567890123456789"#,
            r#""title":7"#,
            r#""open":"yes""#,
            r#""place":[]"#,
            r#""place":{}"#,
            r#""place":null"#,
        ] {
            let json = format!(r#"{{"id":"1",{value}}}"#);
            assert_eq!(row(&json).to_json(&shape()).unwrap(), json);
        }
    }

    #[test]
    fn a_record_without_identity_is_an_error() {
        for json in [r"{}", r#"{"id":null}"#, r#"{"id":7}"#, r#"{"id":""}"#, r#"{"id":"a\u0000"}"#]
        {
            let error = identity(&shape(), &Members::of(json).unwrap()).unwrap_err();
            assert_eq!(error.to_string(), "the identity `id` is missing or of another kind");
        }
    }

    #[test]
    fn text_with_u_0000_is_kept_as_json_for_databases_that_cannot_store_it() {
        assert_eq!(row(r#"{"id":"1","title":"a"}"#).without_nul(&shape()).unwrap(), None);
        let json =
            r#"{"id":"1","place":{"id":"3","name":"b\u0000"},"size":7,"title":"\u0000a","x":1.0}"#;
        let row = row(json).without_nul(&shape()).unwrap().unwrap();
        assert_eq!((&row.cells[1], &row.cells[7]), (&None, &None));
        let extra = r#"{"place":{"name":"b\u0000"},"title":"\u0000a","x":1.0}"#;
        assert_eq!(row.extra.as_deref(), Some(extra));
        assert_eq!(row.to_json(&shape()).unwrap(), json);
    }

    #[test]
    fn erasing_keeps_what_is_not_personal() {
        let mut row =
            row(r#"{"id":"1","title":"Ada","size":1,"place":{"id":"3","name":"Home"},"x":1}"#);
        row.erase(&shape());
        assert_eq!(row.to_json(&shape()).unwrap(), r#"{"id":"1","place":{"id":"3"},"size":1}"#);
    }

    fn value() -> impl Strategy<Value = JsonValue> {
        let leaf = prop_oneof![
            Just(JsonValue::Null),
            any::<bool>().prop_map(JsonValue::from),
            any::<i8>().prop_map(JsonValue::from),
            any::<f64>().prop_map(JsonValue::from),
            "[a0 \"\\\\]{0,2}".prop_map(JsonValue::from),
        ];
        leaf.prop_recursive(2, 8, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..3).prop_map(JsonValue::from),
                object(inner),
            ]
        })
    }

    fn object(value: impl Strategy<Value = JsonValue>) -> impl Strategy<Value = JsonValue> {
        let name = prop::sample::select(vec![
            "id", "title", "size", "score", "open", "tags", "place", "name", "new", "place_id",
        ]);
        prop::collection::btree_map(name.prop_map(str::to_owned), value, 0..8)
            .prop_map(|map| map.into_iter().collect())
    }

    proptest! {
        #[test]
        fn a_row_has_the_meaning_of_its_record(record in object(value())) {
            let json = record.to_string();
            let back = row(&json).to_json(&shape()).unwrap();
            let raw = |text: &str| serde_json::value::RawValue::from_string(text.to_owned()).unwrap();
            prop_assert_eq!(
                meaning::of(&raw(&json)).unwrap(),
                meaning::of(&raw(&back)).unwrap(),
                "{} {}", json, back
            );
        }
    }
}
