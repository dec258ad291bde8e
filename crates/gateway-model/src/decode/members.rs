//! Walks the text of members, `"a":1, "b":[2]`, that was checked when it was kept.

use alloc::borrow::Cow;

use serde::Deserialize as _;

use crate::decode::splitter::Splitter;
use crate::decode::text::CowText;

/// Returns the name and the JSON text of the value of every member.
pub(crate) fn iter(mut text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    core::iter::from_fn(move || {
        let (name, rest) = text.split_at_checked(Splitter::end_of(text)?)?;
        let rest = blanks(rest).strip_prefix(':').map(blanks)?;
        let (value, rest) = rest.split_at_checked(Splitter::end_of(rest)?)?;
        text = blanks(rest).strip_prefix(',').map(blanks).unwrap_or_default();
        Some((decoded(name)?, value))
    })
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', '\r'])
}

fn decoded(name: &str) -> Option<Cow<'_, str>> {
    let plain = name.strip_prefix('"')?.strip_suffix('"')?;
    if !plain.contains('\\') {
        return Some(Cow::Borrowed(plain));
    }
    let mut deserializer = serde_json::Deserializer::from_str(name);
    CowText::deserialize(&mut deserializer).ok().map(|text| text.0)
}
