//! Strings from any serde format, borrowed where the format allows it.

#![expect(
    clippy::exhaustive_structs,
    clippy::missing_errors_doc,
    reason = "generated code of the same version uses it"
)]

use alloc::borrow::{Cow, ToOwned as _};
use alloc::string::String;
use core::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

/// A string that is borrowed if possible. (The `Deserialize` implementation of `Cow` itself never borrows.)
#[derive(Debug)]
pub struct CowText<'a>(pub Cow<'a, str>);

impl<'de> Deserialize<'de> for CowText<'de> {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer, "text").map(CowText)
    }
}

/// Deserializes a string and rejects any other value. `expecting` describes the string in the error message.
#[inline]
pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
    expecting: &'static str,
) -> Result<Cow<'de, str>, D::Error> {
    deserializer.deserialize_str(TextVisitor(expecting))
}

struct TextVisitor(&'static str);

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text.to_owned()))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Cow::Owned(text))
    }
}
