//! A record as a row of its table. Nothing is lost: everything that fits no column is stored in `mirror_extra`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use siphasher::sip128::SipHasher24;

use crate::error::{Error, ErrorKind};
use crate::fields::json::{Members, Text, meaning, members, unquoted, written};
use crate::fields::{Column, Hash, Hasher, Kind, Secret, Shape};

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Value<'a> {
    Text(Cow<'a, str>),
    Integer(i64),
    Boolean(bool),
}

/// A record as a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Row<'a> {
    /// The values of the columns, in the order of the shape.
    pub(crate) cells: Vec<Option<Value<'a>>>,
    /// A JSON object of everything without a column.
    pub(crate) extra: Option<String>,
    /// A JSON array of the names of columns, and of nested records with columns, whose value is `null`.
    pub(crate) nulls: Option<String>,
}

impl<'a> Row<'a> {
    /// Reads a record as a row of this shape. If a name occurs several times, the last field wins.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Record`] if the text is not a JSON object, or a value is invalid or nested too deeply.
    pub(crate) fn of(json: &'a str, shape: &Shape) -> Result<Self, Error> {
        let mut row = Self { cells: vec![None; shape.columns.len()], ..Self::default() };
        let (mut nulls, mut extra) = (BTreeSet::new(), BTreeMap::new());
        // Checked now, because later syncs compare the meanings of unlisted fields, and an error would abort them.
        let check = |text: &str| meaning(text).map(drop);
        for (name, value) in members(json)? {
            let (is_nested, text) = (shape.nests(&name.0), value.get());
            if is_nested && text == "null" {
                nulls.insert(name.0.into_owned());
            } else if is_nested && text.starts_with('{') {
                let (mut others, mut is_empty) = (Members::new(), true);
                for (field, value) in members(text)? {
                    is_empty = false;
                    if !row.take(&[&name.0, &field.0], value.get(), shape, &mut nulls)? {
                        check(value.get())?;
                        others.insert(field, value);
                    }
                }
                // An empty object would be lost: nothing else records that it exists.
                if is_empty || !others.is_empty() {
                    let others = RawValue::from_string(written(&others)?);
                    extra.insert(name, others.map_err(damaged)?);
                }
            } else if is_nested || !row.take(&[&name.0], text, shape, &mut nulls)? {
                check(text)?;
                extra.insert(name, value.to_owned());
            }
        }
        row.extra = (!extra.is_empty()).then(|| written(&extra)).transpose()?;
        row.nulls = (!nulls.is_empty()).then(|| written(&nulls)).transpose()?;
        Ok(row)
    }

    /// Puts a value into the column for its path, or adds the column to the nulls. Returns whether the value fits.
    fn take(
        &mut self,
        path: &[&str],
        text: &'a str,
        shape: &Shape,
        nulls: &mut BTreeSet<String>,
    ) -> Result<bool, Error> {
        let Some(index) = shape.index(path) else { return Ok(false) };
        let (column, to) = (shape.columns.get(index), self.cells.get_mut(index));
        let (Some(column), Some(to)) = (column, to) else { return Ok(false) };
        if text == "null" {
            nulls.insert(column.name.clone());
            return Ok(true);
        }
        *to = cell(column.kind, text)?;
        Ok(to.is_some())
    }

    /// Reads a record that its model wrote; `None` unless [`to_model_json`](Self::to_model_json) would return exactly
    /// this text: each field has a column, the fields are in the order of the columns, and no string has an escape.
    /// This is a fast path: most records are written this way, and a first sync reads every record.
    pub(crate) fn verbatim(json: &'a str, shape: &Shape) -> Option<Self> {
        let mut cells = vec![None; shape.columns.len()];
        let mut columns = shape.columns.iter().zip(&mut cells);
        let (mut rest, mut parent) = (json.strip_prefix('{')?, None);
        loop {
            let (name, value) = plain_text(rest.strip_prefix('"')?)?;
            let value = value.strip_prefix(':')?;
            if let (None, Some(nested)) = (parent, value.strip_prefix('{')) {
                (parent, rest) = (Some(name), nested);
                continue;
            }
            let is_at = |(column, _): &(&Column, _)| match (&*column.path, parent) {
                ([field], None) => field == name,
                ([first, field], Some(parent)) => first == parent && field == name,
                _ => false,
            };
            let (column, cell) = columns.find(is_at)?;
            let (is_quoted, (text, after)) = match value.strip_prefix('"') {
                Some(text) => (true, plain_text(text)?),
                None => (false, value.split_at(value.find([',', '}'])?)),
            };
            *cell = Some(match (column.kind, is_quoted) {
                (Kind::Text, true) => Value::Text(text.into()),
                (Kind::Integer, false) if text != "-0" => Value::Integer(text.parse().ok()?),
                (Kind::Boolean, false) => Value::Boolean(text.parse().ok()?),
                _ => return None,
            });
            rest = after;
            if parent.is_some()
                && let Some(outer) = rest.strip_prefix('}')
            {
                (parent, rest) = (None, outer);
            }
            if parent.is_none() && rest == "}" {
                return Some(Row { cells, extra: None, nulls: None });
            }
            rest = rest.strip_prefix(',')?;
        }
    }

