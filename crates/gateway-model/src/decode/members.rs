//! Walks the text of members, `"a":1,"b":[2]`, that was checked when it was kept.

use alloc::borrow::Cow;

use serde::Deserialize as _;

use crate::decode::splitter::Splitter;
use crate::decode::text::CowText;

/// Returns the name and the JSON text of the value of every member.
pub(crate) fn iter(mut text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    core::iter::from_fn(move || {
        let (name, rest) = text.split_at_checked(Splitter::end_of(text)?)?;
        let rest = rest.strip_prefix(':')?;
        let (value, rest) = rest.split_at_checked(Splitter::end_of(rest)?)?;
        text = rest.strip_prefix(',').unwrap_or_default();
        Some((decoded(name)?, value))
    })
}

/// Returns the value of the last member with this name, which is the one that JSON readers take.
pub(crate) fn find<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    iter(text).filter(|(member, _)| member == name).map(|(_, value)| value).last()
}

fn decoded(name: &str) -> Option<Cow<'_, str>> {
    let plain = name.strip_prefix('"')?.strip_suffix('"')?;
    if !plain.contains('\\') {
        return Some(Cow::Borrowed(plain));
    }
    let mut deserializer = serde_json::Deserializer::from_str(name);
    CowText::deserialize(&mut deserializer).ok().map(|text| text.0)
}
