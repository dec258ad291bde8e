//! Diagnoses a value that serde rejected: the kind, path and position of the error, never the value.
//!
//! serde's messages quote the data and have no path, so the JSON text is compared with its [`Shape`] instead. Only
//! rejected records incur this cost.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use serde::Deserialize as _;
use serde::de::IgnoredAny;

use crate::decode::members::Splitter;
use crate::decode::shape::{Object, Shape};
use crate::decode::text::CowText;
use crate::decode::{depth, kind_of, members};
use crate::error::Position;
use crate::{DecodeError, DecodeErrorKind};

/// Returns the error in `json`, which begins at `position` and is at `path` in the document.
#[cold]
pub(crate) fn diagnose(json: &str, shape: Shape, path: String, position: Position) -> DecodeError {
    let mut comparison = Comparison { json, path };
    let value = json.trim_start_matches(members::WHITESPACE);
    let value = value.get(..Splitter::end_of(value).unwrap_or(value.len())).unwrap_or_default();
    let compared = comparison.value(value, shape, 0);
    let fault =
        compared.err().unwrap_or(Fault { kind: DecodeErrorKind::Syntax, expected: VALID, end: 0 });
    let end = position.of_last(json.get(..fault.end).unwrap_or_default());
    if let Err(error) = serde_json::from_str::<IgnoredAny>(json) {
        let syntax = position.within(error.line(), error.column());
        // A fault after a syntax error may be a consequence of that error.
        let is_first = match fault.kind {
            DecodeErrorKind::Syntax => false,
            DecodeErrorKind::WrongType => end <= syntax && value.starts_with(begins_value),
            _ => end < syntax,
        };
        if !is_first {
            let kind = kind_of(&error);
            let is_cut = kind == DecodeErrorKind::Incomplete;
            let expected = if is_cut { shape.expected() } else { VALID };
            return DecodeError::new(kind, String::new(), syntax, expected);
        }
    }
    DecodeError::new(fault.kind, comparison.path, end, fault.expected)
}

const VALID: &str = "valid JSON";

/// Returns whether a JSON value can begin with this character.
pub(crate) fn begins_value(first: char) -> bool {
    matches!(first, '[' | '{' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n')
}

/// The comparison of JSON text with a shape. After a fault, `path` is where the fault was found.
struct Comparison<'j> {
    json: &'j str,
    path: String,
}

/// A mistake in the text: its kind, what was expected, and where it ends.
struct Fault {
    kind: DecodeErrorKind,
    expected: &'static str,
    /// The position in the text where the mistake ends.
    end: usize,
}

impl<'j> Comparison<'j> {
    fn value(&mut self, json: &'j str, shape: Shape, depth: usize) -> Result<(), Fault> {
        let depth = depth + 1;
        let is_list = json.starts_with('[');
        match shape {
            Shape::Leaf(leaf) if (leaf.fits)(json) => Ok(()),
            Shape::Object(object) if json.starts_with('{') => self.object(json, object, depth),
            Shape::Map(of) if json.starts_with('{') => self.map(json, of, depth),
            Shape::List(of) | Shape::OneOrList(of) if is_list => self.list(json, of, depth),
            Shape::OneOrList(of) => {
                let length = self.path.len();
                self.value(json, of(), depth).map_err(|fault| match fault.kind {
                    DecodeErrorKind::WrongType if self.path.len() == length => {
                        Fault { expected: shape.expected(), ..fault }
                    }
                    _ => fault,
                })
            }
            Shape::OrEmptyList(_) if is_list && members::values(json).next().is_none() => Ok(()),
            Shape::OrBlank(_) if json == "\"\"" => Ok(()),
            Shape::OrEmptyList(of) | Shape::OrBlank(of) => self.value(json, of(), depth),
            Shape::Leaf(_) | Shape::Object(_) | Shape::Map(_) | Shape::List(_) => {
                self.text(json)?;
                let length = if json.starts_with(['[', '{']) { 0 } else { json.len() };
                Err(self.fault(DecodeErrorKind::WrongType, shape.expected(), json, length))
            }
        }
    }

    fn object(
        &mut self,
        json: &'j str,
        object: &'static Object,
        depth: usize,
    ) -> Result<(), Fault> {
        self.enter(json, depth)?;
        let mut seen = Vec::new();
        for (name, value) in members::raw(json) {
            self.text(name)?;
            let member = members::decoded(name).and_then(|name| object.member(&name));
            let length = self.step(member.map_or("*", |member| member.name));
            match member {
                Some(member) if seen.contains(&member.name) => {
                    return Err(self.fault(
                        DecodeErrorKind::Duplicate,
                        "the field once",
                        name,
                        name.len(),
                    ));
                }
                Some(member) => {
                    seen.push(member.name);
                    if member.required || value != "null" {
                        self.value(value, (member.shape)(), depth)?;
                    }
                }
                None if depth::exceeded(value) => {
                    return Err(self.fault(
                        DecodeErrorKind::TooDeep,
                        depth::EXPECTED,
                        value,
                        value.len(),
                    ));
                }
                None => {}
            }
            self.path.truncate(length);
        }
        let missing = |member: &&crate::decode::shape::Member| {
            member.required && !seen.contains(&member.name)
        };
        match object.members.iter().find(missing) {
            Some(member) => {
                self.step(member.name);
                let expected = (member.shape)().expected();
                Err(self.fault(DecodeErrorKind::Missing, expected, json, json.len()))
            }
            None => Ok(()),
        }
    }

    /// Compares an object with arbitrary keys.
    fn map(&mut self, json: &'j str, of: fn() -> Shape, depth: usize) -> Result<(), Fault> {
        self.enter(json, depth)?;
        let mut seen = BTreeSet::new();
        for (key, value) in members::raw(json) {
            self.text(key)?;
            let length = self.step("*");
            if !seen.insert(members::decoded(key)) {
                return Err(self.fault(DecodeErrorKind::Duplicate, "the key once", key, key.len()));
            }
            self.value(value, of(), depth)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn list(&mut self, json: &'j str, of: fn() -> Shape, depth: usize) -> Result<(), Fault> {
        self.enter(json, depth)?;
        for (index, value) in members::values(json).enumerate() {
            let length = self.path.len();
            // Writing to a `String` does not fail.
            _ = write!(self.path, "[{index}]");
            self.value(value, of(), depth)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn enter(&self, json: &str, depth: usize) -> Result<(), Fault> {
        if depth <= depth::LIMIT {
            return Ok(());
        }
        Err(self.fault(DecodeErrorKind::TooDeep, depth::EXPECTED, json, 0))
    }

    /// Checks the escapes in a string. Any other value passes.
    fn text(&self, json: &str) -> Result<(), Fault> {
        match CowText::deserialize(&mut serde_json::Deserializer::from_str(json)) {
            Err(error) if json.starts_with('"') => {
                Err(self.fault(DecodeErrorKind::Syntax, VALID, json, error.column()))
            }
            _ => Ok(()),
        }
    }

    /// Adds a field to the path: its name, or `*`, because the name of an unlisted field and the key of a map may be
    /// personal data. Returns the previous length of the path.
    fn step(&mut self, name: &'static str) -> usize {
        let length = self.path.len();
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(name);
        length
    }

    /// Returns a fault that ends `length` bytes after the start of `part`.
    fn fault(
        &self,
        kind: DecodeErrorKind,
        expected: &'static str,
        part: &str,
        length: usize,
    ) -> Fault {
        let start = part.as_ptr().addr().saturating_sub(self.json.as_ptr().addr());
        Fault { kind, expected, end: start + length }
    }
}
