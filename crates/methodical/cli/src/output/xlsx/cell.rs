//! From the JSON text of a field to a cell of a workbook.

use std::borrow::Cow;

use methodical_client::model::{Civil, FieldType};
use unicode_width::UnicodeWidthStr;

use crate::output::record::text_of;

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    /// Also for `null`: a workbook does not distinguish it from an empty text or an absent field.
    Empty,
    /// Never a formula, and never converted.
    Text(Cow<'a, str>),
    DateTime(Civil),
    Number(f64),
    Boolean(bool),
}

impl<'a> Cell<'a> {
    /// Creates a cell from JSON text. A value that does not fit its type stays text.
    pub(super) fn of(json: &'a str, field_type: Option<FieldType>) -> Self {
        let text = text_of(Some(json));
        if text.is_empty() {
            return Self::Empty;
        }
        let typed = match field_type {
            Some(FieldType::DateTime) => {
                text.parse().ok().filter(|date| is_in_calendar(*date)).map(Self::DateTime)
            }
            Some(FieldType::Integer) => integer(json).map(Self::Number),
            Some(FieldType::Real) => real(json).map(Self::Number),
            Some(FieldType::Boolean) => json.parse().ok().map(Self::Boolean),
            _ => None,
        };
        typed.unwrap_or(Self::Text(text))
    }
}

/// Returns whether every spreadsheet shows the date: some have a 29 February 1900, so they differ before March 1900.
fn is_in_calendar(date: Civil) -> bool {
    (date.year, date.month) >= (1900, 3)
}

/// Returns a JSON integer that a spreadsheet keeps exactly.
fn integer(json: &str) -> Option<f64> {
    let digits = json.strip_prefix('-').unwrap_or(json);
    let fits = digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    json.parse().ok().filter(|_| fits)
}

/// Returns a JSON number as a 64-bit floating-point number.
fn real(json: &str) -> Option<f64> {
    let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    json.parse().ok().filter(|number: &f64| is_number && number.is_finite())
}

/// Returns the length of a text in UTF-16 units, in which a workbook counts; `None` if the text is certainly short enough.
pub(super) fn text_length(text: &str) -> Option<usize> {
    (text.len() > MAX_TEXT).then(|| text.encode_utf16().count())
}

/// Returns the width of a text in a column.
pub(super) fn width(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or_default()
}

/// Returns whether a character is in the file only as `_xHHHH_`: XML does not have it, or changes it.
pub(super) fn hidden(letter: char) -> bool {
    matches!(letter, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Maximum length of a text in a cell, in UTF-16 units.
pub(super) const MAX_TEXT: usize = 32_767;

/// Number of digits that a spreadsheet keeps of a number.
const MAX_DIGITS: usize = 15;

#[cfg(test)]
mod tests {
    use methodical_client::model::{Civil, FieldType};

    use super::{Cell, MAX_TEXT, text_length};

    #[test]
    fn a_value_that_does_not_fit_its_type_is_text() {
        let text = |text: &'static str| Cell::Text(text.into());
        let noon = Cell::DateTime(Civil::new(2024, 2, 29, 12, 0, 0).unwrap());
        let (date, integer) = (Some(FieldType::DateTime), Some(FieldType::Integer));
        let (real, boolean) = (Some(FieldType::Real), Some(FieldType::Boolean));
        for (json, field_type, expected) in [
            ("\"2024-02-29 12:00:00\"", date, noon),
            ("\"2024-02-30 12:00:00\"", date, text("2024-02-30 12:00:00")),
            ("\"0000-00-00 00:00:00\"", date, text("0000-00-00 00:00:00")),
            ("\"1900-02-28 00:00:00\"", date, text("1900-02-28 00:00:00")),
            ("\"2024-02-29\"", date, text("2024-02-29")),
            ("\"2024-02-29T12:00:00Z\"", date, text("2024-02-29T12:00:00Z")),
            ("-12", integer, Cell::Number(-12.0)),
            ("999999999999999", integer, Cell::Number(999_999_999_999_999.0)),
            ("9999999999999999", integer, text("9999999999999999")),
            ("1e3", integer, text("1e3")),
            ("\"12\"", integer, text("12")),
            ("0.5", real, Cell::Number(0.5)),
            ("\"inf\"", real, text("inf")),
            ("true", boolean, Cell::Boolean(true)),
            ("\"true\"", boolean, text("true")),
            ("7", Some(FieldType::Id), text("7")),
            ("12.50", Some(FieldType::Decimal), text("12.50")),
            ("12.50", None, text("12.50")),
            ("\"\"", date, Cell::Empty),
            ("null", None, Cell::Empty),
            ("[1, 2]", Some(FieldType::Json), text("[1,2]")),
        ] {
            assert_eq!(Cell::of(json, field_type), expected, "{json}");
        }
    }

    #[test]
    fn a_text_is_as_long_as_its_utf_16_units() {
        assert_eq!(text_length(&"x".repeat(MAX_TEXT)), None);
        assert_eq!(text_length(&"x".repeat(MAX_TEXT + 1)), Some(MAX_TEXT + 1));
        assert_eq!(text_length(&"é".repeat(MAX_TEXT)), Some(MAX_TEXT));
        assert_eq!(text_length(&"😀".repeat(16_384)), Some(MAX_TEXT + 1));
    }
}
