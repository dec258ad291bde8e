//! The fast path: reads the usual form of a record, and gives up at any surprise.
//!
//! Everything here returns `None` for what it does not like: an unusual blank, an escaped name, a
//! duplicate, the end of the window. serde then reads the record from its beginning, so a shortcut
//! can lose time but cannot change a result. What is accepted must be accepted by serde, and must
//! mean the same; the differential tests hold it to that.

use alloc::borrow::Cow;
use alloc::string::String;

use serde::Deserialize;

use crate::decode::depth;
use crate::decode::scan::special;
use crate::decode::slot::Slot;

/// A record that has a fast path. Generated for every model.
pub(crate) trait Fast<'a>: Sized {
    /// Reads the object at the cursor.
    fn read(cursor: &mut Cursor<'a>) -> Option<Self>;
}

/// A place in a text.
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

    /// Steps into an object that has members.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn open(&mut self) -> Option<()> {
        self.depth += 1;
        self.eat(b'{')?;
        // An empty object has no required member: serde says what is missing.
        self.token()?;
        (self.depth <= depth::LIMIT).then_some(())
    }

    /// Steps over this name and its colon, if they stand here just so. `name` has its quotes and colon.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn has(&mut self, name: &str) -> bool {
        let found = self
            .text
            .as_bytes()
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(name.as_bytes()));
        if found {
            self.at += name.len();
        }
        found
    }

    /// Returns any name without escapes, and steps over its colon.
    pub(crate) fn name(&mut self) -> Option<&'a str> {
        let name = self.plain()?;
        self.eat(b':')?;
        Some(name)
    }

    /// After a member: says whether another follows, and steps to its name.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn more(&mut self) -> Option<bool> {
        let byte = self.token()?;
        self.at += 1;
        match byte {
            b',' => self.token().map(|_| true),
            b'}' => {
                self.depth -= 1;
                Some(false)
            }
            _ => None,
        }
    }

    /// Reads a value that may be `null`.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn nullable<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Slot<T>> {
        if self.token()? == b'n' {
            return self.word("null").map(|()| Slot::Null);
        }
        read(self).map(Slot::Full)
    }

    /// Reads a text that may be `null`.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn nullable_text(&mut self) -> Option<Slot<Cow<'a, str>>> {
        if self.token()? == b'n' {
            return self.word("null").map(|()| Slot::Null);
        }
        self.text().map(Slot::Full)
    }

    /// Reads a text.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    pub(crate) fn text(&mut self) -> Option<Cow<'a, str>> {
        self.eat(b'"')?;
        let start = self.at;
        let end = special(self.text.as_bytes(), start);
        match self.text.as_bytes().get(end)? {
            b'"' => {
                self.at = end + 1;
                self.text.get(start..end).map(Cow::Borrowed)
            }
            b'\\' => self.escaped(start, end).map(Cow::Owned),
            _ => None,
        }
    }

    /// Reads a value of a type that has no fast path.
    pub(crate) fn parsed<T: Deserialize<'a>>(&mut self) -> Option<T> {
        serde_json::from_str(self.value()?).ok()
    }

    /// Steps over any value and returns its text.
    #[inline]
    pub(crate) fn value(&mut self) -> Option<&'a str> {
        self.token()?;
        let start = self.at;
        self.skip(0)?;
        self.text.get(start..self.at)
    }

    /// Returns the text between two places.
    pub(crate) fn between(&self, start: usize, end: usize) -> Option<&'a str> {
        self.text.get(start..end)
    }

    /// Steps over blanks and returns the byte after them.
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    fn token(&mut self) -> Option<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(byte) if *byte > b' ' => Some(*byte),
            _ => self.blanks(),
        }
    }

    #[inline(never)]
    fn blanks(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        loop {
            // Indentation comes in runs.
            while bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"        ")) {
                self.at += 8;
            }
            match bytes.get(self.at)? {
                b' ' | b'\n' | b'\r' | b'\t' => self.at += 1,
                byte => return Some(*byte),
            }
        }
    }

    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
    #[inline(always)]
    fn eat(&mut self, byte: u8) -> Option<()> {
        if self.token()? != byte {
            return None;
        }
        self.at += 1;
        Some(())
    }

    fn word(&mut self, word: &str) -> Option<()> {
        self.has(word).then_some(())
    }

    /// Reads a text that has no escapes.
    #[inline]
    fn plain(&mut self) -> Option<&'a str> {
        self.eat(b'"')?;
        let start = self.at;
        let end = special(self.text.as_bytes(), start);
        if self.text.as_bytes().get(end) != Some(&b'"') {
            return None;
        }
        self.at = end + 1;
        self.text.get(start..end)
    }

    fn skip(&mut self, depth: usize) -> Option<()> {
        match self.token()? {
            b'"' => self.plain().map(drop),
            b'n' => self.word("null"),
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'[' if depth < depth::LIMIT => self.skip_list(b']', depth, Self::skip),
            b'{' if depth < depth::LIMIT => self.skip_list(b'}', depth, |cursor, depth| {
                cursor.name()?;
                cursor.skip(depth)
            }),
            b'-' | b'0'..=b'9' => self.number(),
            _ => None,
        }
    }

    fn skip_list(
        &mut self,
        close: u8,
        depth: usize,
        skip: impl Fn(&mut Self, usize) -> Option<()>,
    ) -> Option<()> {
        self.at += 1;
        if self.token()? == close {
            self.at += 1;
            return Some(());
        }
        loop {
            skip(self, depth + 1)?;
            let byte = self.token()?;
            self.at += 1;
            match byte {
                b',' => {}
                byte if byte == close => return Some(()),
                _ => return None,
            }
        }
    }

    /// Steps over a number, and sees what comes after it: a number may be cut without a sign of it.
    fn number(&mut self) -> Option<()> {
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek()? == b'0' {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek()? == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.peek()? {
            self.at += 1;
            if let b'+' | b'-' = self.peek()? {
                self.at += 1;
            }
            self.digits()?;
        }
        // The blanks before it are not part of the number.
        let end = self.at;
        let next = self.token()?;
        self.at = end;
        matches!(next, b',' | b']' | b'}').then_some(())
    }

    /// Steps over one digit or more.
    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek()?.is_ascii_digit() {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Reads the rest of a text whose first escape is at `escape`.
    #[inline(never)]
    fn escaped(&mut self, start: usize, mut escape: usize) -> Option<String> {
        let bytes = self.text.as_bytes();
        let mut out = String::with_capacity(escape - start + ESCAPED_ROOM);
        let mut plain = start;
        loop {
            if plain < escape {
                out.push_str(self.text.get(plain..escape)?);
            }
            match bytes.get(escape)? {
                b'"' => {
                    self.at = escape + 1;
                    return Some(out);
                }
                b'\\' => {}
                _ => return None,
            }
            plain = escape + 2;
            match bytes.get(escape + 1)? {
                b'u' => {
                    let (character, end) = unicode(bytes, plain)?;
                    out.push(character);
                    plain = end;
                }
                byte => out.push(char::from(unescaped(*byte)?)),
            }
            // Escapes come in runs.
            escape = if bytes.get(plain) == Some(&b'\\') { plain } else { special(bytes, plain) };
        }
    }
}

fn unescaped(byte: u8) -> Option<u8> {
    Some(match byte {
        b'"' | b'\\' | b'/' => byte,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        _ => return None,
    })
}

/// Reads the digits of `\u` at `at`, and those of a second half; returns the place after them.
#[inline]
fn unicode(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let first = four_digits(bytes, at)?;
    if !(0xD800..0xDC00).contains(&first) {
        return Some((char::from_u32(first)?, at + 4));
    }
    if bytes.get(at + 4..at + 6) != Some(b"\\u") {
        return None;
    }
    let second = four_digits(bytes, at + 6)?.checked_sub(0xDC00).filter(|half| *half < 0x400)?;
    Some((char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + second)?, at + 10))
}

#[inline]
fn four_digits(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |number, digit| {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        Some(number << 4 | u32::from(value))
    })
}

/// Which types are parsed is up to the spec; the function is not dead code.
const _: fn(&mut Cursor<'static>) -> Option<bool> = Cursor::parsed;

/// What is set aside for the rest of a text after its first escape.
const ESCAPED_ROOM: usize = 24;

/// Reads a member if it stands where it usually does, and leaves the block after the last one.
macro_rules! usual {
    ($end:lifetime, $cursor:ident, $name:literal, $slot:ident = $value:expr) => {
        if $cursor.has($name) {
            $slot = $value;
            if !$cursor.more()? {
                break $end;
            }
        }
    };
}

pub(crate) use usual;
