//! JSON objects, read once for everything that needs their members.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind};
use crate::fields::compact;

/// A JSON value. The items of a list stay text.
pub(crate) enum Json<'a> {
    Null,
    Boolean(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<&'a RawValue>),
    Object(Members<'a>),
}

impl<'a> Json<'a> {
    /// Reads a value with at most this many levels.
    ///
    /// # Errors
    ///
    /// The value is invalid or deeper.
    pub(crate) fn of(text: &'a str, depth: usize) -> Result<Self, Error> {
        let Some(depth) = depth.checked_sub(1) else {
            let text = format!("cannot read a record: it is nested deeper than {MAX_DEPTH} levels");
            return Err(Error::new(ErrorKind::Record, text));
        };
        Ok(match text.bytes().next() {
            Some(b'n') => Self::Null,
            Some(b't') => Self::Boolean(true),
            Some(b'f') => Self::Boolean(false),
            Some(b'"') => Self::Text(string(text)?),
            Some(b'[') => Self::List(serde_json::from_str(text).map_err(invalid)?),
            Some(b'{') => Self::Object(Members::within(text, depth)?),
            _ => Self::Number(text),
        })
    }
}

/// The members of a JSON object, sorted by name. If a name occurs several times, the last member wins.
#[derive(Default)]
pub(crate) struct Members<'a>(Unsorted<'a>);

/// Members, at first in the order of the text.
type Unsorted<'a> = Vec<(Cow<'a, str>, Member<'a>)>;

/// A member of a JSON object: its text, and the value that it spells.
pub(crate) struct Member<'a> {
    pub(crate) text: &'a str,
    pub(crate) json: Json<'a>,
}

impl<'a> Members<'a> {
    /// Reads a JSON object.
    pub(crate) fn of(text: &'a str) -> Result<Self, Error> {
        Self::within(text, MAX_DEPTH)
    }

    fn within(text: &'a str, depth: usize) -> Result<Self, Error> {
        let mut members = match Self::plain(text, depth)? {
            Some(members) => members,
            None => Self::any(text, depth)?,
        };
        // Stable, so that equal names stay in the order of the text.
        let mut has_repeated = false;
        members.sort_by(|(one, _), (other, _)| {
            let order = one.cmp(other);
            has_repeated |= order.is_eq();
            order
        });
        if has_repeated {
            members.reverse();
            members.dedup_by(|(one, _), (other, _)| one == other);
            members.reverse();
        }
        Ok(Self(members))
    }

    /// Reads the members of plain JSON; `None` if it is not plain.
    fn plain(text: &'a str, depth: usize) -> Result<Option<Unsorted<'a>>, Error> {
        let (mut members, mut failure) = (Vec::with_capacity(USUAL), None);
        let plain = compact::each(text, &mut |name, text| match Json::of(text, depth) {
            Ok(json) => members.push((name.into(), Member { text, json })),
            Err(error) => failure = Some(error),
        });
        match failure {
            Some(error) => Err(error),
            None => Ok(plain.map(|()| members)),
        }
    }

    /// Reads the members of any JSON.
    fn any(text: &'a str, depth: usize) -> Result<Unsorted<'a>, Error> {
        let (mut deserializer, mut failure) = (serde_json::Deserializer::from_str(text), None);
        let members = Object { depth, failure: &mut failure }.deserialize(&mut deserializer);
        let members = members.and_then(|members| deserializer.end().map(|()| members));
        members.map_err(|error| failure.unwrap_or_else(|| invalid(error)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Member<'a>)> {
        self.0.iter().map(|(name, member)| (&**name, member))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Member<'a>> {
        let index = self.0.binary_search_by(|(one, _)| (**one).cmp(name)).ok()?;
        self.0.get(index).map(|(_, member)| member)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// Number of members for which there is room from the start. With more, the memory is in no cache of glibc.
const USUAL: usize = 14;

/// Maximum nesting of a record, in levels. The decoders have the same limit.
pub(crate) const MAX_DEPTH: usize = 128;

/// Returns the text of a JSON string.
fn string(text: &str) -> Result<Cow<'_, str>, Error> {
    let plain = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match plain {
        Some(plain) if !plain.contains('\\') => Ok(Cow::Borrowed(plain)),
        _ => serde_json::from_str(text).map(Cow::Owned).map_err(invalid),
    }
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

/// Reads the members of an object in the order of the text.
struct Object<'f> {
    /// Maximum number of levels of a member.
    depth: usize,
    /// Why a member could not be read.
    failure: &'f mut Option<Error>,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = Unsorted<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Unsorted<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::with_capacity(USUAL);
        while let Some(Name(name)) = map.next_key()? {
            let value: &'de RawValue = map.next_value()?;
            let text = value.get();
            match Json::of(text, self.depth) {
                Ok(json) => members.push((name, Member { text, json })),
                Err(error) => {
                    *self.failure = Some(error);
                    return Err(A::Error::custom("a member cannot be read"));
                }
            }
        }
        Ok(members)
    }
}

/// A name, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);
