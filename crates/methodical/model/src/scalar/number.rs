//! Numbers as text.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use core::cmp::Ordering;

use crate::DecodeError;

/// Parses decimal digits only; `str::parse` would accept a leading `+` too. `name` is the name of the
/// scalar.
pub fn parse_unsigned(text: &str, name: &str) -> Result<u64, DecodeError> {
    let number = if digits(text).is_some() { text.parse().ok() } else { None };
    number.ok_or_else(|| DecodeError::conversion(name, "an unsigned integer"))
}

/// Parses decimal digits, with a `-` before a negative number. `name` is the name of the scalar.
pub fn parse_signed(text: &str, name: &str) -> Result<i64, DecodeError> {
    let number = if text.starts_with('+') { None } else { text.parse().ok() };
    number.ok_or_else(|| DecodeError::conversion(name, "a whole number"))
}

/// Compares numbers of any size by value, and before all other text. Equal values are compared as text, so that only
/// equal text is equal.
pub fn compare_digits(one: &str, other: &str) -> Ordering {
    let by_value = match (digits(one), digits(other)) {
        (Some(one), Some(other)) => (one.len(), one).cmp(&(other.len(), other)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => Ordering::Equal,
    };
    by_value.then_with(|| one.cmp(other))
}

/// Returns a decimal number without leading zeros; `None` if the text is not one.
fn digits(text: &str) -> Option<&str> {
    is_digits(text).then(|| text.trim_start_matches('0'))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the text is an optional sign, digits, and an optional fraction.
pub fn is_plain(text: &str) -> bool {
    let number = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    is_digits(whole) && is_digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::compare_digits;

    /// Every text is before all that follow it.
    #[test]
    fn numbers_are_ordered_by_value_and_before_other_text() {
        let huge = "123456789012345678901234567890";
        let sorted =
            ["0", "00", "007", "07", "7", "9", "10", "11", "101", huge, "", "+1", "-1", "a"];
        for (index, one) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                assert_eq!(
                    compare_digits(one, other),
                    index.cmp(&other_index),
                    "{one} and {other}"
                );
            }
        }
    }
}
