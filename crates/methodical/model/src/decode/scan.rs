//! Finds the end of a string, one block of bytes at a time.

/// Returns the position of the first quote, backslash or control character from `at`, or the length.
#[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
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
/// The length of a string is what a processor mispredicts most often. Most strings end in the first
/// or second block of this size.
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
    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
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

    #[expect(clippy::inline_always, reason = "the hot path: a call costs as much as its work")]
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

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::{is_special, special};

    #[test]
    fn every_byte_is_classified_at_every_position() {
        // Miri takes minutes for all of them.
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
}
