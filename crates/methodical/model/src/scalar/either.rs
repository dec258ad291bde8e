//! Scalars that a service writes in two ways: as a number, or as text.

#![expect(clippy::exhaustive_structs, reason = "generated code of the same version uses it")]

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;
use core::marker::PhantomData;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::decode::cursor::Cursor;
use crate::decode::shape::Shape;
use crate::decode::value::{Value, fits};
use crate::scalar::integer::{parse_signed, parse_unsigned};

/// An integer, also as text in decimal digits.
#[derive(Debug)]
pub struct OrText<N>(PhantomData<N>);

/// An integer type that text in decimal digits can have.
pub trait Digits: for<'a> Value<Ref<'a> = Self> + TryFrom<i64> + TryFrom<u64> {
    /// The expectation of a decoder.
    const EXPECTED: &'static str;

    /// Parses decimal digits.
    fn of_text(text: &str) -> Option<Self>;
}

impl Digits for i64 {
    const EXPECTED: &'static str = "an integer, or text with one";

    fn of_text(text: &str) -> Option<Self> {
        parse_signed(text, "").ok()
    }
}

impl Digits for u64 {
    const EXPECTED: &'static str = "a non-negative integer, or text with one";

    fn of_text(text: &str) -> Option<Self> {
        parse_unsigned(text, "").ok()
    }
}

impl<N: Digits> Value for OrText<N> {
    type Ref<'a> = N;
    type Owned = N;

    #[inline]
    fn read(cursor: &mut Cursor<'_>) -> Option<N> {
        if cursor.is_at(b'"') { N::of_text(&cursor.text()?) } else { N::read(cursor) }
    }

    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<N, D::Error> {
        deserializer.deserialize_any(DigitsVisitor(PhantomData))
    }

    fn into_owned(number: N) -> N {
        number
    }

    fn shape() -> Shape {
        Shape::Leaf { expected: N::EXPECTED, fits: fits::<Self> }
    }
}

struct DigitsVisitor<N>(PhantomData<N>);

impl<N: Digits> Visitor<'_> for DigitsVisitor<N> {
    type Value = N;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(N::EXPECTED)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<N, E> {
        N::try_from(number).map_err(|_outside| E::custom(N::EXPECTED))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<N, E> {
        N::try_from(number).map_err(|_outside| E::custom(N::EXPECTED))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<N, E> {
        N::of_text(text).ok_or_else(|| E::custom(N::EXPECTED))
    }
}

/// Text, also as a JSON number whose digits are kept.
#[derive(Debug)]
pub struct OrNumber;

impl Value for OrNumber {
    type Ref<'a> = Cow<'a, str>;
    type Owned = String;

    #[inline]
    fn read<'a>(cursor: &mut Cursor<'a>) -> Option<Cow<'a, str>> {
        if cursor.is_at(b'"') { cursor.text() } else { cursor.number().map(Cow::Borrowed) }
    }

    /// Works only with the formats of `serde_json`: no other keeps the digits of a number.
    fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let text = if is_number(json.get()) {
            Some(String::from(json.get()))
        } else {
            serde_json::from_str(json.get()).ok()
        };
        text.map(Cow::Owned).ok_or_else(|| D::Error::custom(TEXT_OR_NUMBER))
    }

    fn into_owned(text: Cow<'_, str>) -> String {
        text.into_owned()
    }

    fn shape() -> Shape {
        Shape::Leaf { expected: TEXT_OR_NUMBER, fits: fits::<Self> }
    }
}

const TEXT_OR_NUMBER: &str = "text, or a number";

/// Returns whether the text of a JSON value is a number.
fn is_number(json: &str) -> bool {
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
}
