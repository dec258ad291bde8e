//! A workbook under construction: its sheets, their headers and the widths of their columns.

use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::Once;

use rust_xlsxwriter::{ExcelDateTime, Format, IgnoreError, Workbook, Worksheet, XlsxError};

use crate::output::xlsx::{Cell, MAX_TEXT, width};

/// A workbook whose rows are on the disk, except the current one.
pub(crate) struct Book {
    workbook: Workbook,
    /// The name of the first sheet, and the start of the names of others.
    name: String,
    header: Vec<String>,
    widths: Vec<usize>,
    /// The current row. Row 0 is the header.
    row: u32,
    /// The last row of a sheet, and so the maximum number of records in it.
    last_row: u32,
    sheets: u32,
    /// Whether the current row has a cell.
    has_cell: bool,
    /// The approximate size of all sheets, in bytes.
    size: u64,
    formats: Formats,
}

/// The formats of cells.
struct Formats {
    header: Format,
    text: Format,
    date: Format,
}

impl Book {
    /// Creates a workbook with an empty sheet. Its temporary files are in this folder, or in that of the system.
    pub(crate) fn new(
        name: &str,
        header: &[String],
        folder: Option<&Path>,
        last_row: u32,
    ) -> io::Result<Self> {
        let mut book = Self {
            workbook: Workbook::new(),
            name: name.chars().take(MAX_NAME).collect(),
            header: header.to_vec(),
            widths: header.iter().map(|name| width(name) + FILTER_BUTTON).collect(),
            row: 0,
            last_row,
            sheets: 0,
            has_cell: false,
            size: 0,
            formats: Formats {
                header: Format::new().set_bold(),
                text: Format::new().set_num_format("@"),
                date: Format::new().set_num_format("yyyy-mm-dd hh:mm:ss"),
            },
        };
        if let Some(folder) = folder {
            guarded(|| book.workbook.set_tempdir(folder).map(drop))?;
        }
        guarded(|| book.add_sheet())?;
        Ok(book)
    }

    /// Starts the next row, in a new sheet if the current one is full.
    pub(crate) fn start_row(&mut self) -> io::Result<()> {
        if self.row == self.last_row {
            guarded(|| {
                self.complete_sheet()?;
                self.add_sheet()
            })?;
        }
        self.row += 1;
        self.has_cell = false;
        Ok(())
    }

    /// Adds a cell to the current row.
    pub(crate) fn push(&mut self, column: usize, cell: &Cell<'_>) -> io::Result<()> {
        if *cell == Cell::Empty {
            return Ok(());
        }
        self.has_cell = true;
        if self.sheets == 1 && self.row <= ROWS_FOR_WIDTHS {
            self.widen(column, cell);
        }
        self.size = self.size.saturating_add(CELL_SIZE);
        if let Cell::Text(text) = cell {
            self.size = self.size.saturating_add(u64::try_from(text.len()).unwrap_or(u64::MAX));
        }
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        guarded(|| self.write(column, cell))
    }

    /// Ends the current row. A row without cells gets a blank one: readers skip rows that are not in the file.
    pub(crate) fn end_row(&mut self) -> io::Result<()> {
        if self.has_cell {
            return Ok(());
        }
        guarded(|| {
            let row = self.row;
            let Self { workbook, formats, sheets, .. } = self;
            sheet(workbook, *sheets)?.write_blank(row, 0, &formats.text).map(drop)
        })
    }

    /// Writes the workbook.
    pub(crate) fn save(&mut self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let mut out = Remember { out, error: None };
        let saved = guarded(|| {
            self.complete_sheet()?;
            self.set_widths()?;
            self.workbook.use_zip_large_file(self.size > MAX_ZIP32);
            self.workbook.save_to_writer(&mut out)
        });
        match out.error {
            Some(error) => Err(error),
            None => saved,
        }
    }

    /// Returns a note for each sheet after the first one.
    pub(crate) fn notes(&self) -> impl Iterator<Item = String> {
        (2..=self.sheets).map(|number| {
            let first = u64::from(number - 1) * u64::from(self.last_row) + 1;
            let name = self.sheet_name(number);
            let rows = self.last_row;
            format!("a sheet holds {rows} records: those from {first} on are in the sheet `{name}`")
        })
    }

    /// Adds a sheet with the header.
    fn add_sheet(&mut self) -> Result<(), XlsxError> {
        self.sheets += 1;
        self.row = 0;
        let name = self.sheet_name(self.sheets);
        let sheet = self.workbook.add_worksheet_with_constant_memory()?;
        sheet.set_name(name)?;
        sheet.set_freeze_panes(1, 0)?;
        for (column, name) in (0..).zip(&self.header) {
            let end = name.char_indices().nth(MAX_TEXT / 2).map_or(name.len(), |(end, _)| end);
            let name = name.get(..end).unwrap_or_default();
            sheet.write_string_with_format(0, column, name, &self.formats.header)?;
        }
        Ok(())
    }