    pub(crate) fn identity(&self, shape: &Shape) -> Result<Cow<'_, str>, Error> {
        match self.cells.get(shape.identity) {
            // PostgreSQL text cannot contain U+0000.
            Some(Some(Value::Text(id))) if !id.is_empty() && !id.contains('\0') => {
                Ok((&**id).into())
            }
            Some(Some(Value::Integer(id))) => Ok(id.to_string().into()),
            _ => {
                let name = &shape.identity()?.name;
                let text = format!("the id `{name}` is missing or of the wrong type");
                Err(Error::new(ErrorKind::Record, text))
            }
        }
    }

    /// Returns the record as JSON text, with its fields in the order of their names.
    pub(crate) fn to_json(&self, shape: &Shape) -> Result<String, Error> {
        written(&members(&self.to_model_json(shape)?)?)
    }

    /// Returns the record as JSON text in its model's form: fields in the order of the columns, then the unlisted ones.
    pub(crate) fn to_model_json(&self, shape: &Shape) -> Result<String, Error> {
        let mut extra = self.extra.as_deref().map_or_else(|| Ok(Members::new()), members)?;
        let nulls = self.nulls.as_deref().map_or(Ok(Vec::new()), serde_json::from_str);
        let nulls: Vec<String> = nulls.map_err(damaged)?;
        let unlisted = |(Text(name), json)| (name, Part::Json(json));
        let (mut record, columns) = (Vec::new(), || shape.columns.iter().zip(&self.cells));
        for (index, one) in columns().enumerate() {
            let [parent, _] = &*one.0.path else {
                record.extend(part(one, &nulls)?);
                continue;
            };
            let is_below = |one: &Column| one.path.len() == 2 && one.path.first() == Some(parent);
            let before = shape.columns.get(..index).unwrap_or_default();
            // The columns of a nested record are usually adjacent.
            if before.iter().rev().any(is_below) {
                continue;
            }
            let mut fields = Vec::new();
            for one in columns().filter(|(one, _)| is_below(one)) {
                fields.extend(part(one, &nulls)?);
            }
            if !fields.is_empty() {
                let below = extra.remove(&**parent).map(|below| members(below.get()));
                fields.extend(below.transpose()?.into_iter().flatten().map(unlisted));
                record.push((parent.into(), Part::Object(fields)));
            } else if nulls.contains(parent) {
                record.push((parent.into(), Part::Null));
            }
        }
        record.extend(extra.into_iter().map(unlisted));
        written(&Part::Object(record))
    }

    /// Removes all JSON of a row if some of it is damaged. Returns whether some was damaged.
    pub(crate) fn drop_damaged(&mut self, shape: &Shape) -> bool {
        let is_damaged = self.to_model_json(shape).is_err();
        if is_damaged {
            let cells = shape.columns.iter().zip(&mut self.cells);
            cells
                .filter(|(column, _)| column.kind == Kind::Json)
                .for_each(|(_, cell)| *cell = None);
            (self.extra, self.nulls) = (None, None);
        }
        is_damaged
    }

    /// Removes everything that may be personal: the personal columns except the identity, and all unlisted fields.
    pub(crate) fn erase(&mut self, shape: &Shape) {
        for (index, (column, cell)) in shape.columns.iter().zip(&mut self.cells).enumerate() {
            if column.is_personal && index != shape.identity {
                *cell = None;
            }
        }
        (self.extra, self.nulls) = (None, None);
    }

    /// Returns the text in a column. A string with U+0000 does not count as text, because PostgreSQL cannot store it.
    pub(crate) fn text(&self, column: usize) -> Option<&str> {
        match self.cells.get(column)?.as_ref()? {
            Value::Text(text) if !text.contains('\0') => Some(text),
            _ => None,
        }
    }
}

