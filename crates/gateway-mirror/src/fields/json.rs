//! One level of a JSON value: the values in it stay text.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};

/// A JSON value, its members as text.
pub(crate) enum Json<'a> {
    Null,
    Boolean(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<&'a RawValue>),
    Object(Members<'a>),
}

impl<'a> Json<'a> {
    /// Reads one level of a value.
    pub(crate) fn of(value: &'a RawValue) -> Result<Self, Error> {
        let text = value.get();
        Ok(match text.bytes().next() {
            Some(b'n') => Self::Null,
            Some(b't') => Self::Boolean(true),
            Some(b'f') => Self::Boolean(false),
            Some(b'"') => Self::Text(string(text)?),
            Some(b'[') => Self::List(serde_json::from_str(text).map_err(invalid)?),
            Some(b'{') => Self::Object(Members::of(text)?),
            _ => Self::Number(text),
        })
    }
}

/// The members of a JSON object, sorted by name. If a name occurs several times, the last member wins.
#[derive(Default)]
pub(crate) struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// Reads a JSON object.
    pub(crate) fn of(text: &'a str) -> Result<Self, Error> {
        let Unsorted(mut members) = serde_json::from_str(text).map_err(invalid)?;
        // Stable, so that equal names stay in the order of the text.
        members.sort_by(|(one, _), (other, _)| one.cmp(other));
        if !members.is_sorted_by(|(one, _), (other, _)| one < other) {
            members.reverse();
            members.dedup_by(|(one, _), (other, _)| one == other);
            members.reverse();
        }
        Ok(Self(members))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &'a RawValue)> {
        self.0.iter().map(|(name, value)| (&**name, *value))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a RawValue> {
        let index = self.0.binary_search_by(|(one, _)| (**one).cmp(name)).ok()?;
        self.0.get(index).map(|(_, value)| *value)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Returns the text of a JSON string.
fn string(text: &str) -> Result<Cow<'_, str>, Error> {
    let plain = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match plain {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(text).map(Cow::Owned).map_err(invalid),
    }
}

/// Returns text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Keeps the position only: the message of serde may quote the data.
#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn invalid(error: serde_json::Error) -> Error {
    let text = format!(
        "cannot read a record: its JSON is invalid at line {} column {}",
        error.line(),
        error.column()
    );
    Error::new(ErrorKind::Record, text)
}

/// The members in the order of the text.
struct Unsorted<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Unsorted<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Unsorted<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::with_capacity(16);
                while let Some(Name(name)) = map.next_key()? {
                    members.push((name, map.next_value()?));
                }
                Ok(Unsorted(members))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A name, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
