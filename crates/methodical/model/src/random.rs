//! Random values, for the features `arbitrary` and `proptest`.

pub mod draws;

use alloc::string::String;
use core::fmt::Write as _;
use core::ops::RangeInclusive;

use crate::decode::shape::Object;

/// Returns whether the contract lists a field with this name, so that an unlisted field cannot have it.
pub(crate) fn lists(object: &Object, name: &str) -> bool {
    object.members.iter().any(|member| member.name == name)
}

/// Returns the text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns the text as a JSON string in which every character is escaped.
fn escaped(text: &str) -> String {
    let mut json = String::from('"');
    for half in text.encode_utf16() {
        // Writing to a `String` does not fail.
        _ = write!(json, "\\u{half:04x}");
    }
    json.push('"');
    json
}

/// Maximum depth of a model that contains itself, in levels.
pub const DEPTH: u32 = 3;

/// Maximum length of a random text, in characters.
const LONGEST: usize = 24;

/// Texts that programs often handle wrong.
const SURPRISES: &[&str] = &[
    "",
    " ",
    "\0",
    "\u{1f}\u{7f}\u{80}",
    "\u{8}\u{c}\n\r\t",
    "\"\\/",
    "null",
    "=1+1",
    "a+b%20c&d=e",
    "Zażółć gęślą jaźń",
    "e\u{301}",
    "\u{1f469}\u{200d}\u{1f52c}",
    "\u{202e}txt.exe",
    "\u{feff}",
    "\u{2028}\u{ffff}\u{10ffff}",
    "a text that is longer than what is stored inline",
];

/// Decimal texts that are not plain numbers, or have many digits.
const ODD_DECIMALS: &[&str] =
    &["", "1e3", "1,234.50", "NaN", "+5", ".5", "00.10", "123456789012345678901234567890.5"];

/// Dates that do not exist, or are in another format than the service's.
const ODD_DATES: &[&str] =
    &["0000-00-00 00:00:00", "2026-02-29 00:00:00", "2026-11-20T22:15:00Z", "2026-11-20", ""];

/// The seconds of the years 0 to 9999.
const SECONDS: RangeInclusive<i64> = -62_167_219_200..=253_402_300_799;

/// Seconds at the ends of the calendar and of 64 bits, and around 1970.
const ODD_SECONDS: &[i64] = &[i64::MIN, -62_167_219_201, -1, 0, 253_402_300_800, i64::MAX];

/// The milliseconds of the years 0 to 9999.
const MILLISECONDS: RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

/// Numbers at the ends of the range and of the precision, and with long texts.
const ODD_FLOATS: &[f64] =
    &[f64::MAX, f64::MIN_POSITIVE, 5e-324, -1e21, 0.1, 9_007_199_254_740_992.0];

/// Currency codes, and a text that is not one.
const CURRENCIES: &[&str] = &["EUR", "PLN", "USD", "XXX", "€"];

/// JSON numbers in every notation.
const NUMBERS: &[&str] =
    &["0", "-0", "7", "-12.50", "1e5", "1E+2", "-0.5e-3", "18446744073709551615", "1e300"];

/// JSON literals.
const WORDS: &[&str] = &["null", "true", "false"];

#[cfg(test)]
mod tests {
    use super::{SURPRISES, escaped, quoted};

    #[test]
    fn quoted_and_escaped_texts_decode_to_the_text() {
        for text in SURPRISES {
            assert_eq!(
                serde_json::from_str::<alloc::string::String>(&quoted(text)).unwrap(),
                *text
            );
            assert_eq!(
                serde_json::from_str::<alloc::string::String>(&escaped(text)).unwrap(),
                *text
            );
        }
    }
}
