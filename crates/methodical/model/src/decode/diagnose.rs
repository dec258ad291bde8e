//! Finds out what is wrong with a record that serde rejected: kind, path and position, never the value.
//!
//! serde's own messages quote the data and have no path. So the record is decoded again along its
//! [`Shape`], with a trace of the path. Only rejected records pay for it.

use alloc::collections::BTreeSet;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use serde::Deserialize as _;
use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::value::RawValue;

use crate::decode::shape::{Member, Object, Shape};
use crate::decode::text::CowText;
use crate::decode::{depth, kind_of};
use crate::error::Position;
use crate::{Error, ErrorKind};

/// Returns the error of `json`, which begins at `position` and is at `path` in the document.
#[cold]
pub(crate) fn diagnose(json: &str, shape: Shape, mut path: String, position: Position) -> Error {
    let mut trace = Trace { steps: Vec::new(), kind: None, expected: shape.expected() };
    let mut deserializer = serde_json::Deserializer::from_str(json);
    let result = Seed { shape, nullable: false, trace: &mut trace }
        .deserialize(&mut deserializer)
        .and_then(|()| deserializer.end());
    let (line, column, kind) = match &result {
        Ok(()) => (1, 1, ErrorKind::Syntax),
        Err(error) => (error.line(), error.column(), kind_of(error)),
    };
    for step in trace.steps {
        // Writing to a `String` does not fail.
        _ = match step {
            Step::Item(index) => write!(path, "[{index}]"),
            Step::Name(name) if path.is_empty() => write!(path, "{name}"),
            Step::Name(name) => write!(path, ".{name}"),
        };
    }
    let kind = trace.kind.unwrap_or(kind);
    let expected = if kind == ErrorKind::Syntax { "valid JSON" } else { trace.expected };
    Error::new(kind, path, position.within(line, column), expected)
}

/// The path that is being decoded. After a failure it is the path of the failure.
struct Trace {
    steps: Vec<Step>,
    kind: Option<ErrorKind>,
    expected: &'static str,
}

