//! Finds the end of strings, whitespace and other values, and decodes escapes.
//!
//! Functions return `None`, which leaves the record to serde, at the end of the window and for anything unusual.

#![expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]

use alloc::string::String;

use crate::decode::depth;

/// Returns the position of the first quote, backslash or control character at or after `at`, or the length.
#[inline(always)]
pub(crate) fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(Ok(block)) = bytes.get(at..at + BLOCK).map(<[u8; BLOCK]>::try_from) {
        if let Some(found) = block::special(block) {
            return at + found;
        }
        at += BLOCK;
    }
    rest(bytes, at)
}

/// Length of a block, in bytes.
///
/// String lengths cause most branch mispredictions. With blocks of this size, most strings end in the first or second
/// one.
const BLOCK: usize = 16;

/// Searches the last bytes, which do not fill a block.
#[cold]
fn rest(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// A block as two words, for any processor.
#[cfg(not(feature = "simd"))]
mod block {
    #[inline(always)]
    pub(super) fn special(block: [u8; super::BLOCK]) -> Option<usize> {
        let first = specials(u64::from_le_bytes(*block.first_chunk()?));
        let second = specials(u64::from_le_bytes(*block.last_chunk()?));
        if first | second == 0 {
            return None;
        }
        let (word, before) = if first == 0 { (second, 8) } else { (first, 0) };
        Some(before + (word.trailing_zeros() / 8) as usize)
    }

    /// Sets the high bit of every special byte. Only the lowest bit set is reliable.
    #[inline]
    fn specials(word: u64) -> u64 {
        // Flipping this bit maps a quote to the value right after the control characters.
        let low = word ^ (ONES * 2);
        let low = low.wrapping_sub(ONES * 0x21) & !low;
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let backslash = backslash.wrapping_sub(ONES) & !backslash;
        (low | backslash) & (ONES << 7)
    }

    const ONES: u64 = u64::MAX / 255;
}

/// A block as one SIMD vector.
#[cfg(feature = "simd")]
mod block {
    use wide::u8x16;

    #[inline(always)]
    pub(super) fn special(block: [u8; super::BLOCK]) -> Option<usize> {
        let block = u8x16::new(block);
        let control = block.min(u8x16::splat(0x1F)).simd_eq(block);
        let quote = block.simd_eq(u8x16::splat(b'"'));
        let backslash = block.simd_eq(u8x16::splat(b'\\'));
        let found = (control | quote | backslash).to_bitmask();
        (found != 0).then(|| found.trailing_zeros() as usize)
    }
}

/// Skips whitespace and returns the position after it.
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

/// Skips a name without escapes, its colon, and any value. Returns the position after them.
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

/// Skips the value that begins at `at` and returns the position after it.
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

/// Skips a number and checks the byte after it, because a truncated number is still a number.
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

/// Skips one or more digits.
#[inline]
fn digits(bytes: &[u8], at: usize) -> Option<usize> {
    let count = bytes.get(at..)?.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then_some(at + count)
}

/// Decodes the string at `start` whose first escape is at `escape`, and returns it with the position after it.
#[inline(never)]
pub(crate) fn escaped(text: &str, start: usize, mut escape: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(escape - start + ESCAPED_ROOM);
    let mut plain = start;
    loop {
        if plain < escape {
            out.push_str(text.get(plain..escape)?);
        }
        match bytes.get(escape)? {
            b'"' => return Some((out, escape + 1)),
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
        // Escapes often follow each other.
        escape = if bytes.get(plain) == Some(&b'\\') { plain } else { special(bytes, plain) };
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

/// Decodes the digits of a `\u` escape at `at`, and the low surrogate that follows a high one. Returns the character
/// and the position after it.
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
    let digits: [u8; 4] = bytes.get(at..at + 4)?.try_into().ok()?;
    let [a, b, c, d] = digits.map(|digit| DIGITS.get(usize::from(digit)).copied().unwrap_or(NONE));
    let number = u32::from(a) << 12 | u32::from(b) << 8 | u32::from(c) << 4 | u32::from(d);
    ((a | b | c | d) & NONE == 0).then_some(number)
}

/// Value of each byte as a hexadecimal digit.
#[expect(clippy::indexing_slicing, reason = "a constant: out of bounds would not compile")]
static DIGITS: [u8; 256] = {
    let mut digits = [NONE; 256];
    let mut value = 0;
    while value < 16 {
        let digit = b"0123456789abcdef"[value as usize];
        digits[digit as usize] = value;
        digits[digit.to_ascii_uppercase() as usize] = value;
        value += 1;
    }
    digits
};

/// Value of a byte that is not a digit. The value of a digit has none of these bits.
const NONE: u8 = 0xF0;

/// Capacity for the rest of a string after its first escape, in bytes.
const ESCAPED_ROOM: usize = 48;

#[cfg(test)]
mod tests {
    use alloc::{format, vec};

    use super::{escaped, is_special, special};

    #[test]
    fn every_byte_is_classified_at_every_position() {
        // Miri would take minutes for all of them.
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
            for place in (0..40).step_by(if cfg!(miri) { 7 } else { 1 }) {
                let mut bytes = vec![b'x'; 40];
                bytes[place] = byte;
                let expected = if is_special(byte) { place } else { 40 };
                assert_eq!(special(&bytes, 0), expected, "{byte} at {place}");
                bytes.fill(b'"');
                bytes[..place].fill(0xFF);
                assert_eq!(special(&bytes, 0), place, "a quote at {place}");
            }
        }
    }

    #[test]
    fn a_surrogate_without_its_other_half_is_an_error() {
        let decoded = |text: &str| escaped(text, 0, 0).map(|(decoded, _end)| decoded);
        assert_eq!(decoded("\\ud83d\\udc00\"").as_deref(), Some("\u{1f400}"));
        assert_eq!(decoded("\\ud83d\\udfff\"").as_deref(), Some("\u{1f7ff}"));
        for second in ["", "x", "\\n", "\\u0041", "\\ud83d", "\\udbff", "\\ue000", "\\uffff"] {
            assert_eq!(decoded(&format!("\\ud83d{second}\"")), None, "{second}");
        }
        assert_eq!(decoded("\\udc00\""), None);
        assert_eq!(decoded("\\udfff\""), None);
    }
}