/// A part of a record as JSON.
#[derive(Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Null,
    Cell(&'a Value<'a>),
    Json(&'a RawValue),
    Object(#[serde(serialize_with = "object")] Vec<Field<'a>>),
}

/// A field of a record, by name.
type Field<'a> = (Cow<'a, str>, Part<'a>);

/// Returns the field of a column; `None` if the record does not have it.
fn part<'a>(
    (column, cell): (&'a Column, &'a Option<Value<'_>>),
    nulls: &[String],
) -> Result<Option<Field<'a>>, Error> {
    let part = match cell {
        Some(Value::Text(json)) if column.kind == Kind::Json => {
            Part::Json(serde_json::from_str(json).map_err(damaged)?)
        }
        Some(value) => Part::Cell(value),
        None if nulls.contains(&column.name) => Part::Null,
        None => return Ok(None),
    };
    Ok(column.path.last().map(|name| (name.into(), part)))
}

fn object<S: Serializer>(fields: &[Field<'_>], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(fields.iter().map(|(name, part)| (name, part)))
}

fn damaged(error: serde_json::Error) -> Error {
    let text = "cannot read a row: its JSON in the mirror is damaged; rebuild the mirror";
    Error::new(ErrorKind::Store, text).because(error)
}

/// Returns a JSON value as a value of a column; `None` if the column cannot hold it exactly.
fn cell(kind: Kind, text: &str) -> Result<Option<Value<'_>>, Error> {
    Ok(match kind {
        Kind::Json => {
            meaning(text)?;
            Some(Value::Text(text.into()))
        }
        Kind::Text if text.starts_with('"') => Some(Value::Text(unquoted(text)?)),
        Kind::Text => None,
        Kind::Boolean => text.parse().ok().map(Value::Boolean),
        Kind::Integer => text.parse().ok().map(Value::Integer),
    })
}

/// Splits text after an opening quote at the closing quote; `None` if the JSON string between them has an escape.
fn plain_text(text: &str) -> Option<(&str, &str)> {
    let end = text.bytes().position(|byte| matches!(byte, b'"' | b'\\'))?;
    let (text, rest) = text.split_at_checked(end)?;
    Some((text, rest.strip_prefix('"')?))
}

/// Hashes the contents of rows with SipHash-2-4 and the mirror's secret. 200 bytes take a fifth of the time of an HMAC.
pub(crate) struct RowHasher(SipHasher24);

impl RowHasher {
    pub(crate) fn new(secret: &Secret) -> Self {
        let key = Hasher::new(secret, "row").hash(&[]);
        Self(SipHasher24::new_with_key(&key.0))
    }

    /// Returns the hash of a record as its model writes it.
    pub(crate) fn text(&self, json: &[u8]) -> Hash {
        Hash(self.0.hash(json).as_bytes())
    }

    /// Returns the hash of a row that contains its complete record.
    pub(crate) fn row(&self, row: &Row<'_>, shape: &Shape) -> Result<Hash, Error> {
        Ok(self.text(row.to_model_json(shape)?.as_bytes()))
    }
}

/// Returns whether at least two, and more than half, of the personal values in both versions differ. One differing
/// value is not enough, because a person may change their name. Case, spaces and separators are ignored.
pub(crate) fn is_other_person(old: (&Row<'_>, &Shape), (row, shape): (&Row<'_>, &Shape)) -> bool {
    let (mut count, mut different) = (0_u32, 0_u32);
    for (index, (column, value)) in shape.columns.iter().zip(&row.cells).enumerate() {
        let before = old.1.index(&column.path).and_then(|index| old.0.cells.get(index)?.as_ref());
        if let (Some(before), Some(value)) = (before, value)
            && column.is_personal
            && index != shape.identity
        {
            count += 1;
            different += u32::from(!is_same_spelling(before, value));
        }
    }
    different > 1 && different * 2 > count
}

