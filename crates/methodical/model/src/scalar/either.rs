//! Scalars that a service writes in several forms: text as a number, booleans as codes, numbers as text.

#![expect(
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::{String, ToString as _};
use core::cmp::Ordering;
use core::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize as _, Serializer};
use serde_json::value::RawValue;

use crate::DecodeError;
use crate::decode::cursor::Cursor;
use crate::decode::members::decoded;
use crate::decode::shape::Shape;
use crate::decode::value::{Value, leaf};

/// Text that the service may also write as a JSON number, whose digits are kept.
#[derive(Debug)]
pub struct OrNumber;

impl Value for OrNumber {
    type Ref<'a> = Cow<'a, str>;
    type Owned = String;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
        if cursor.is_at(b'"') { cursor.text() } else { cursor.number().map(Cow::Borrowed) }
    }

    /// This works only with `serde_json`: no other format keeps the digits of a number.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let is_number =
            json.get().starts_with(|first: char| first == '-' || first.is_ascii_digit());
        let text =
            if is_number { Some(json.get().into()) } else { serde_json::from_str(json.get()).ok() };
        text.map(Cow::Owned).ok_or_else(|| D::Error::custom(TEXT_OR_NUMBER))
    }

    fn into_owned(text: Cow<'_, str>) -> String {
        text.into_owned()
    }

    fn shape() -> Shape {
        leaf::<Self>(TEXT_OR_NUMBER)
    }
}

const TEXT_OR_NUMBER: &str = "text, or a number";

/// The JSON texts with which a service represents a boolean. A value is always written as the first of its texts.
#[derive(Clone, Copy, Debug)]
pub struct Codes {
    /// The forms of `true`; at least one.
    pub yes: &'static [&'static str],
    /// The forms of `false`; at least one.
    pub no: &'static [&'static str],
}

/// The description of a boolean in a decoder's error message.
pub const CODES: &str = "a listed form of true or false";

impl Codes {
    /// Deserializes a boolean from any of its codes.
    pub fn deserialize<'de, D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        let json = serde_json::Value::deserialize(deserializer)?.to_string();
        self.find(|code| code == json).ok_or_else(|| D::Error::custom(CODES))
    }

    /// Serializes a value in its first form.
    pub fn serialize<S: Serializer>(self, value: bool, serializer: S) -> Result<S::Ok, S::Error> {
        let json: serde_json::Value = serde_json::from_str(self.first(value)).unwrap_or_default();
        json.serialize(serializer)
    }

    /// Formats a value for a query.
    pub fn fmt(self, value: bool, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&text(self.first(value)))
    }

    /// Parses a value as written in a query. `name` is the scalar's name, for the error message.
    pub fn parse(self, value: &str, name: &str) -> Result<bool, DecodeError> {
        self.find(|code| text(code) == value).ok_or_else(|| DecodeError::conversion(name, CODES))
    }

    #[inline]
    fn find(self, is_one: impl Fn(&str) -> bool) -> Option<bool> {
        if self.yes.iter().any(|code| is_one(code)) {
            return Some(true);
        }
        self.no.iter().any(|code| is_one(code)).then_some(false)
    }

    fn first(self, value: bool) -> &'static str {
        let codes = if value { self.yes } else { self.no };
        codes.first().copied().unwrap_or_default()
    }
}

/// Formats a code for a query: a string loses its quotes.
fn text(code: &str) -> Cow<'_, str> {
    decoded(code).unwrap_or(Cow::Borrowed(code))
}

/// Parses decimal digits and nothing else, whereas `str::parse` also accepts a leading `+`. `name` is the scalar's
/// name, for the error message.
pub fn parse_unsigned(text: &str, name: &str) -> Result<u64, DecodeError> {
    let number = if digits(text).is_some() { text.parse().ok() } else { None };
    number.ok_or_else(|| DecodeError::conversion(name, "an unsigned integer"))
}

/// Parses decimal digits with an optional leading `-`. `name` is the scalar's name, for the error message.
pub fn parse_signed(text: &str, name: &str) -> Result<i64, DecodeError> {
    let number = if text.starts_with('+') { None } else { text.parse().ok() };
    number.ok_or_else(|| DecodeError::conversion(name, "a whole number"))
}

/// Compares two strings. Whole numbers of any size are ordered by value, before all other text. Numbers of the same
/// value, such as `7` and `07`, are ordered as text, so only identical text is equal.
pub fn compare_digits(one: &str, other: &str) -> Ordering {
    let by_value = match (digits(one), digits(other)) {
        (Some(one), Some(other)) => (one.len(), one).cmp(&(other.len(), other)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    by_value.then_with(|| one.cmp(other))
}

/// Returns the digits of a whole number without leading zeros, or `None` for any other text.
fn digits(text: &str) -> Option<&str> {
    is_digits(text).then(|| text.trim_start_matches('0'))
}

pub(crate) fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the text is a plain decimal number: an optional sign, digits, and an optional fraction.
pub fn is_plain(text: &str) -> bool {
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    is_digits(whole) && is_digits(fraction)
}
