//! CSV (RFC 4180), also as the `gateway` program writes it. The first line names the columns.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use gateway_model::formula::unguard;

use crate::error::{Error, Place};
use crate::fields::{Column, Fields, columns};
use crate::import::input::{Budget, Records, unreadable};
use crate::import::target::{KNOWN, Target, shown};

/// Reads a table. `portal.id` and `portal.name` are the fields of the portal; an empty cell is an empty text. A `'` before
/// a formula is removed.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let (reader, records) = Budget::new(reader);
    let mut reader = BufReader::new(reader);
    let place = Place { file, line: 1 };
    let separator = separator(&mut reader).map_err(|error| unreadable(place, &error))?;
    let (reader, unclosed) = Quotes::new(reader, separator);
    let result = rows(reader, separator, file, &records, target);
    // An open quote causes all other errors after it, because everything that follows it is one cell.
    match unclosed.get() {
        Some(line) => Err(Error::at(Place { file, line }, "a quote is opened but never closed")),
        None => result,
    }
}

/// Returns the character between the cells: the first separator in the first line. No column has one in its name.
fn separator(reader: &mut impl BufRead) -> io::Result<u8> {
    let start = reader.fill_buf()?;
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let found = line.iter().find(|byte| SEPARATORS.contains(byte));
    Ok(found.copied().unwrap_or(b','))
}

fn rows(
    reader: impl Read,
    separator: u8,
    file: u32,
    records: &Records,
    target: &mut Target<'_, '_>,
) -> Result<(), Error> {
    let mut reader =
        ::csv::ReaderBuilder::new().has_headers(true).delimiter(separator).from_reader(reader);
    let refused = |error: ::csv::Error, line: u64| {
        let line = error.position().map_or(line, ::csv::Position::line);
        let text = match error.kind() {
            ::csv::ErrorKind::Utf8 { err, .. } => {
                let cell = err.field() + 1;
                format!("cell {cell} is not valid UTF-8; save the file as UTF-8")
            }
            ::csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
                format!("the number of cells is {len}, but the first line has {expected_len}")
            }
            ::csv::ErrorKind::Io(error) => return unreadable(Place { file, line }, error),
            _ => "cannot read the table".to_owned(),
        };
        Error::at(Place { file, line }, text)
    };
    let known = columns(KNOWN);
    let mut columns: Vec<&Column> = Vec::new();
    for name in reader.headers().map_err(|error| refused(error, 1))? {
        let name = target.renamed(name.trim_start_matches('\u{feff}'));
        let wrong = |text| Err(Error::at(Place { file, line: 1 }, text));
        let Some(column) = known.iter().find(|column| column.is_called(name)) else {
            let names: Vec<_> = known.iter().map(|column| column.name.as_str()).collect();
            let (name, names) = (shown(name), names.join(", "));
            return wrong(format!("unknown column {name}; known columns: {names}"));
        };
        if columns.iter().any(|before| before.name == column.name) {
            return wrong(format!("column {} is named twice", shown(name)));
        }
        columns.push(column);
    }
    let mut record = ::csv::StringRecord::new();
    loop {
        let line = reader.position().line();
        if !reader.read_record(&mut record).map_err(|error| refused(error, line))? {
            return Ok(());
        }
        let line = record.position().map_or(line, ::csv::Position::line);
        let mut fields = Fields::default();
        for (column, value) in columns.iter().zip(&record) {
            fields.set(column, unguard(value).as_deref().unwrap_or(value));
        }
        target.put(Place { file, line }, &fields)?;
        records.next();
    }
}

/// Characters that may separate the cells.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// A reader that passes a table on and tracks its quotes as the parser does (RFC 4180, section 2).
pub(super) struct Quotes<R> {
    reader: R,
    separator: u8,
    state: State,
    line: u64,
    /// The line of the last opening quote.
    opened: u64,
    unclosed: Rc<Cell<Option<u64>>>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Before the first character of a cell.
    Begin,
    /// In a cell without quotes, or after its closing quote.
    Plain,
    /// In a quoted cell.
    Quoted,
    /// After a quote in a quoted cell: the closing quote, or the first half of an escaped one.
    Quote,
}

impl<R> Quotes<R> {
    /// Wraps `reader`. After its end, the returned cell has the line of the quote that is still open, if any.
    pub(super) fn new(reader: R, separator: u8) -> (Self, Rc<Cell<Option<u64>>>) {
        let unclosed = Rc::default();
        let quotes = Self {
            reader,
            separator,
            state: State::Begin,
            line: 1,
            opened: 0,
            unclosed: Rc::clone(&unclosed),
        };
        (quotes, unclosed)
    }

    fn advance(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\n');
        self.state = match (self.state, byte) {
            (State::Begin, b'"') => {
                self.opened = self.line;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Quote,
            (State::Quote, b'"') | (State::Quoted, _) => State::Quoted,
            (_, b'\r' | b'\n') => State::Begin,
            (_, byte) if byte == self.separator => State::Begin,
            _ => State::Plain,
        };
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        if length == 0 && !buffer.is_empty() {
            self.unclosed.set((self.state == State::Quoted).then_some(self.opened));
        }
        for byte in buffer.get(..length).unwrap_or_default() {
            self.advance(*byte);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unclosed_quote_is_found_with_its_line() {
        for (text, expected) in [
            ("", None),
            ("a,\"b\"", None),
            ("a,\"b\"\"\"\r\n", None),
            ("a,b\"\n", None),
            ("\"a\"b\"c\n", None),
            ("\"\"", None),
            ("a\n\"b\nc", Some(2)),
            ("\"", Some(1)),
            ("a,\"\"\"", Some(1)),
            ("\"a\"\r\n\"b\",\"c\r\nd\r\n", Some(2)),
        ] {
            let (mut quotes, unclosed) = Quotes::new(text.as_bytes(), b',');
            quotes.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(unclosed.get(), expected, "{text}");
        }
    }
}
