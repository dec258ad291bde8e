//! Iterates over the fields of an object or the items of an array, whose text is valid JSON. Finds the end of a value
//! from its quotes and brackets.

use alloc::borrow::Cow;

use serde::Deserialize as _;

use crate::decode::text::CowText;

/// The whitespace characters of JSON.
pub(crate) const WHITESPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// Returns the name of every field and the JSON text of its value. The input is an object, or the text within one, such
/// as `"a":1, "b":[2]`.
pub(crate) fn iter(text: &str) -> impl Iterator<Item = (Cow<'_, str>, &str)> {
    raw(text).map_while(|(name, value)| Some((decoded(name)?, value)))
}

/// Returns the name and the value of every field, both as JSON text.
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

/// Returns the text after the opening bracket, or the text itself if it has none.
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

/// The state of the search through one value.
///
/// The search leaves the validation of the value to serde. It never reads past the end of a valid value, so an invalid
/// record cannot swallow its neighbors unnoticed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Splitter {
    /// Number of bytes of the value that have been examined.
    seen: usize,
    depth: usize,
    in_text: bool,
    escaped: bool,
    /// The value is a number or a literal, which ends where something else begins.
    bare: bool,
}

impl Splitter {
    /// Returns the length of the value at the start of `text`, which contains the whole value.
    pub(crate) fn end_of(text: &str) -> Option<usize> {
        Self::default().end(text.as_bytes(), true)
    }

    /// Returns whether the search has begun.
    #[inline]
    pub(crate) fn is_running(&self) -> bool {
        self.seen > 0
    }

    /// Returns the length of the JSON value at the start of `value`, or `None` if the JSON value may continue. `last`
    /// means that no more bytes follow.
    ///
    /// After `None`, call this again with the same bytes and more. Bytes already examined are not examined again.
    pub(crate) fn end(&mut self, value: &[u8], last: bool) -> Option<usize> {
        while let Some(&byte) = value.get(self.seen) {
            if self.bare && is_delimiter(byte) {
                return Some(self.seen);
            }
            self.seen += 1;
            if self.ends_with(byte) {
                return Some(self.seen);
            }
        }
        (last && self.bare).then_some(self.seen)
    }

    /// Forgets the bytes already examined: the next call of [`end`](Self::end) passes only the bytes after them.
    pub(crate) fn forget(&mut self) {
        self.seen = 0;
    }

    /// Returns how many arrays and objects have been entered but not left.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Examines the next byte and returns whether the value ends with it.
    pub(crate) fn ends_with(&mut self, byte: u8) -> bool {
        if self.escaped {
            self.escaped = false;
            return false;
        }
        if self.in_text {
            match byte {
                b'\\' => self.escaped = true,
                b'"' => {
                    self.in_text = false;
                    return self.depth == 0;
                }
                _ => {}
            }
            return false;
        }
        match byte {
            b'"' => self.in_text = true,
            b'[' | b'{' => self.depth += 1,
            b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => self.bare = self.depth == 0,
        }
        false
    }
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b',' | b':' | b']' | b'}' | b'[' | b'{' | b'"' | b' ' | b'\t' | b'\n' | b'\r')
}
