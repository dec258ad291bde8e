//! Writing JSON text by hand: the fields of this service are all strings, so this is all it takes.

/// Appends a JSON string, quotes included (RFC 8259 section 7).
///
/// Only what must be escaped is; everything else, whatever the script, stands as UTF-8.
pub(crate) fn text(out: &mut Vec<u8>, value: &str) {
    out.push(b'"');
    let mut rest = value.as_bytes();
    loop {
        let plain = plain_prefix(rest);
        let (copied, after) = rest.split_at(plain);
        out.extend_from_slice(copied);
        let Some((&byte, after)) = after.split_first() else { break };
        escape(out, byte);
        rest = after;
    }
    out.push(b'"');
}

/// Returns how many leading bytes need no escape.
fn plain_prefix(bytes: &[u8]) -> usize {
    let mut length = 0;
    let (words, _) = bytes.as_chunks::<8>();
    for word in words {
        if needs_escape(u64::from_le_bytes(*word)) {
            break;
        }
        length += 8;
    }
    let tail = bytes.get(length..).unwrap_or_default();
    length + tail.iter().position(|&b| b < 0x20 || b == b'"' || b == b'\\').unwrap_or(tail.len())
}

/// Tells whether one of the eight bytes is a quote, a backslash or a control character.
fn needs_escape(word: u64) -> bool {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte becomes zero where it equals the pattern; subtracting one from each byte then borrows through it.
    let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGH;
    let quote = zero(word ^ (ONES * 0x22));
    let backslash = zero(word ^ (ONES * 0x5c));
    let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
    (quote | backslash | control) != 0
}

fn escape(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0x08 => out.extend_from_slice(b"\\b"),
        0x0c => out.extend_from_slice(b"\\f"),
        _ => {
            out.extend_from_slice(b"\\u00");
            for nibble in [byte >> 4, byte & 15] {
                out.extend(char::from_digit(u32::from(nibble), 16).map(|digit| digit as u8));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn equals_serde_json(value in any::<String>(), pad in "[a-z\"\\\\\n]{0,20}") {
            let value = pad + &value;
            let mut out = Vec::new();
            text(&mut out, &value);
            prop_assert_eq!(out, serde_json::to_vec(&value).unwrap());
        }
    }

    #[test]
    fn every_ascii_byte_at_every_place_of_a_word() {
        for byte in 0_u8..128 {
            for place in 0..17 {
                let mut bytes = vec![b'x'; 17];
                bytes[place] = byte;
                let value = String::from_utf8(bytes).unwrap();
                let mut out = Vec::new();
                text(&mut out, &value);
                assert_eq!(out, serde_json::to_vec(&value).unwrap());
            }
        }
    }
}
