//! Finds out what is wrong with a record that serde rejected: kind, path and position, never the value.
//!
//! serde's own messages quote the data and have no path. So the record is decoded again along its
//! [`Shape`], with a trace of the path. Only rejected records pay for it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::decode::shape::{Member, Object, Shape};
use crate::decode::text::CowText;
use crate::decode::{depth, kind_of};
use crate::error::Position;
use crate::{Error, ErrorKind};

/// Returns the error of `json`, which begins at `position` and is at `path` in the document.
#[cold]
pub(crate) fn diagnose(json: &str, shape: Shape, mut path: String, position: Position) -> Error {
    let mut trace = Trace { names: Vec::new(), kind: None, expected: shape.expected() };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let result = Seed { shape, nullable: false, trace: &mut trace }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end());
    let (line, column, kind) = match &result {
        Ok(()) => (1, 1, ErrorKind::Syntax),
        Err(error) => (error.line(), error.column(), kind_of(error)),
    };
    for name in trace.names {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    }
    let kind = trace.kind.unwrap_or(kind);
    let expected = if kind == ErrorKind::Syntax { "valid JSON" } else { trace.expected };
    Error::new(kind, path, position.within(line, column), expected)
}

/// The path that is being decoded. After a failure it is the path of the failure.
struct Trace {
    names: Vec<&'static str>,
    kind: Option<ErrorKind>,
    expected: &'static str,
}

impl Trace {
    /// Records what is wrong. The serde error only stops the decoding.
    fn fail<E: serde::de::Error>(&mut self, kind: ErrorKind, expected: &'static str) -> E {
        self.kind = Some(kind);
        self.expected = expected;
        E::custom(kind.as_str())
    }
}

struct Seed<'t> {
    shape: Shape,
    nullable: bool,
    trace: &'t mut Trace,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        self.trace.expected = self.shape.expected();
        if self.nullable {
            return deserializer.deserialize_option(self);
        }
        match self.shape {
            Shape::Text | Shape::Choice(_) => deserializer.deserialize_str(self),
            Shape::Integer => deserializer.deserialize_i64(self),
            Shape::Unsigned => deserializer.deserialize_u64(self),
            Shape::Boolean => deserializer.deserialize_bool(self),
            Shape::Object(_) => deserializer.deserialize_map(self),
        }
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.shape.expected())
    }

    fn visit_none<E: serde::de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        if self.nullable { Ok(()) } else { Err(E::custom("null")) }
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        Seed { nullable: false, ..self }.deserialize(deserializer)
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Text => true,
            Shape::Choice(is_listed) => is_listed(text),
            _ => false,
        };
        if fits { Ok(()) } else { Err(E::custom("text")) }
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Integer => true,
            Shape::Unsigned => number >= 0,
            _ => false,
        };
        if fits { Ok(()) } else { Err(E::custom("a number")) }
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Integer => i64::try_from(number).is_ok(),
            Shape::Unsigned => true,
            _ => false,
        };
        if fits { Ok(()) } else { Err(E::custom("a number")) }
    }

    fn visit_bool<E: serde::de::Error>(self, _: bool) -> Result<(), E> {
        if matches!(self.shape, Shape::Boolean) { Ok(()) } else { Err(E::custom("a flag")) }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Shape::Object(object) = self.shape else { return Err(A::Error::custom("object")) };
        let mut seen = Seen::default();
        while let Some(CowText(name)) = map.next_key()? {
            let known = object.members.iter().enumerate().find(|(_, member)| member.name == name);
            if let Some((index, member)) = known {
                self.trace.names.push(member.name);
                if !seen.insert(index) {
                    return Err(self.trace.fail(ErrorKind::Duplicate, "the field once"));
                }
                map.next_value_seed(Seed {
                    shape: (member.shape)(),
                    nullable: !member.required,
                    trace: &mut *self.trace,
                })?;
            } else {
                // The name of an unlisted field may be personal data, so it is not shown.
                self.trace.names.push("*");
                self.trace.expected = "a value";
                let value: &RawValue = map.next_value()?;
                if depth::exceeded(value.get()) {
                    return Err(self.trace.fail(ErrorKind::TooDeep, depth::EXPECTED));
                }
            }

            self.trace.names.pop();
            self.trace.expected = object.what;
        }
        match missing(object, seen) {
            Some(member) => {
                self.trace.names.push(member.name);
                Err(self.trace.fail(ErrorKind::Missing, (member.shape)().expected()))
            }
            None => Ok(()),
        }
    }
}

fn missing(object: &'static Object, mut seen: Seen) -> Option<&'static Member> {
    let required = object.members.iter().enumerate().filter(|(_, member)| member.required);
    required.filter(|(index, _)| seen.insert(*index)).map(|(_, member)| member).next()
}

/// The fields that have been decoded, by their index in the shape.
#[derive(Default)]
struct Seen(Vec<usize>);

impl Seen {
    /// Adds a field and returns whether it is new.
    fn insert(&mut self, member: usize) -> bool {
        let new = !self.0.contains(&member);
        if new {
            self.0.push(member);
        }
        new
    }
}