    fn sheet_name(&self, number: u32) -> String {
        if number == 1 { self.name.clone() } else { format!("{} {number}", self.name) }
    }

    fn write(&mut self, column: u16, cell: &Cell<'_>) -> Result<(), XlsxError> {
        let row = self.row;
        let Self { workbook, formats, sheets, .. } = self;
        let sheet = sheet(workbook, *sheets)?;
        match cell {
            Cell::Empty => return Ok(()),
            // Some versions of Excel show a long text in the text format as `###`.
            Cell::Text(text) if text.len() > MAX_TEXT_FORMAT => {
                sheet.write_string(row, column, &**text)?
            }
            Cell::Text(text) => {
                sheet.write_string_with_format(row, column, &**text, &formats.text)?
            }
            Cell::Number(number) => sheet.write_number(row, column, *number)?,
            Cell::Boolean(value) => sheet.write_boolean(row, column, *value)?,
            Cell::DateTime(civil) => {
                let date = ExcelDateTime::from_ymd(civil.year, civil.month, civil.day)?.and_hms(
                    civil.hour.into(),
                    civil.minute,
                    civil.second,
                )?;
                sheet.write_datetime_with_format(row, column, &date, &formats.date)?
            }
        };
        Ok(())
    }

    /// Sets what covers all rows of the current sheet.
    fn complete_sheet(&mut self) -> Result<(), XlsxError> {
        let (row, header) = (self.row, self.header.len());
        let Some(last) = header.checked_sub(1).and_then(|last| u16::try_from(last).ok()) else {
            return Ok(());
        };
        let sheet = sheet(&mut self.workbook, self.sheets)?;
        sheet.autofilter(0, 0, row, last)?;
        // No warning beside an identifier in digits.
        sheet.ignore_error_range(0, 0, row, last, IgnoreError::NumberStoredAsText)?;
        Ok(())
    }

    fn set_widths(&mut self) -> Result<(), XlsxError> {
        for number in 1..=self.sheets {
            let sheet = sheet(&mut self.workbook, number)?;
            for (column, width) in (0..).zip(&self.widths) {
                let width = u16::try_from((*width).min(MAX_WIDTH) + 2).unwrap_or(u16::MAX);
                sheet.set_column_width(column, width)?;
            }
        }
        Ok(())
    }

    fn widen(&mut self, column: usize, cell: &Cell<'_>) {
        let needed = match cell {
            Cell::Empty => 0,
            Cell::Text(text) => width(text),
            Cell::DateTime(_) => DATE_WIDTH,
            Cell::Number(number) => number.to_string().len(),
            Cell::Boolean(_) => "FALSE".len(),
        };
        if let Some(width) = self.widths.get_mut(column) {
            *width = needed.max(*width);
        }
    }
}

/// Returns a sheet by its number, from 1.
fn sheet(workbook: &mut Workbook, number: u32) -> Result<&mut Worksheet, XlsxError> {
    let index = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    workbook.worksheet_from_index(index)
}

/// An output that keeps its first error and ignores what follows: the library would report a second failure on standard
/// error.
struct Remember<'a> {
    out: &'a mut (dyn Write + Send),
    error: Option<io::Error>,
}

impl Remember<'_> {
    fn run(&mut self, action: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) {
        if self.error.is_none() {
            self.error = action(self.out).err();
        }
    }
}

impl Write for Remember<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.run(|out| out.write_all(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.run(|out| out.flush());
        Ok(())
    }
}

/// Maximum number of columns in a sheet.
pub(crate) const MAX_COLUMNS: usize = 16_384;

/// Last row of a sheet, from 0, and so the maximum number of records in it.
pub(crate) const LAST_ROW: u32 = 1_048_575;

/// Number of rows that set the widths of the columns.
const ROWS_FOR_WIDTHS: u32 = 1000;

/// Maximum width of a column, in characters.
const MAX_WIDTH: usize = 60;

/// Width of the button of the filter in a header, in characters.
const FILTER_BUTTON: usize = 2;

/// Width of a date and time, in characters.
const DATE_WIDTH: usize = 19;

/// Maximum length of a name before its number, in characters. A name of a sheet has up to 31.
const MAX_NAME: usize = 24;

/// Maximum length of a text in the text format, in bytes.
const MAX_TEXT_FORMAT: usize = 255;

/// Maximum size of a cell without its text, in bytes.
const CELL_SIZE: u64 = 96;

/// Maximum size of the sheets in a file without ZIP64 extensions, in bytes. A character can take more bytes in a sheet than in
/// its text.
const MAX_ZIP32: u64 = 500_000_000;

/// Calls the library, which panics if it cannot write a temporary file, such as on a full disk. The panic prints nothing.
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

const TEMPORARY: &str = "the temporary file with the rows cannot be written, which is in the folder of the output file, or of \
                         TMPDIR; the disk may be full";
