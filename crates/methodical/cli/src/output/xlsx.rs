//! XLSX, for people who use a spreadsheet: text stays text, and dates are dates.

use std::io::{self, Write};

use crate::failure::Failure;
use crate::output::column::OutputColumn;
use crate::output::output_format::OutputFormat;
use crate::output::record::Cells;
use crate::output::record_writer::{Ending, RecordWriter};
use crate::output::setup::OutputSetup;
use crate::output::xlsx::book::{Book, LAST_ROW, MAX_COLUMNS};
use crate::output::xlsx::cell::{Cell, MAX_TEXT, hidden, text_length};
use crate::record_type::Noun;

mod book;
mod cell;
mod guard;

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

#[cfg(test)]
mod tests;
