//! Finds the end of a text, eight bytes at a time.

/// Returns the place of the first quote, backslash or control character from `at` on, or the length.
#[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
#[inline(always)]
pub(crate) fn special(bytes: &[u8], mut at: usize) -> usize {
    while let Some(Ok(word)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let found = specials(u64::from_le_bytes(word));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| is_special(*byte)).unwrap_or(rest.len())
}

/// Sets the high bit of every byte that is special; the lowest bit set is exact, those above may not be.
#[inline]
fn specials(word: u64) -> u64 {
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    let quote = word ^ (ONES * u64::from(b'"'));
    let quote = quote.wrapping_sub(ONES) & !quote;
    let backslash = word ^ (ONES * u64::from(b'\\'));
    let backslash = backslash.wrapping_sub(ONES) & !backslash;
    (control | quote | backslash) & (ONES << 7)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

const ONES: u64 = u64::MAX / 255;

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::{is_special, special};

    #[test]
    fn every_byte_at_every_place() {
        for byte in 0..=u8::MAX {
            for place in 0..20 {
                let mut bytes = vec![b'x'; 20];
                bytes[place] = byte;
                let expected = if is_special(byte) { place } else { 20 };
                assert_eq!(special(&bytes, 0), expected, "{byte} at {place}");
                bytes.fill(b'"');
                bytes[..place].fill(0xFF);
                assert_eq!(special(&bytes, 0), place, "a quote at {place}");
            }
        }
    }
}
