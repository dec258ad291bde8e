//! Numbers on the command line.

use std::num::{IntErrorKind, ParseIntError};

/// Parses a number from the command line.
///
/// # Errors
///
/// Fails with a text for people if the text is not an unsigned 64-bit integer.
pub fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("the maximum is {}", u64::MAX),
        _ => "expected a whole number, such as 101".to_owned(),
    })
}

/// Parses a time limit.
pub(crate) fn seconds(text: &str) -> Result<u64, String> {
    match text.parse() {
        Ok(seconds) if seconds > 0 => Ok(seconds),
        _ => Err("expected a whole number of seconds, 1 or more, such as 30".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{seconds, whole_number};

    #[test]
    fn errors_say_which_numbers_are_valid() {
        assert_eq!(whole_number("101"), Ok(101));
        assert_eq!(whole_number("18446744073709551615"), Ok(u64::MAX));
        let largest = "the maximum is 18446744073709551615";
        assert_eq!(whole_number("18446744073709551616").unwrap_err(), largest);
        for wrong in ["", "x", "-1", "1.5"] {
            assert!(whole_number(wrong).unwrap_err().contains("such as 101"), "{wrong}");
        }
        assert_eq!(seconds("30"), Ok(30));
        for wrong in ["", "0", "30s", "-1", "0.5"] {
            assert!(seconds(wrong).unwrap_err().contains("such as 30"), "{wrong}");
        }
    }
}
