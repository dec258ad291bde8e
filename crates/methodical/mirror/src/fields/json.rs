//! Splits JSON objects into the JSON text of their fields, computes the meaning of a value (text that is equal for
//! values that mean the same), and finds the fields in which two versions of a record differ.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, BTreeSet};

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::fields::Shape;

/// The fields of a JSON object: the JSON text of each value, by name. If a name is repeated, the last field wins.
pub(crate) type Members<'a> = BTreeMap<Text<'a>, &'a RawValue>;

pub(crate) fn members(object: &str) -> Result<Members<'_>, Error> {
    serde_json::from_str(object).map_err(invalid)
}

/// A JSON string, borrowed if it has no escapes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

impl Borrow<str> for Text<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

pub(crate) fn unquoted(json: &str) -> Result<Cow<'_, str>, Error> {
    Ok(serde_json::from_str::<Text<'_>>(json).map_err(invalid)?.0)
}

/// Keeps only the position, because serde's message may quote the data.
#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn invalid(error: serde_json::Error) -> Error {
    let text = format!(
        "cannot read a record: its JSON is invalid at line {} column {}",
        error.line(),
        error.column()
    );
    Error::new(ErrorKind::Record, text)
}

/// Returns a value as JSON text.
pub(crate) fn written(value: &(impl Serialize + ?Sized)) -> Result<String, Error> {
    serde_json::to_string(value).map_err(unwritten)
}

/// Writes a record as JSON in its model's form, so that values that the model considers equal have equal text.
pub(crate) fn write<'a>(record: &impl Serialize, json: &'a mut Vec<u8>) -> Result<&'a str, Error> {
    json.clear();
    serde_json::to_writer(&mut *json, record).map_err(unwritten)?;
    std::str::from_utf8(json).map_err(unwritten)
}

fn unwritten(error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Record, "cannot write a record as JSON").because(error)
}

/// Reads a decimal number of at most 28 digits, exactly.
pub(crate) fn decimal(text: &str) -> rust_decimal::Result<Decimal> {
    if text.contains(['e', 'E']) && text.len() <= 28 {
        Decimal::from_scientific(text)
    } else {
        Decimal::from_str_exact(text)
    }
}

/// Maximum nesting of a value, in levels. The decoders accept one level less.
pub(crate) const MAX_DEPTH: usize = 128;

/// Returns the meaning of a JSON value: text that is equal for values that mean the same.
///
/// Whitespace, field order, string escapes and number notation are ignored; the order of list items is not.
///
/// # Errors
///
/// Fails if the value is invalid, or nested too deeply.
pub(crate) fn meaning(value: &str) -> Result<String, Error> {
    let mut out = String::new();
    write_meaning(value, &mut out, MAX_DEPTH)?;
    Ok(out)
}

/// Appends the meaning of a value with at most this many levels.
fn write_meaning(value: &str, out: &mut String, depth: usize) -> Result<(), Error> {
    let Some(depth) = depth.checked_sub(1) else {
        let text = format!("cannot read a record: it is nested deeper than {MAX_DEPTH} levels");
        return Err(Error::new(ErrorKind::Record, text));
    };
    match value.bytes().next() {
        Some(b'n' | b't' | b'f') => out.push_str(value),
        Some(b'"') => out.push_str(&written(&unquoted(value)?)?),
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(value).map_err(invalid)?;
            out.push('[');
            for item in items {
                write_meaning(item.get(), out, depth)?;
                out.push(',');
            }
            out.push(']');
        }
        Some(b'{') => {
            out.push('{');
            for (name, value) in members(value)? {
                out.push_str(&written(&name)?);
                write_meaning(value.get(), out, depth)?;
                out.push(',');
            }
            out.push('}');
        }
        // `1`, `1.0` and `10e-1` are the same. A number that is not a decimal is compared as text.
        _ => match decimal(value) {
            Ok(number) => out.push_str(&number.normalize().to_string()),
            Err(_) => out.push_str(value),
        },
    }
    Ok(())
}

/// A record as JSON text, and the columns that it was written with.
pub(crate) type Version<'a> = (&'a str, &'a Shape);

/// Returns the names of the differing columns, in alphabetical order.
///
/// A nested record that became `null` or absent, or whose unlisted fields differ, is reported under its own name. Other
/// unlisted fields are reported as [`EXTRA`]. A field that only one of the two shapes lists is ignored.
pub(crate) fn changed(old: Version<'_>, new: Version<'_>) -> Result<Vec<String>, Error> {
    let shapes = [old.1, new.1];
    let nests = |name: &str| shapes.map(|shape| shape.nests(name));
    let is_nested = |name: &str| nests(name) != [false; 2];
    let [before, after] = [values(old.0, &is_nested)?, values(new.0, &is_nested)?];
    let mut changed = BTreeSet::new();
    for path in
        before.keys().chain(after.keys()).filter(|path| before.get(*path) != after.get(*path))
    {
        let name = path.first().map_or("", |name| &**name);
        match (shapes.map(|shape| shape.index(path).is_some()), nests(name)) {
            ([true, true], _) => drop(changed.insert(path.join("_"))),
            ([false, false], [true, true]) => drop(changed.insert(name.to_owned())),
            ([false, false], [false, false]) => drop(changed.insert(EXTRA.to_owned())),
            _ => {}
        }
    }
    Ok(changed.into_iter().collect())
}

