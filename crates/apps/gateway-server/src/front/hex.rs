//! Numbers in hexadecimal digits, without the machinery of formatting, which was a tenth of a small response.

/// Appends a number without leading zeros.
pub(crate) fn push(text: &mut Vec<u8>, number: u64) {
    let length = (u64::BITS - number.leading_zeros()).div_ceil(4).max(1);
    let mut digits = [0; 16];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(number.to_be_bytes()) {
        pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
    }
    let zeros = digits.len() - length as usize;
    text.extend_from_slice(digits.get(zeros..).unwrap_or_default());
}

fn digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_leading_zeros() {
        for number in [0, 1, 15, 16, 0x1a2b, 0xf0, u64::MAX, u64::MAX / 3] {
            let mut text = b"x".to_vec();
            push(&mut text, number);
            assert_eq!(String::from_utf8(text).unwrap(), format!("x{number:x}"));
        }
    }
}
