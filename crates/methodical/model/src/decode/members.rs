//! Iterates over the text of fields and items, which is valid JSON.

use alloc::borrow::Cow;

use serde::Deserialize as _;

use crate::decode::splitter::Splitter;
use crate::decode::text::CowText;

/// The whitespace of JSON.
pub(crate) const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the name and the JSON text of the value of every field, of an object or of a text such as `"a":1, "b":[2]`.
pub(crate) fn iter(text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    raw(text).map_while(|(name, value)| Some((decoded(name)?, value)))
}

/// Returns the JSON text of the name and of the value of every field.
pub(crate) fn raw(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut text = inside(text, '{');
    core::iter::from_fn(move || {
        let (name, rest) = text.split_at_checked(Splitter::end_of(text)?)?;
        let rest = whitespace(rest).strip_prefix(':').map(whitespace)?;
        let (value, rest) = rest.split_at_checked(Splitter::end_of(rest)?)?;
        text = after_comma(rest);
        Some((name, value))
    })
}

/// Returns the JSON text of every item of an array.
pub(crate) fn values(text: &str) -> impl Iterator<Item = &str> {
    let mut text = inside(text, '[');
    core::iter::from_fn(move || {
        let (value, rest) = text.split_at_checked(Splitter::end_of(text)?)?;
        text = after_comma(rest);
        // The bracket that closes an empty array is not an item.
        Some(value).filter(|value| *value != "]")
    })
}

/// Returns the text after the bracket that opens it, if there is one.
fn inside(text: &str, open: char) -> &str {
    whitespace(text.strip_prefix(open).unwrap_or(text))
}

fn after_comma(rest: &str) -> &str {
    whitespace(rest).strip_prefix(',').map(whitespace).unwrap_or_default()
}

fn whitespace(text: &str) -> &str {
    text.trim_start_matches(WHITESPACE)
}

/// Returns the text of a JSON string; `None` for any other value.
pub(crate) fn decoded(name: &str) -> Option<Cow<'_, str>> {
    let plain = name.strip_prefix('"')?.strip_suffix('"')?;
    if !plain.contains('\\') {
        return Some(Cow::Borrowed(plain));
    }
    let mut deserializer = serde_json::Deserializer::from_str(name);
    CowText::deserialize(&mut deserializer).ok().map(|text| text.0)
}
