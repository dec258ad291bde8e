//! Turns a record into a row.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Json, Member, Members};
use crate::fields::number;
use crate::fields::row::{Row, Value};
use crate::fields::shape::{Column, Kind, Shape};
use crate::fields::text::{Object, quoted};

/// The columns of a shape in the order of the names in a record, so that one walk over both finds them all.
#[derive(Debug)]
pub(crate) struct Layout {
    columns: usize,
    identity: Column,
    places: Vec<(String, Place)>,
}

/// The place of a field.
#[derive(Debug)]
enum Place {
    Cell(Leaf),
    /// The fields of a nested record.
    Nested(Vec<(String, Leaf)>),
}

/// A field with a column.
#[derive(Debug)]
struct Leaf {
    /// The index of the column.
    index: usize,
    kind: Kind,
    /// The name of the column.
    name: String,
}

impl Layout {
    /// Creates the layout of a shape.
    pub(crate) fn of(shape: &Shape) -> Result<Self, Error> {
        let mut places: Vec<(String, Place)> = Vec::new();
        for (index, Column { name, path, kind, .. }) in shape.columns.iter().enumerate() {
            let leaf = Leaf { index, kind: *kind, name: name.clone() };
            match &**path {
                [name] => places.push((name.clone(), Place::Cell(leaf))),
                [name, field, ..] => {
                    let leaf = (field.clone(), leaf);
                    let known = places.iter_mut().find_map(|(one, place)| match place {
                        Place::Nested(leaves) if one == name => Some(leaves),
                        _ => None,
                    });
                    match known {
                        Some(leaves) => leaves.push(leaf),
                        None => places.push((name.clone(), Place::Nested(vec![leaf]))),
                    }
                }
                [] => {}
            }
        }
        for (_, place) in &mut places {
            if let Place::Nested(leaves) = place {
                leaves.sort_by(|(one, _), (other, _)| one.cmp(other));
            }
        }
        places.sort_by(|(one, _), (other, _)| one.cmp(other));
        Ok(Self { columns: shape.columns.len(), identity: shape.identity()?.clone(), places })
    }

    /// Returns the identity of a record.
    pub(crate) fn identity<'a>(&self, members: &Members<'a>) -> Result<Cow<'a, str>, Error> {
        let Column { name, path, kind, .. } = &self.identity;
        let value = path.first().and_then(|name| members.get(name));
        match value.map(|value| cell(*kind, value)) {
            // PostgreSQL has no U+0000 in text.
            Some(Cell::Value(Value::Text(id))) if !id.is_empty() && !id.contains('\0') => Ok(id),
            Some(Cell::Value(Value::Integer(id))) => Ok(id.to_string().into()),
            _ => {
                let text = format!("the identity `{name}` is missing or of another kind");
                Err(Error::new(ErrorKind::Record, text))
            }
        }
    }

    /// Returns the row of a record.
    pub(crate) fn row<'a>(&self, members: &Members<'a>) -> Row<'a> {
        let mut row = Row { cells: vec![None; self.columns], extra: None, nulls: None };
        let (mut extra, mut nulls) = (Object::default(), Vec::new());
        let mut places = &*self.places;
        for (name, member) in members.iter() {
            match (find(&mut places, name), &member.json) {
                (Some(Place::Cell(leaf)), _) if store(leaf, member, &mut row.cells, &mut nulls) => {
                }
                (Some(Place::Nested(_)), Json::Null) => nulls.push(quoted(name)),
                (Some(Place::Nested(leaves)), Json::Object(inner)) => {
                    let (mut below, mut leaves) = (Object::default(), &**leaves);
                    for (field, member) in inner.iter() {
                        let leaf = find(&mut leaves, field);
                        let cells = &mut row.cells;
                        if !leaf.is_some_and(|leaf| store(leaf, member, cells, &mut nulls)) {
                            below.push(field, member.text);
                        }
                    }
                    // An empty object would be lost: nothing else says that it is there.
                    if !below.is_empty() || inner.len() == 0 {
                        extra.push(name, &below.finish());
                    }
                }
                _ => extra.push(name, member.text),
            }
        }
        row.extra = (!extra.is_empty()).then(|| extra.finish());
        row.nulls = (!nulls.is_empty()).then(|| format!("[{}]", nulls.join(",")));
        row
    }
}

/// Returns the place of this name. The names ascend from call to call.
fn find<'l, T>(places: &mut &'l [(String, T)], name: &str) -> Option<&'l T> {
    while let Some(((one, place), rest)) = places.split_first() {
        match (**one).cmp(name) {
            Ordering::Less => *places = rest,
            Ordering::Equal => {
                *places = rest;
                return Some(place);
            }
            Ordering::Greater => return None,
        }
    }
    None
}

/// Puts a value into its column, or its name into the list of nulls. Returns whether it fits.
fn store<'a>(
    leaf: &Leaf,
    member: &Member<'a>,
    cells: &mut [Option<Value<'a>>],
    nulls: &mut Vec<String>,
) -> bool {
    match (cell(leaf.kind, member), cells.get_mut(leaf.index)) {
        (Cell::Value(value), Some(to)) => *to = Some(value),
        (Cell::Null, _) => nulls.push(quoted(&leaf.name)),
        (Cell::Misfit, _) | (_, None) => return false,
    }
    true
}

/// A JSON value for a column of some kind.
enum Cell<'a> {
    Value(Value<'a>),
    Null,
    /// The column cannot hold the value exactly.
    Misfit,
}

fn cell<'a>(kind: Kind, member: &Member<'a>) -> Cell<'a> {
    let exact = |value: Option<Value<'static>>| value.map_or(Cell::Misfit, Cell::Value);
    match (&member.json, kind) {
        (Json::Null, _) => Cell::Null,
        (_, Kind::Json) => Cell::Value(Value::Text(member.text.into())),
        (Json::Text(text), Kind::Text) => Cell::Value(Value::Text(text.clone())),
        (Json::Boolean(value), Kind::Boolean) => Cell::Value(Value::Boolean(*value)),
        (Json::Number(text), Kind::Integer) => exact(text.parse().ok().map(Value::Integer)),
        (Json::Number(text), Kind::Real) => {
            let value = text.parse().ok().filter(|value: &f64| value.is_finite());
            let is_exact = |value: &f64| number::equal(&format!("{value:?}"), text);
            exact(value.filter(is_exact).map(Value::Real))
        }
        _ => Cell::Misfit,
    }
}

#[cfg(test)]
mod tests {
    use methodical_model::{Column, Table};
    use proptest::prelude::*;
    use serde_json::Value as JsonValue;

    use super::Layout;
    use crate::fields::json::{Json, MAX_DEPTH, Members};
    use crate::fields::meaning;
    use crate::fields::row::{Row, Value};
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
        Layout::of(&shape()).unwrap().row(&Members::of(json).unwrap())
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
            let error =
                Layout::of(&shape()).unwrap().identity(&Members::of(json).unwrap()).unwrap_err();
            assert_eq!(error.to_string(), "the identity `id` is missing or of another kind");
        }
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
            let meaning = |text| meaning::of(&Json::of(text, MAX_DEPTH).unwrap()).unwrap();
            prop_assert_eq!(
                meaning(&json),
                meaning(&back),
                "{} {}", json, back
            );
        }
    }
}
