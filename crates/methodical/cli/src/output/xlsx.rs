//! XLSX, for spreadsheets: text stays text, and dates are dates.

use std::env;
use std::io::{self, Seek as _, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::PathBuf;
use std::sync::Once;

use jiff::civil::DateTime;
use methodical_client::model::tables::FieldType;
use rust_xlsxwriter::{Format, IgnoreError, Workbook, Worksheet, XlsxError};
use unicode_width::UnicodeWidthStr;

use crate::failure::Failure;
use crate::files::folder_of;
use crate::output::record::{Cells, date_time, text_of};
use crate::output::{OutputColumn, OutputSetup, RecordWriter};
use crate::program::Noun;

/// Creates the XLSX writer.
pub(crate) fn writer(setup: &OutputSetup) -> Result<Box<dyn RecordWriter>, Failure> {
    let mut workbook = Workbook::new();
    let sheet: String = setup.noun.unwrap_or(Noun::RECORD).of(0).chars().take(MAX_NAME).collect();
    let bold = Format::new().set_bold();
    let mut widths = Vec::new();
    // The system's temporary folder may be too small.
    let folder = setup.file.as_deref().map_or_else(env::temp_dir, |file| folder_of(file).into());
    guarded(|| {
        workbook.set_tempdir(&folder)?;
        let sheet = workbook.add_worksheet_with_constant_memory()?.set_name(sheet)?;
        sheet.set_freeze_panes(1, 0)?;
        (0..).zip(&setup.columns).try_for_each(|(place, column)| {
            let name: String = column.name().chars().take(MAX_TEXT / 2).collect();
            widths.push(width(&name) + FILTER_BUTTON);
            sheet.write_string_with_format(0, place, name, &bold).map(drop)
        })
    })?;
    Ok(Box::new(Xlsx {
        columns: setup.columns.clone(),
        workbook,
        widths,
        folder,
        row: 0,
        text: Format::new().set_num_format("@"),
        date: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
    }))
}

/// A workbook with one row per record. Rows go to an unnamed temporary file, and to the output at the end.
struct Xlsx {
    columns: Vec<OutputColumn>,
    workbook: Workbook,
    /// The width of each column, in characters.
    widths: Vec<usize>,
    /// The folder for temporary files.
    folder: PathBuf,
    /// The current row. Row 0 is the header.
    row: u32,
    /// The cell formats for text and for dates.
    text: Format,
    date: Format,
}

impl RecordWriter for Xlsx {
    fn write(&mut self, _out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
        let Self { columns, workbook, widths, row, text, date, .. } = self;
        if *row == LAST_ROW {
            let text = format!(
                "a sheet holds at most {row} records; use -o csv, or select fewer with --filter"
            );
            return Err(io::Error::other(text));
        }
        *row += 1;
        let mut cells = Cells::read(record);
        guarded(|| {
            let sheet = workbook.worksheet_from_index(0)?;
            // Readers skip rows that are not in the file, so a row without values gets a blank cell.
            sheet.write_blank(*row, 0, text)?;
            for (place, (column, widest)) in (0..).zip(columns.iter().zip(widths)) {
                let json = cells.value(&column.path);
                if *row <= ROWS_FOR_WIDTHS {
                    *widest = width(&text_of(json)).max(*widest);
                }
                let Some(json) = json else { continue };
                let written = put(sheet, (*row, place), json, column.field_type, [text, date]);
                written.map_err(|error| match error {
                    XlsxError::MaxStringLengthExceeded => {
                        XlsxError::IoError(io::Error::other(format!(
                            "the text of `{}` in record {row} is longer than the {MAX_TEXT} characters that a cell holds; use -o csv, or select other fields with --fields",
                            column.name()
                        )))
                    }
                    other => other,
                })?;
            }
            Ok(())
        })
    }

    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        // The library would report a second failure of the output on standard error.
        let mut file = tempfile::tempfile_in(&self.folder)?;
        guarded(|| {
            let sheet = self.workbook.worksheet_from_index(0)?;
            if let Some(last) = self.columns.len().checked_sub(1) {
                let last = u16::try_from(last).unwrap_or(u16::MAX);
                sheet.autofilter(0, 0, self.row, last)?;
                // Otherwise, Excel warns about identifiers made of digits.
                sheet.ignore_error_range(0, 0, self.row, last, IgnoreError::NumberStoredAsText)?;
            }
            for (column, width) in (0..).zip(&self.widths) {
                let width = u16::try_from((*width).min(MAX_WIDTH) + 2).unwrap_or(u16::MAX);
                sheet.set_column_width(column, width)?;
            }
            self.workbook.save_to_writer(&file)
        })?;
        file.rewind()?;
        io::copy(&mut file, out)?;
        Ok(Vec::new())
    }
}

