//! Booleans that a service writes in other ways than `true` and `false`.

#![expect(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use core::fmt;

use serde::de::Visitor;
use serde::{Deserializer, Serializer};

use crate::Error;
use crate::decode::cursor::Cursor;

/// The ways in which a service writes a boolean. The first one of each is written.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// Those of `true`; at least one.
    pub yes: &'static [Code],
    /// Those of `false`; at least one.
    pub no: &'static [Code],
}

/// A JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// A string.
    Text(&'static str),
    /// An integer.
    Integer(i64),
    /// `true` or `false`.
    Boolean(bool),
}

impl Codes {
    /// Reads a value on the fast path.
    #[inline]
    #[must_use]
    pub fn read(self, cursor: &mut Cursor<'_>) -> Option<bool> {
        if cursor.is_at(b'"') {
            let text = cursor.text()?;
            self.find(|code| matches!(code, Code::Text(one) if *one == text))
        } else if cursor.is_at(b't') || cursor.is_at(b'f') {
            self.of(Code::Boolean(cursor.boolean()?))
        } else {
            self.of(Code::Integer(cursor.integer()?))
        }
    }

    /// Reads a value from serde.
    pub fn deserialize<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(CodesVisitor(self))
    }

    /// Returns whether the text of a JSON value is one of these.
    #[must_use]
    pub fn fits(self, json: &str) -> bool {
        self.deserialize(&mut serde_json::Deserializer::from_str(json)).is_ok()
    }

    /// Writes a value.
    pub fn serialize<S: Serializer>(self, value: bool, serializer: S) -> Result<S::Ok, S::Error> {
        match self.first(value) {
            Code::Text(text) => serializer.serialize_str(text),
            Code::Integer(number) => serializer.serialize_i64(number),
            Code::Boolean(flag) => serializer.serialize_bool(flag),
        }
    }

    /// Formats a value as text, as in a query.
    pub fn fmt(self, value: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first(value) {
            Code::Text(text) => f.pad(text),
            Code::Integer(number) => fmt::Display::fmt(&number, f),
            Code::Boolean(flag) => fmt::Display::fmt(&flag, f),
        }
    }

    /// Parses the text of a value.
    pub fn parse(self, text: &str, name: &str) -> Result<bool, Error> {
        let found = self.find(|code| match *code {
            Code::Text(one) => one == text,
            Code::Integer(number) => text.parse() == Ok(number),
            Code::Boolean(flag) => text.parse() == Ok(flag),
        });
        found.ok_or_else(|| Error::conversion(name, EXPECTED))
    }

    #[inline]
    fn of(self, code: Code) -> Option<bool> {
        self.find(|one| *one == code)
    }

    #[inline]
    fn find(self, is_one: impl Fn(&Code) -> bool) -> Option<bool> {
        if self.yes.iter().any(&is_one) {
            Some(true)
        } else {
            self.no.iter().any(&is_one).then_some(false)
        }
    }

    fn first(self, value: bool) -> Code {
        let codes = if value { self.yes } else { self.no };
        codes.first().copied().unwrap_or(Code::Boolean(value))
    }
}

/// The expectation of a decoder.
pub const EXPECTED: &str = "a listed form of true or false";

struct CodesVisitor(Codes);

impl CodesVisitor {
    fn found<E: serde::de::Error>(found: Option<bool>) -> Result<bool, E> {
        found.ok_or_else(|| E::custom(EXPECTED))
    }
}

impl Visitor<'_> for CodesVisitor {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(EXPECTED)
    }

    fn visit_bool<E: serde::de::Error>(self, flag: bool) -> Result<bool, E> {
        Self::found(self.0.of(Code::Boolean(flag)))
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<bool, E> {
        Self::found(self.0.of(Code::Integer(number)))
    }

    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<bool, E> {
        Self::found(i64::try_from(number).ok().and_then(|number| self.0.of(Code::Integer(number))))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<bool, E> {
        Self::found(self.0.find(|code| matches!(code, Code::Text(one) if *one == text)))
    }
}