fn is_same_spelling(old: &Value<'_>, new: &Value<'_>) -> bool {
    let (Value::Text(old), Value::Text(new)) = (old, new) else { return old == new };
    let letters = |text: &str| -> String {
        text.chars().filter(|one| one.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    letters(old) == letters(new)
}

#[cfg(test)]
mod tests {
    use methodical_model::tables::{Column, Table};
    use proptest::prelude::*;
    use serde_json::Value as JsonValue;

    use super::{Row, is_other_person};
    use crate::fields::Shape;
    use crate::fields::json::meaning;

    const TABLE: Table = Table::new(
        "photo",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["title"]).personal(),
            Column::integer(&["size"]),
            Column::boolean(&["open"]),
            Column::json(&["tags"]),
            Column::text(&["place", "id"]),
            Column::text(&["place", "name"]).personal(),
        ],
    );

    fn row(json: &str) -> Row<'_> {
        Row::of(json, &shape()).unwrap()
    }

    fn shape() -> Shape {
        Shape::of(&TABLE).unwrap()
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
            let model = row(&json).to_model_json(&shape()).unwrap();
            let meaning = |text| meaning(text).unwrap();
            prop_assert_eq!(meaning(&json), meaning(&back), "{} {}", json, back);
            prop_assert_eq!(meaning(&json), meaning(&model), "{} {}", json, model);
            for text in [&json, &model] {
                let Some(verbatim) = Row::verbatim(text, &shape()) else { continue };
                prop_assert_eq!(&verbatim, &row(text));
                prop_assert_eq!(&verbatim.to_model_json(&shape()).unwrap(), text);
            }
        }
    }

    #[test]
    fn only_a_text_that_a_model_writes_is_verbatim() {
        let whole =
            r#"{"id":"1","title":"é 😀","size":-7,"open":true,"place":{"id":"x","name":""}}"#;
        assert_eq!(Row::verbatim(whole, &shape()), Some(row(whole)));
        for text in [
            r#"{"id":"1","title":null}"#,
            r#"{"id":"1","title":"a\n"}"#,
            r#"{"id":"1","title":7}"#,
            r#"{"title":"a","id":"1"}"#,
            r#"{"id":"1","size":-0}"#,
            r#"{"id":"1","size":1.0}"#,
            r#"{"id":"1","size":"7"}"#,
            r#"{"id":"1","tags":[1]}"#,
            r#"{"id":"1","other":"a"}"#,
            r#"{"id":"1","place":{"zip":"a"}}"#,
            r#"{"id":"1","place":{}}"#,
            r#"{"id":"1","place":{"id":{"name":"b"}}}"#,
            r#"{"id":"1" }"#,
            r"{}",
        ] {
            assert_eq!(Row::verbatim(text, &shape()), None, "{text}");
        }
    }

    #[test]
    fn an_unlisted_field_may_have_as_many_levels_as_a_model_accepts() {
        for (levels, is_read) in [(127, true), (128, false)] {
            let value = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
            for json in
                [format!(r#"{{"other":{value}}}"#), format!(r#"{{"place":{{"zip":{value}}}}}"#)]
            {
                assert_eq!(Row::of(&json, &shape()).is_ok(), is_read, "{levels}");
            }
        }
    }

    const PERSON: Table = Table::new(
        "person",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["name"]).personal(),
            Column::text(&["mail"]).personal(),
            Column::text(&["phone"]).personal(),
            Column::text(&["date"]),
        ],
    );

    #[test]
    fn another_person_has_most_values_changed() {
        let shape = Shape::of(&PERSON).unwrap();
        for (old, new, expected) in [
            (r#"{"name":"Ada","mail":"a@x"}"#, r#"{"name":"Bob","mail":"b@x"}"#, true),
            (r#"{"name":"Ada","mail":"a@x"}"#, r#"{"name":"Eve","mail":"a@x"}"#, false),
            (r#"{"name":"Ada","phone":"1"}"#, r#"{"name":"Bob","phone":"2","mail":"b@x"}"#, true),
            (r#"{"name":"Ada"}"#, r#"{"name":"Bob"}"#, false),
            (r#"{"name":"Ada"}"#, r#"{"name":"Bob","mail":"b@x","phone":"1"}"#, false),
            (r#"{"name":"ada l."}"#, r#"{"name":"Ada L","phone":"1"}"#, false),
            (r#"{"phone":"+31 1"}"#, r#"{"phone":"+311"}"#, false),
            (r#"{"date":"1"}"#, r#"{"date":"2"}"#, false),
        ] {
            let (one, other) = (Row::of(old, &shape).unwrap(), Row::of(new, &shape).unwrap());
            assert_eq!(is_other_person((&one, &shape), (&other, &shape)), expected, "{old} {new}");
        }
    }
}
