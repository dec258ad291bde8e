//! The fast path: decodes records in their usual form, and leaves all others to serde.
//!
//! Every function returns `None` for anything unusual: unexpected whitespace, an escaped name, a duplicate field, the
//! end of the window. serde then decodes the record from its start, so the fast path can cost time but cannot change a
//! result. Whenever it accepts a record, serde must accept it with the same value; the differential tests check that.

#![expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]

use alloc::borrow::Cow;

use crate::decode::depth;
use crate::decode::scan::{escaped, named_value, number, past_whitespace, skip, special, word};

/// A record with a fast path. Every generated model implements it.
pub trait Fast<'a>: Sized {
    /// Decodes the object at the cursor.
    fn read(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// A position in JSON text.
///
/// The decoders keep the cursor in registers, so functions that are not inlined take and return positions instead.
#[derive(Clone, Copy, Debug)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    /// Returns the position in bytes.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Enters a non-empty object and moves to its first name.
    #[inline(always)]
    pub fn open(&mut self) -> Option<()> {
        self.depth += 1;
        if self.token()? != b'{' {
            return None;
        }
        self.at += 1;
        // An empty object lacks its required fields: serde reports which.
        self.token()?;
        (self.depth <= depth::LIMIT).then_some(())
    }

    /// Skips `name`, which includes its quotes and colon, and returns whether it was at the cursor.
    #[inline(always)]
    pub fn has(&mut self, name: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..);
        let found = rest.is_some_and(|rest| rest.starts_with(name.as_bytes()));
        if found {
            self.at += name.len();
        }
        found
    }

    /// Moves to the next field's name, or past the object's end, and returns whether a field follows. Call this after
    /// each field.
    #[inline(always)]
    pub fn more(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        match self.token()? {
            b',' => {
                self.at = past_whitespace(bytes, self.at + 1);
                Some(true)
            }
            b'}' => {
                self.at += 1;
                self.depth -= 1;
                Some(false)
            }
            _ => None,
        }
    }

    /// Skips `null` and returns whether it was at the cursor.
    #[inline(always)]
    pub fn null(&mut self) -> Option<bool> {
        if self.token()? != b'n' {
            return Some(false);
        }
        self.at = word(self.text, self.at, "null")?;
        Some(true)
    }

    /// Decodes a string.
    #[inline(always)]
    pub fn text(&mut self) -> Option<Cow<'a, str>> {
        if self.token()? != b'"' {
            return None;
        }
        let start = self.at + 1;
        let end = special(self.text.as_bytes(), start);
        match self.text.as_bytes().get(end)? {
            b'"' => {
                self.at = end + 1;
                self.text.get(start..end).map(Cow::Borrowed)
            }
            b'\\' => {
                let (text, end) = escaped(self.text, start, end)?;
                self.at = end;
                Some(Cow::Owned(text))
            }
            _ => None,
        }
    }

    /// Skips a number and returns its text.
    #[inline]
    pub fn number(&mut self) -> Option<&'a str> {
        let start = past_whitespace(self.text.as_bytes(), self.at);
        let end = number(self.text.as_bytes(), start)?;
        self.at = end;
        self.text.get(start..end)
    }

    /// Skips an empty string and returns whether one was at the cursor.
    #[inline]
    pub fn blank(&mut self) -> bool {
        self.is_at(b'"') && self.has("\"\"")
    }

    /// Returns whether the next value begins with this byte.
    #[inline]
    pub fn is_at(&mut self, first: u8) -> bool {
        self.token() == Some(first)
    }

    /// Skips a value and returns its JSON text. Returns `None` if the value contains escapes.
    #[inline]
    pub fn json(&mut self) -> Option<&'a str> {
        let start = past_whitespace(self.text.as_bytes(), self.at);
        self.at = skip(self.text, start, self.depth)?;
        self.text.get(start..self.at)
    }

    /// Skips an unlisted field and extends `span` to its end.
    ///
    /// Returns `None` if the name has escapes or is not directly followed by a colon, because the field could then be a
    /// listed one that [`has`](Self::has) does not recognize.
    #[inline]
    pub fn unlisted(&mut self, span: &mut Span) -> Option<()> {
        let end = named_value(self.text, self.at)?;
        span.cover(self.at, end);
        self.at = end;
        Some(())
    }

    /// Returns the JSON text of a span.
    #[inline]
    pub fn within(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Skips whitespace and returns the byte after it.
    #[inline(always)]
    fn token(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        self.at = past_whitespace(bytes, self.at);
        bytes.get(self.at).copied()
    }
}

/// The range from the first to the last unlisted field of a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    start: usize,
    end: usize,
}

impl Span {
    #[inline]
    fn cover(&mut self, start: usize, end: usize) {
        // A field is never at the start of the text.
        if self.start == 0 {
            self.start = start;
        }
        self.end = end;
    }
}

/// Decodes the fields of a record. This is fastest if they arrive in the order of the list.
///
/// `0 required "id" id = PhotoId::read(&mut cursor)?;` decodes the field whose name on the wire is `id` into the
/// variable `id`. An `optional` field may also be `null`. Fields are numbered from 0.
#[doc(hidden)]
#[macro_export]
macro_rules! __members {
    ($cursor:ident, $nulls:ident, $extra:ident;
     $($index:literal $presence:ident $wire:literal $slot:ident = $value:expr;)+) => {
        let mut seen = $crate::codegen::Seen::default();
        'members: loop {
            let before = $cursor.at();
            $(if const { $crate::codegen::is_plain_name($wire) }
                && $cursor.has(concat!("\"", $wire, "\":"))
            {
                seen.first($index)?;
                $crate::__members!(@$presence $cursor, $nulls, $index, $slot = $value);
                if !$cursor.more()? {
                    break 'members;
                }
            })+
            if $cursor.at() == before {
                $cursor.unlisted(&mut $extra)?;
                if !$cursor.more()? {
                    break 'members;
                }
            }
        }
    };
    (@absent $cursor:ident, $nulls:ident, $index:literal, $slot:ident = $value:expr) => {
        if !$cursor.null()? {
            $slot = Some($value);
        }
    };
    (@blank $cursor:ident, $nulls:ident, $index:literal, $slot:ident = $value:expr) => {
        if $cursor.null()? || $cursor.blank() {
            $nulls.set($index);
        } else {
            $slot = Some($value);
        }
    };
    (@required $cursor:ident, $nulls:ident, $index:literal, $slot:ident = $value:expr) => {
        $slot = Some($value);
    };
    (@optional $cursor:ident, $nulls:ident, $index:literal, $slot:ident = $value:expr) => {
        if $cursor.null()? {
            $nulls.set($index);
        } else {
            $slot = Some($value);
        }
    };
}

/// Returns whether a name needs no escapes in JSON. Names with escapes are left to serde.
pub const fn is_plain_name(name: &str) -> bool {
    let mut bytes = name.as_bytes();
    while let [first, rest @ ..] = bytes {
        if *first < b' ' || *first == b'"' || *first == b'\\' {
            return false;
        }
        bytes = rest;
    }
    true
}

/// The set of fields that have been decoded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen(u64);

impl Seen {
    /// Marks a field as seen. Returns `None` for a duplicate and for any field after the 64th; serde then decodes the
    /// record.
    #[inline(always)]
    pub fn first(&mut self, member: u32) -> Option<()> {
        let bit = 1_u64.checked_shl(member)?;
        let first = self.0 & bit == 0;
        self.0 |= bit;
        first.then_some(())
    }
}
