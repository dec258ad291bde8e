//! Skips whitespace, and values that a record does not list.
//!
//! `None` leaves the record to serde, at the end of the window as for anything unusual.

use crate::decode::depth;
use crate::decode::scan::special;

/// Skips whitespace.
#[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
#[inline(always)]
pub(crate) fn past_whitespace(bytes: &[u8], at: usize) -> usize {
    let is_dense = |at| bytes.get(at).is_some_and(|byte| *byte > b' ');
    if is_dense(at) {
        at
    } else if is_dense(at + 1) && bytes.get(at) == Some(&b' ') {
        at + 1
    } else {
        whitespace(bytes, at)
    }
}

#[inline(never)]
fn whitespace(bytes: &[u8], mut at: usize) -> usize {
    loop {
        if bytes.get(at) == Some(&b'\n') {
            at += 1;
        }
        // Indentation is a run of spaces.
        while let Some(Ok(run)) = bytes.get(at..at + SPACES.len()).map(<[u8; 16]>::try_from) {
            let other = u128::from_le_bytes(run) ^ u128::from_le_bytes(SPACES);
            at += (other.trailing_zeros() / 8) as usize;
            if other != 0 {
                break;
            }
        }
        match bytes.get(at) {
            Some(b' ' | b'\n' | b'\r' | b'\t') => at += 1,
            _ => return at,
        }
    }
}

const SPACES: [u8; 16] = [b' '; 16];

pub(crate) fn word(text: &str, at: usize, word: &str) -> Option<usize> {
    text.as_bytes().get(at..)?.starts_with(word.as_bytes()).then_some(at + word.len())
}

/// Skips a name without escapes, its colon, and any value.
#[inline(never)]
pub(crate) fn named_value(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let end = plain(bytes, at)?;
    if bytes.get(end) != Some(&b':') {
        return None;
    }
    skip(text, past_whitespace(bytes, end + 1), 0)
}

/// Skips a string without escapes.
#[inline]
fn plain(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let end = special(bytes, at + 1);
    (bytes.get(end) == Some(&b'"')).then_some(end + 1)
}

/// Skips the value that begins here.
pub(crate) fn skip(text: &str, at: usize, depth: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'"' => plain(bytes, at),
        b'-' | b'0'..=b'9' => number(bytes, at),
        b'n' => word(text, at, "null"),
        b't' => word(text, at, "true"),
        b'f' => word(text, at, "false"),
        b'[' | b'{' if depth < depth::LIMIT => skip_list(text, at, depth + 1),
        _ => None,
    }
}

fn skip_list(text: &str, mut at: usize, depth: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_object = bytes.get(at) == Some(&b'{');
    let close = if is_object { b'}' } else { b']' };
    at = past_whitespace(bytes, at + 1);
    if bytes.get(at) == Some(&close) {
        return Some(at + 1);
    }
    loop {
        if is_object {
            at = past_whitespace(bytes, plain(bytes, at)?);
            if bytes.get(at) != Some(&b':') {
                return None;
            }
            at = past_whitespace(bytes, at + 1);
        }
        at = past_whitespace(bytes, skip(text, at, depth)?);
        match bytes.get(at)? {
            b',' => at = past_whitespace(bytes, at + 1),
            byte if *byte == close => return Some(at + 1),
            _ => return None,
        }
    }
}

/// Skips a number and checks the byte after it, because a number can be truncated unnoticed.
pub(crate) fn number(bytes: &[u8], mut at: usize) -> Option<usize> {
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        at += 1;
        if let Some(b'+' | b'-') = bytes.get(at) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    matches!(bytes.get(at)?, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t').then_some(at)
}

/// Decodes a whole number of at most 18 digits, and returns the position after it. Leaves `-0` to serde, for which it
/// is a fraction.
#[inline]
pub(crate) fn integer(bytes: &[u8], at: usize) -> Option<(i64, usize)> {
    let is_negative = bytes.get(at) == Some(&b'-');
    let start = at + usize::from(is_negative);
    let (mut number, mut end) = (0, start);
    while end - start < MOST_DIGITS
        && let Some(digit @ b'0'..=b'9') = bytes.get(end)
    {
        number = number * 10 + i64::from(digit - b'0');
        end += 1;
    }
    let is_usual = match end - start {
        0 => false,
        1 => number != 0 || !is_negative,
        _ => bytes.get(start) != Some(&b'0'),
    };
    // A digit here is the 19th.
    let ends = matches!(bytes.get(end)?, b',' | b']' | b'}' | b' ' | b'\n' | b'\r' | b'\t');
    (is_usual && ends).then_some((if is_negative { -number } else { number }, end))
}

/// Maximum number of digits that always fit into 64 bits with a sign.
const MOST_DIGITS: usize = 18;

/// Skips one or more digits.
#[inline]
fn digits(bytes: &[u8], at: usize) -> Option<usize> {
    let count = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + count)
}