/// Writes a value, given as JSON text, to a cell. A value that does not fit its type is written as text, which is never
/// a formula and never converted.
///
/// Like `null` and an absent field, an empty string has no cell: a workbook cannot distinguish the three.
fn put(
    sheet: &mut Worksheet,
    (row, column): (u32, u16),
    json: &str,
    field_type: Option<FieldType>,
    [text, date]: [&Format; 2],
) -> Result<(), XlsxError> {
    let value = text_of(Some(json));
    let number = match field_type {
        _ if value.is_empty() => return Ok(()),
        Some(FieldType::Integer) => integer(json),
        Some(FieldType::Real) => real(json),
        _ => None,
    };
    let is_date = field_type == Some(FieldType::DateTime);
    // Some spreadsheets have a 29 February 1900, so dates before March 1900 differ between them.
    let is_in_calendar = |time: &DateTime| (time.year(), time.month()) >= (1900, 3);
    let time = is_date.then(|| date_time(&value)).flatten().filter(is_in_calendar);
    if let Some(number) = number {
        sheet.write_number(row, column, number)?;
    } else if let Some(time) = time {
        sheet.write_datetime_with_format(row, column, time, date)?;
    } else if field_type == Some(FieldType::Boolean)
        && let Ok(value) = json.parse()
    {
        sheet.write_boolean(row, column, value)?;
    } else if value.len() > MAX_TEXT_FORMAT {
        // Some versions of Excel show long text in the text format as `###`.
        sheet.write_string(row, column, &*value)?;
    } else {
        sheet.write_string_with_format(row, column, &*value, text)?;
    }
    Ok(())
}

/// Returns a JSON integer; `None` for other JSON, or if a spreadsheet would not keep every digit.
fn integer(json: &str) -> Option<f64> {
    let digits = json.strip_prefix('-').unwrap_or(json);
    let fits = digits.len() <= MAX_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    json.parse().ok().filter(|_| fits)
}

/// Returns a JSON number as a 64-bit floating-point number; `None` for other JSON, or if it is too large.
fn real(json: &str) -> Option<f64> {
    let is_number = json.starts_with(|first: char| first == '-' || first.is_ascii_digit());
    json.parse().ok().filter(|number: &f64| is_number && number.is_finite())
}

/// Returns the width of text in a column.
fn width(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or_default()
}

/// Maximum length of text in a cell, in UTF-16 units.
const MAX_TEXT: usize = 32_767;

/// Maximum number of digits that a spreadsheet keeps of a number.
const MAX_DIGITS: usize = 15;

/// Last row of a sheet, counted from 0, which is also the maximum number of records.
const LAST_ROW: u32 = 1_048_575;

/// Number of rows that set the column widths.
const ROWS_FOR_WIDTHS: u32 = 1000;

/// Maximum width of a column, in characters.
const MAX_WIDTH: usize = 60;

/// Width of the filter button in a header, in characters.
const FILTER_BUTTON: usize = 2;

/// Maximum length of a sheet name, in characters.
const MAX_NAME: usize = 31;

/// Maximum length of text in the text format, in bytes.
const MAX_TEXT_FORMAT: usize = 255;

/// Calls the library and converts its panics to errors. The library panics if it cannot write a temporary file, for
/// example on a full disk. The panic prints nothing.
fn guarded<T>(action: impl FnOnce() -> Result<T, XlsxError>) -> io::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !panic.location().is_some_and(|at| at.file().contains("rust_xlsxwriter")) {
                previous(panic);
            }
        }));
    });
    // After a failure, the workbook is only dropped.
    match panic::catch_unwind(AssertUnwindSafe(action)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(XlsxError::IoError(error))) => Err(error),
        Ok(Err(error)) => Err(io::Error::other(error.to_string())),
        Err(_) => Err(io::Error::new(io::ErrorKind::StorageFull, TEMPORARY)),
    }
}

const TEMPORARY: &str = "cannot write the temporary file that buffers the rows (in the folder of the output file or in TMPDIR); \
                         the disk may be full";

#[cfg(test)]
mod tests;
