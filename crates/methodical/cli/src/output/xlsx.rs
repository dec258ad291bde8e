//! XLSX, for people who use a spreadsheet: text stays text, and dates are dates.

use std::borrow::Cow;
use std::io::{self, Write};

use methodical_client::model::Civil;
use methodical_client::model::tables::FieldType;
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::output::book::{Book, LAST_ROW, MAX_COLUMNS};
use crate::output::format::{Ending, OutputColumn, OutputFormat, OutputSetup, RecordWriter};
use crate::output::record::{Cells, text_of};
use crate::program::Noun;

/// `xlsx`.
#[derive(Debug)]
pub(crate) struct XlsxFormat;

impl OutputFormat for XlsxFormat {
    fn name(&self) -> &'static str {
        "xlsx"
    }

    fn about(&self) -> &'static str {
        "An Excel workbook, for any spreadsheet: identifiers and phone numbers keep every character"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["xlsx"]
    }

    fn other_words(&self) -> &'static [&'static str] {
        &["excel", "xls", "spreadsheet"]
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        let columns = setup.columns.to_vec();
        if columns.len() > MAX_COLUMNS {
            let fields = columns.len();
            let text = format!("cannot write {fields} fields: a sheet has {MAX_COLUMNS} columns");
            return Err(Failure::usage(text).hint("choose some with --fields"));
        }
        let names: Vec<String> = columns.iter().map(OutputColumn::name).collect();
        let noun = setup.noun.unwrap_or(Noun::RECORD);
        let book = Book::new(noun.of(0), &names, setup.folder(), LAST_ROW)?;
        Ok(Box::new(Xlsx { columns, book, records: 0, with_hidden: 0, ending: Ending::new() }))
    }
}

/// A workbook with one row for each record. Rows go to a temporary file that has no name, and to the output at the end.
struct Xlsx {
    columns: Vec<OutputColumn>,
    book: Book,
    records: u64,
    /// The number of cells with control characters.
    with_hidden: u64,
    ending: Ending,
}

impl RecordWriter for Xlsx {
    fn write(&mut self, _out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        self.records += 1;
        self.book.start_row()?;
        let mut cells = Cells::read(record);
        for (index, column) in self.columns.iter().enumerate() {
            let Some(json) = column.json(&mut cells) else { continue };
            let cell = Cell::of(json, column.field_type());
            if let Cell::Text(text) = &cell {
                if let Some(length) = text_length(text).filter(|length| *length > MAX_TEXT) {
                    self.ending = std::mem::take(&mut self.ending).left_out(format!(
                        "record {}, field `{}`: {length} characters, and a cell of a workbook holds {MAX_TEXT}",
                        self.records,
                        column.name()
                    ));
                    continue;
                }
                self.with_hidden += u64::from(text.contains(hidden));
            }
            self.book.push(index, &cell)?;
        }
        self.book.end_row()
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending> {
        self.book.save(out)?;
        let mut ending = std::mem::take(&mut self.ending);
        for note in self.book.notes() {
            ending = ending.note(note);
        }
        if self.with_hidden > 0 {
            let cells = if self.with_hidden == 1 { "cell has" } else { "cells have" };
            ending = ending.note(format!(
                "{} {cells} control characters, which are in the file as _xHHHH_",
                self.with_hidden
            ));
        }
        Ok(ending)
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
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
    pub(crate) fn of(json: &'a str, field_type: Option<FieldType>) -> Self {
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
pub(crate) fn text_length(text: &str) -> Option<usize> {
    (text.len() > MAX_TEXT).then(|| text.encode_utf16().count())
}

/// Returns the width of a text in a column.
pub(crate) fn width(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or_default()
}

/// Returns whether a character is in the file only as `_xHHHH_`: XML does not have it, or changes it.
pub(crate) fn hidden(letter: char) -> bool {
    matches!(letter, '\0'..='\u{8}' | '\u{b}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}')
}

/// Maximum length of a text in a cell, in UTF-16 units.
pub(crate) const MAX_TEXT: usize = 32_767;

/// Number of digits that a spreadsheet keeps of a number.
const MAX_DIGITS: usize = 15;

#[cfg(test)]
mod tests;

#[cfg(test)]
mod cell_tests {
    use methodical_client::model::Civil;
    use methodical_client::model::tables::FieldType;

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