/// A step of a path.
enum Step {
    /// A field, or `*`: the name of an unlisted field and the key of a map may be personal data.
    Name(&'static str),
    /// A position in a list.
    Item(usize),
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

impl Seed<'_> {
    /// Returns the seed of the shape that this one allows besides another form.
    fn inner(self) -> Option<Self> {
        let (Shape::OneOrList(of) | Shape::OrEmptyList(of) | Shape::OrBlank(of)) = self.shape
        else {
            return None;
        };
        let shape = of();
        if !matches!(self.shape, Shape::OneOrList(_)) {
            self.trace.expected = shape.expected();
        }
        Some(Self { shape, nullable: false, trace: self.trace })
    }
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
            Shape::Leaf { expected, fits } => {
                // The parser would report a number that exceeds its range as a mistake in the syntax.
                let json = <&RawValue>::deserialize(deserializer)?.get();
                if fits(json) {
                    Ok(())
                } else {
                    Err(self.trace.fail(ErrorKind::WrongType, expected))
                }
            }
            Shape::Boolean => deserializer.deserialize_bool(self),
            Shape::Object(_) | Shape::Map(_) => deserializer.deserialize_map(self),
            Shape::List(_) => deserializer.deserialize_seq(self),
            Shape::OneOrList(_) | Shape::OrEmptyList(_) | Shape::OrBlank(_) => {
                deserializer.deserialize_any(self)
            }
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
            Shape::OrBlank(_) if text.is_empty() => true,
            Shape::Leaf { fits, .. } => serde_json::to_string(text).is_ok_and(|json| fits(&json)),
            _ => match self.inner() {
                Some(inner) => return inner.visit_str(text),
                None => false,
            },
        };
        if fits { Ok(()) } else { Err(E::custom("text")) }
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Integer => true,
            Shape::Unsigned => number >= 0,
            Shape::Leaf { fits, .. } => fits(&number.to_string()),
            _ => match self.inner() {
                Some(inner) => return inner.visit_i64(number),
                None => false,
            },
        };
        if fits { Ok(()) } else { Err(E::custom("a number")) }
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Integer => i64::try_from(number).is_ok(),
            Shape::Unsigned => true,
            Shape::Leaf { fits, .. } => fits(&number.to_string()),
            _ => match self.inner() {
                Some(inner) => return inner.visit_u64(number),
                None => false,
            },
        };
        if fits { Ok(()) } else { Err(E::custom("a number")) }
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Leaf { fits, .. } => fits(&number.to_string()),
            _ => match self.inner() {
                Some(inner) => return inner.visit_f64(number),
                None => false,
            },
        };
        if fits { Ok(()) } else { Err(E::custom("a fraction")) }
    }

    fn visit_bool<E: serde::de::Error>(self, flag: bool) -> Result<(), E> {
        let fits = match self.shape {
            Shape::Boolean => true,
            Shape::Leaf { fits, .. } => fits(if flag { "true" } else { "false" }),
            _ => match self.inner() {
                Some(inner) => return inner.visit_bool(flag),
                None => false,
            },
        };
        if fits { Ok(()) } else { Err(E::custom("a flag")) }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let shape = match self.shape {
            Shape::List(shape) | Shape::OneOrList(shape) => shape,
            Shape::OrEmptyList(_) => {
                return match list.next_element::<IgnoredAny>()? {
                    Some(_) => Err(A::Error::custom("list")),
                    None => Ok(()),
                };
            }
            _ => match self.inner() {
                Some(inner) => return inner.visit_seq(list),
                None => return Err(A::Error::custom("list")),
            },
        };
        let mut index = 0;
        loop {
            self.trace.steps.push(Step::Item(index));
            let item = Seed { shape: shape(), nullable: false, trace: &mut *self.trace };
            if list.next_element_seed(item)?.is_none() {
                self.trace.steps.pop();
                return Ok(());
            }
            self.trace.steps.pop();
            self.trace.expected = "a list";
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let object = match self.shape {
            Shape::Object(object) => object,
            Shape::Map(shape) => return entries(map, shape, self.trace),
            Shape::OneOrList(_) | Shape::OrEmptyList(_) | Shape::OrBlank(_) => {
                return match self.inner() {
                    Some(inner) => inner.visit_map(map),
                    None => Err(A::Error::custom("object")),
                };
            }
            _ => return Err(A::Error::custom("object")),
        };
        let mut seen = Seen::default();
        while let Some(CowText(name)) = map.next_key()? {
            let known = object.members.iter().enumerate().find(|(_, member)| member.name == name);
            if let Some((index, member)) = known {
                self.trace.steps.push(Step::Name(member.name));
                if !seen.insert(index) {
                    return Err(self.trace.fail(ErrorKind::Duplicate, "the field once"));
                }
                map.next_value_seed(Seed {
                    shape: (member.shape)(),
                    nullable: !member.required,
                    trace: &mut *self.trace,
                })?;
            } else {
                self.trace.steps.push(Step::Name("*"));
                self.trace.expected = "a value";
                let value: &RawValue = map.next_value()?;
                if depth::exceeded(value.get()) {
                    return Err(self.trace.fail(ErrorKind::TooDeep, depth::EXPECTED));
                }
            }

            self.trace.steps.pop();
            self.trace.expected = object.what;
        }
        match missing(object, seen) {
            Some(member) => {
                self.trace.steps.push(Step::Name(member.name));
                Err(self.trace.fail(ErrorKind::Missing, (member.shape)().expected()))
            }
            None => Ok(()),
        }
    }
}

/// Decodes an object with arbitrary keys.
fn entries<'de, A: MapAccess<'de>>(
    mut map: A,
    shape: fn() -> Shape,
    trace: &mut Trace,
) -> Result<(), A::Error> {
    let mut seen = BTreeSet::new();
    while let Some(CowText(key)) = map.next_key()? {
        trace.steps.push(Step::Name("*"));
        if !seen.insert(key) {
            return Err(trace.fail(ErrorKind::Duplicate, "the key once"));
        }
        map.next_value_seed(Seed { shape: shape(), nullable: false, trace: &mut *trace })?;
        trace.steps.pop();
        trace.expected = "an object";
    }
    Ok(())
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
