//! CSV: the first line names the columns (RFC 4180).

use std::io::Read;

use crate::Place;
use crate::error::Error;
use crate::import::quotes::Quotes;
use crate::import::record::Fields;
use crate::import::target::Target;

/// Reads a table. `portal_id` and `portal_name` are the portal; an empty cell is an empty text.
pub(super) fn read(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let (reader, unclosed) = Quotes::new(reader);
    let result = rows(reader, file, target);
    // Whatever else was found: what follows such a quote is one cell, and what is wrong with it is the quote.
    match unclosed.get() {
        Some(line) => Err(Error::at(Place { file, line }, "a quote is opened here and not closed")),
        None => result,
    }
}

fn rows(reader: impl Read, file: u32, target: &mut Target<'_, '_>) -> Result<(), Error> {
    let mut reader = ::csv::ReaderBuilder::new().has_headers(true).from_reader(reader);
    let refused = |error: ::csv::Error, line: u64| {
        let line = error.position().map_or(line, ::csv::Position::line);
        let text = match error.kind() {
            ::csv::ErrorKind::Utf8 { .. } => "the text is not UTF-8",
            ::csv::ErrorKind::UnequalLengths { .. } => "the line has another number of cells",
            _ => "the table cannot be read",
        };
        Error::at(Place { file, line }, text)
    };
    let columns: Vec<String> = reader
        .headers()
        .map_err(|error| refused(error, 1))?
        .iter()
        .map(|column| column.trim_start_matches('\u{feff}').to_owned())
        .collect();
    let mut probe = Fields::default();
    for (index, column) in columns.iter().enumerate() {
        let wrong = |text| Err(Error::at(Place { file, line: 1 }, text));
        if !probe.set(column, "") {
            return wrong("the first line names a column that nobody knows");
        }
        if columns.iter().take(index).any(|before| before == column) {
            return wrong("the first line names a column twice");
        }
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
        target.put(Place { file, line }, fields)?;
    }
}
