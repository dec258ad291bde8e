//! The fast path: reads the usual form of a record, and gives up at any surprise.
//!
//! Everything here returns `None` for what it does not like: an unusual blank, an escaped name, a
//! duplicate, the end of the window. serde then reads the record from its beginning, so a shortcut
//! can lose time but cannot change a result. What is accepted must be accepted by serde, and must
//! mean the same; the differential tests hold it to that.

use alloc::borrow::Cow;

use serde::Deserialize;

use crate::decode::depth;
use crate::decode::escape::escaped;
use crate::decode::scan::special;
use crate::decode::skip::{named_value, past_blanks, skip, word};

/// A record that has a fast path. Generated for every model.
pub(crate) trait Fast<'a>: Sized {
    /// Reads the object at the cursor.
    fn read(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// A place in a text.
///
/// The decoders keep it in registers: what is not inlined takes and returns places, never the cursor.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at, depth: 0 }
    }

    /// Returns how far it has come.
    #[inline]
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Steps into an object that has members, to the first name.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn open(&mut self) -> Option<()> {
        self.depth += 1;
        if self.token()? != b'{' {
            return None;
        }
        self.at += 1;
        // An empty object has no required member: serde says what is missing.
        self.token()?;
        (self.depth <= depth::LIMIT).then_some(())
    }

    /// Steps over this name and its colon, if they stand here just so. `name` has its quotes and colon.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn has(&mut self, name: &str) -> bool {
        let rest = self.text.as_bytes().get(self.at..);
        let found = rest.is_some_and(|rest| rest.starts_with(name.as_bytes()));
        if found {
            self.at += name.len();
        }
        found
    }

    /// After a member: says whether another follows, and steps to its name.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn more(&mut self) -> Option<bool> {
        let bytes = self.text.as_bytes();
        match self.token()? {
            b',' => {
                self.at = past_blanks(bytes, self.at + 1);
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

    /// Says whether `null` stands here, and steps over it.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn null(&mut self) -> Option<bool> {
        if self.token()? != b'n' {
            return Some(false);
        }
        self.at = word(self.text, self.at, "null")?;
        Some(true)
    }

    /// Reads a text.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
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

    /// Reads a value of a type that has no fast path.
    pub(crate) fn parsed<T: Deserialize<'a>>(&mut self) -> Option<T> {
        let start = past_blanks(self.text.as_bytes(), self.at);
        self.at = skip(self.text, start, 0)?;
        serde_json::from_str(self.text.get(start..self.at)?).ok()
    }

    /// Steps over a member that is none of those the record lists, and adds it to `span`.
    ///
    /// Its name is plain and no blank follows it, so [`has`](Self::has) would have found a listed one.
    #[inline]
    pub(crate) fn unlisted(&mut self, span: &mut Span) -> Option<()> {
        let end = named_value(self.text, self.at)?;
        span.cover(self.at, end);
        self.at = end;
        Some(())
    }

    /// Returns the text of a span.
    #[inline]
    pub(crate) fn within(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// Steps over blanks and returns the byte after them.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    fn token(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        self.at = past_blanks(bytes, self.at);
        bytes.get(self.at).copied()
    }
}

/// Where the members stand that a record does not list, and what stands between them.
#[derive(Clone, Copy, Default)]
pub(crate) struct Span {
    start: usize,
    end: usize,
}

impl Span {
    #[inline]
    fn cover(&mut self, start: usize, end: usize) {
        // No member stands at the beginning of a text.
        if self.start == 0 {
            self.start = start;
        }
        self.end = end;
    }
}

/// Which types are parsed is up to the spec; the function is not dead code.
const _: fn(&mut Cursor<'static>) -> Option<bool> = Cursor::parsed;

/// Reads the members of a record, fastest in the order of the list.
///
/// `required 0 "\"id\":" id = cursor.text()?;` reads the member with this name, its quotes and its colon
/// into the variable `id`; an optional one may also be `null`. Both are numbered from 0.
macro_rules! members {
    ($cursor:ident, $nulls:ident, $extra:ident;
     $($presence:ident $index:literal $name:literal $slot:ident = $value:expr;)+) => {
        let mut seen = crate::decode::cursor::Seen::default();
        'members: loop {
            let before = $cursor.at();
            $(if $cursor.has($name) {
                seen.first($index)?;
                members!(@$presence $cursor, $nulls, $index, $slot = $value);
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

/// Which members have been read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen(u64);

impl Seen {
    /// Notes a member; a second one is left to serde, and so are those past the sixty-fourth.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn first(&mut self, member: u32) -> Option<()> {
        let bit = 1_u64.checked_shl(member)?;
        let first = self.0 & bit == 0;
        self.0 |= bit;
        first.then_some(())
    }
}

pub(crate) use members;
