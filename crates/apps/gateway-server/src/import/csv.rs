//! CSV (RFC 4180), including files that the `gateway` program writes. The first line names the columns.

use std::io::{self, BufRead, BufReader, Read};

use gateway_model::formula::unguard;

use crate::error::{Error, Place};
use crate::fields::{Column, Fields, columns, set_cell};
use crate::import::input::{Metered, Progress, unreadable};
use crate::import::target::{KNOWN, Target, shown};

/// Reads a table. `portal.id` and `portal.name` are the fields of the portal; an empty cell is an empty string. A `'`
/// before a formula is removed.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let (reader, progress) = Metered::new(reader);
    let mut reader = BufReader::new(reader);
    let place = Place { file, line: 1 };
    let format = Format::of(&mut reader).map_err(|error| unreadable(place, &error))?;
    rows(reader.chain(END.as_bytes()), format, file, &progress, target)
}

/// The format of a table, taken from its first line.
#[derive(Clone, Copy)]
struct Format {
    /// The character between the cells: the first separator in the line. No column has a separator in its name.
    separator: u8,
    /// Whether lines end with `\r\n`. The parser counts the `\n` in the next line, so its line number lags by one.
    is_crlf: bool,
}

impl Format {
    fn of(reader: &mut impl BufRead) -> io::Result<Self> {
        let start = reader.fill_buf()?;
        let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let found = line.iter().find(|byte| SEPARATORS.contains(byte));
        Ok(Self { separator: found.copied().unwrap_or(b','), is_crlf: line.ends_with(b"\r") })
    }
}

fn rows(
    reader: impl Read,
    format: Format,
    file: u32,
    progress: &Progress,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let mut reader = ::csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(format.separator)
        .from_reader(reader);
    let known = columns(KNOWN);
    let mut columns: Option<Vec<&Column>> = None;
    let mut record = ::csv::StringRecord::new();
    loop {
        let line = reader.position().line() + u64::from(format.is_crlf && columns.is_some());
        let place = Place { file, line };
        reader.read_record(&mut record).map_err(|error| refused(&error, place))?;
        match record.get(record.len().saturating_sub(1)) {
            Some(END_CELL) if record.len() == 1 => return Ok(()),
            Some(last) if last.ends_with(END) => {
                return Err(Error::at(place, "a quote is opened but never closed"));
            }
            _ => {}
        }
        let Some(columns) = &columns else {
            columns = Some(header(&record, &known, place, target)?);
            continue;
        };
        if record.len() != columns.len() {
            let (cells, expected) = (record.len(), columns.len());
            let text =
                format!("expected {expected} cells, as in the first line, but found {cells}");
            return Err(Error::at(place, text));
        }
        let mut given = Fields::default();
        for (column, value) in columns.iter().zip(&record) {
            set_cell(&mut given, column, unguard(value).as_deref().unwrap_or(value));
        }
        target.put(place, given)?;
        progress.next_record();
    }
}

/// Returns the columns that the first line names.
fn header<'k>(
    record: &::csv::StringRecord,
    known: &'k [Column],
    place: Place,
    target: &Target<'_, '_>,
) -> Result<Vec<&'k Column>, Error> {
    let mut columns: Vec<&Column> = Vec::new();
    for name in record {
        let name = target.renamed(name.trim_start_matches('\u{feff}'));
        let Some(column) = known.iter().find(|column| column.is_called(name)) else {
            let names: Vec<_> = known.iter().map(|column| column.name.as_str()).collect();
            let (name, names) = (shown(name), names.join(", "));
            let text = format!("unknown column {name}; known columns: {names}");
            return Err(Error::at(place, text));
        };
        if columns.iter().any(|before| before.name == column.name) {
            return Err(Error::at(place, format!("column {} appears twice", shown(name))));
        }
        columns.push(column);
    }
    Ok(columns)
}

fn refused(error: &::csv::Error, place: Place) -> Error {
    match error.kind() {
        ::csv::ErrorKind::Utf8 { err, .. } => {
            let cell = err.field() + 1;
            Error::at(place, format!("cell {cell} is not valid UTF-8; save the file as UTF-8"))
        }
        ::csv::ErrorKind::Io(error) => unreadable(place, error),
        _ => Error::at(place, "cannot read the table"),
    }
}

/// Characters that may separate the cells.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// Appended to the file. The parser closes an open quote at the end of its input, so this text then ends up in a cell.
const END: &str = "\n\u{1}end of the file\u{1}\n";

/// The only cell of the last record.
const END_CELL: &str = "\u{1}end of the file\u{1}";