/// The meaning of each field, by path. A nested record with columns has a meaning only for each field.
type Values<'a> = BTreeMap<Vec<Cow<'a, str>>, String>;

fn values<'a>(record: &'a str, is_nested: &impl Fn(&str) -> bool) -> Result<Values<'a>, Error> {
    let mut values = Values::new();
    for (Text(name), value) in members(record)? {
        let (value, mut whole) = (value.get(), String::new());
        if value.starts_with('{') && is_nested(&name) {
            for (Text(field), value) in members(value)? {
                values.insert(vec![name.clone(), field], meaning(value.get())?);
            }
        } else {
            whole = meaning(value)?;
        }
        values.insert(vec![name], whole);
    }
    Ok(values)
}

/// The name that the feed uses for unlisted fields, which is that of the column that stores them.
pub(crate) const EXTRA: &str = "mirror_extra";

#[cfg(test)]
mod tests {
    use methodical_model::tables::{Column, Table};

    use super::{changed, meaning as read};
    use crate::fields::Shape;

    fn meaning(text: &str) -> String {
        read(text).unwrap()
    }

    #[test]
    fn spellings_of_the_same_number_are_equal() {
        for spellings in [
            &["1", "1.0", "10e-1", "0.1E+1", "1.000"][..],
            &["0", "-0", "0.0", "0e9"],
            &["-120", "-1.2e2", "-12E1"],
        ] {
            for one in spellings {
                assert_eq!(meaning(one), meaning(spellings[0]), "{one}");
            }
        }
    }

    #[test]
    fn other_numbers_differ() {
        for (one, other) in [
            ("1", "-1"),
            ("1", "10"),
            ("1", "0.1"),
            ("0.30000000000000004", "0.3"),
            ("9007199254740993", "9007199254740992"),
            ("1e400", "10e400"),
            ("123456789012345678901234567890", "123456789012345678901234567891"),
            ("1.00000000000000000000000000001e1", "1.00000000000000000000000000002e1"),
        ] {
            assert_ne!(meaning(one), meaning(other), "{one} {other}");
        }
    }

    #[test]
    fn other_spellings_are_equal_and_other_values_differ() {
        let one = meaning(r#"{"a":1,"b":[true,null],"c":"A/é"}"#);
        assert_eq!(meaning(r#"{ "c": "\u0041\/é", "b": [ true , null ], "a": 1.0 }"#), one);
        assert_eq!(meaning(r#"{"a":1,"a":2}"#), meaning(r#"{"a":2}"#));
        let values = r#"null false 0 "" "0" [] {} [null] {"a":null} ["a","b"] ["b","a"] ["ab"]"#;
        let values: Vec<String> = values.split(' ').map(meaning).collect();
        for (index, one) in values.iter().enumerate() {
            assert_eq!(values.iter().position(|other| other == one), Some(index));
        }
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let object = |depth| format!("{}1{}", r#"{"a":"#.repeat(depth), "}".repeat(depth));
        assert!(read(&nested(127)).is_ok() && read(&object(127)).is_ok());
        for text in [nested(129), object(129), object(100_000)] {
            let error = read(&text).unwrap_err().to_string();
            assert_eq!(error, "cannot read a record: it is nested deeper than 128 levels");
        }
    }

    const OLD: Table = Table::new(
        "photo",
        "id",
        &[Column::text(&["id"]), Column::text(&["title"]), Column::text(&["place", "name"])],
    );

    /// The same table with three new fields.
    const NEW: Table = Table::new(
        "photo",
        "id",
        &[
            Column::text(&["id"]),
            Column::text(&["title"]),
            Column::text(&["place", "name"]),
            Column::text(&["place", "zip"]),
            Column::integer(&["size"]),
            Column::text(&["owner", "name"]),
        ],
    );

    fn names(tables: (Table, Table), old: &str, new: &str) -> String {
        let (before, after) = (Shape::of(&tables.0).unwrap(), Shape::of(&tables.1).unwrap());
        changed((old, &before), (new, &after)).unwrap().join(" ")
    }

    #[test]
    fn a_field_of_one_shape_does_not_count() {
        for (old, new, expected) in [
            (r"{}", r#"{"size":7,"owner":{"name":"a"},"place":{"zip":"1"}}"#, "place"),
            (r#"{"place":{}}"#, r#"{"place":{"zip":"1"}}"#, ""),
            (r#"{"size":6}"#, r#"{"size":7}"#, ""),
            (r#"{"size":6,"title":"a"}"#, r#"{"size":7,"title":"b"}"#, "title"),
        ] {
            assert_eq!(names((OLD, NEW), old, new), expected, "{old} {new}");
            assert_eq!(names((NEW, OLD), new, old), expected, "{new} {old}");
        }
    }
}
