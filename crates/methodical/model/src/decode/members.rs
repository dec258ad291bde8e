//! Iterates over the text of fields, such as `"a":1, "b":[2]`, which was checked when it was kept.

use alloc::borrow::Cow;

use serde::Deserialize as _;

use crate::decode::splitter::Splitter;
use crate::decode::text::CowText;

/// Returns the name and the JSON text of the value of every field.
pub(crate) fn iter(mut text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    core::iter::from_fn(move || {
        let (name, rest) = text.split_at_checked(Splitter::end_of(text)?)?;
        let rest = whitespace(rest).strip_prefix(':').map(whitespace)?;
        let (value, rest) = rest.split_at_checked(Splitter::end_of(rest)?)?;
        text = whitespace(rest).strip_prefix(',').map(whitespace).unwrap_or_default();
        Some((decoded(name)?, value))
    })
}

fn whitespace(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
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
