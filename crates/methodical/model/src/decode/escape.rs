//! Strings with escapes.

use alloc::string::String;

use crate::decode::scan::special;

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

/// Decodes the digits of `\u` at `at`, and of its low surrogate; returns the position after them.
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

/// Value of a byte that is not a digit: no digit has any of these bits.
const NONE: u8 = 0xF0;

/// Capacity for the rest of a string after its first escape, in bytes.
const ESCAPED_ROOM: usize = 48;

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::escaped;

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
