//! CSV (RFC 4180). The first line names the columns.

use std::io::Read;

use crate::error::Error;
use crate::fields::{Column, Fields, columns};
use crate::import::kinds::KNOWN;
use crate::import::quotes::Quotes;
use crate::import::target::{Target, shown};
use crate::place::Place;

/// Reads a table. `portal_id` and `portal_name` are the fields of the portal; an empty cell is an empty text.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let (reader, unclosed) = Quotes::new(reader);
    let result = rows(reader, file, target);
    // An open quote causes all other errors after it, because everything that follows it is one cell.
    match unclosed.get() {
        Some(line) => Err(Error::at(Place { file, line }, "a quote is opened but never closed")),
        None => result,
    }
}

fn rows(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(true).from_reader(reader);
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
            ::csv::ErrorKind::Io(error) => format!("cannot read the file: {error}"),
            _ => "cannot read the table".to_owned(),
        };
        Error::at(Place { file, line }, text)
    };
    let known = columns(KNOWN);
    let mut columns: Vec<&Column> = Vec::new();
    for name in reader.headers().map_err(|error| refused(error, 1))? {
        let name = name.trim_start_matches('\u{feff}');
        let wrong = |text| Err(Error::at(Place { file, line: 1 }, text));
        let Some(column) = known.iter().find(|column| column.name == name) else {
            let names: Vec<_> = known.iter().map(|column| column.name.as_str()).collect();
            let (name, names) = (shown(name), names.join(", "));
            return wrong(format!("unknown column {name}; known columns: {names}"));
        };
        if columns.iter().any(|before| before.name == name) {
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
            fields.set(column, value);
        }
        target.put(Place { file, line }, &fields)?;
    }
}
