//! The printer: chooses records, selects their fields, and writes them in the requested format.

use std::fmt::Display;
use std::io::{self, Write as _};

use memchr::memchr2;
use serde::Serialize;

use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::chooser::Chooser;
use crate::output::csv::Csv;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;
use crate::output::format::Format;
use crate::output::jq::Jq;
use crate::output::json::{Json, Ndjson};
use crate::output::pager::Pager;
use crate::output::progress::Progress;
use crate::output::record::{Path, one_line};
use crate::output::record_writer::RecordWriter;
use crate::output::schema::Schema;
use crate::output::select::Selection;
use crate::output::table::{Style, Table};
use crate::screen::{Screen, View, variable};

/// One output, from its first record to its last.
pub(crate) struct Printer {
    writer: Box<dyn RecordWriter>,
    out: Destination,
    /// Whether the output is one JSON document.
    json: bool,
    chooser: Chooser,
    /// The fields to keep in JSON. Other formats select fields by their columns.
    selection: Option<Selection>,
    buffer: Vec<u8>,
    selected: String,
    progress: Progress,
    printed: u64,
    /// The warnings to print after the pager has ended.
    late_warnings: Vec<String>,
    /// The file to name in the closing note, if standard error is a terminal.
    file: Option<String>,
    screen: Screen,
}

impl Printer {
    /// Checks the flags against the schema, and opens the output.
    pub(crate) fn open(invocation: &Invocation, schema: &Schema<'_>) -> Result<Self, Failure> {
        let &Invocation { output: ref flags, screen, ref program, .. } = invocation;
        let chooser = Chooser::new(flags, schema, screen)?;
        for name in flags.fields.iter().flatten() {
            if let Some(warning) = schema.check(name, flags.any_field)? {
                screen.warn(&warning);
            }
        }
        // Before the file is created: its extension may be refused.
        let requested = flags.format()?;
        let pager = if schema.single { None } else { Pager::of(invocation) };
        let out = Destination::open(flags.file(), program.name)?.through(pager);
        let view = out.view(screen);
        let default = if view.is_terminal() { Format::Table } else { Format::Json };
        let format = requested.unwrap_or(default);
        let names: Vec<&str> = match &flags.fields {
            Some(fields) => fields.iter().map(String::as_str).collect(),
            None if format == Format::Csv => schema.leaves(),
            None => schema.columns.to_vec(),
        };
        let mut columns: Vec<Path> = Vec::new();
        for path in names.into_iter().map(|name| schema.path(name)) {
            // A field that is named twice is printed once, in every format.
            if !columns.contains(&path) {
                columns.push(path);
            }
        }
        if let Some(groups) = chooser.groups() {
            columns = groups.fields().map(Path::field).to_vec();
        }
        let json = matches!(format, Format::Json | Format::Ndjson);
        let notes = screen.errors_seen && !view.is_terminal();
        let shows_progress = notes && !flags.quiet && variable("CI").is_none();
        let selection = (json && flags.fields.is_some()).then(|| Selection::of(&columns));
        Ok(Self {
            writer: writer(format, schema, columns, flags, view)?,
            out,
            json: format == Format::Json,
            chooser,
            selection,
            buffer: Vec::with_capacity(1024),
            selected: String::new(),
            progress: Progress::new(shows_progress.then_some(screen)),
            printed: 0,
            late_warnings: Vec::new(),
            file: flags.file().filter(|_| notes).map(|file| file.display().to_string()),
            screen,
        })
    }

    /// Returns whether the output is one JSON document.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a record of the program.
    pub(crate) fn print<T: Serialize>(&mut self, record: &T) -> io::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        serde_json::to_writer(&mut buffer, record)?;
        let line = std::str::from_utf8(&buffer).map_err(io::Error::other)?;
        self.print_line(line)?;
        self.buffer = buffer;
        Ok(())
    }

    /// Prints a record as received. If it has several lines, its whitespace is removed.
    pub(crate) fn print_received(&mut self, json: &str) -> io::Result<()> {
        match memchr2(b'\n', b'\r', json.as_bytes()) {
            Some(_) => self.print_line(&one_line(json)),
            None => self.print_line(json),
        }
    }

    /// Prints a record, given as JSON text on one line.
    pub(crate) fn print_line(&mut self, record: &str) -> io::Result<()> {
        self.progress.add(record.len());
        if self.chooser.takes(record) { self.write(record) } else { Ok(()) }
    }

    /// Returns whether no further record will be printed, so that none need be received.
    pub(crate) fn is_done(&self) -> bool {
        self.chooser.is_done()
    }

    /// Warns that a record was skipped.
    pub(crate) fn skipped(&mut self, index: u64, error: &dyn Display) {
        self.progress.clear();
        let warning = format!("skipped record {index}: {error}");
        if !self.out.is_paged() {
            self.screen.warn(&warning);
        } else if self.late_warnings.len() < MAX_LATE_WARNINGS {
            self.late_warnings.push(warning);
        }
    }

    /// Updates the progress line, and flushes live output soon. Call it before waiting for the next record.
    pub(crate) fn idle(&mut self) -> io::Result<()> {
        self.progress.show();
        if self.out.is_live() {
            self.writer.idle(&mut self.out)?;
            self.out.flush_soon();
        }
        Ok(())
    }

    /// Ends the output after a failure, so that the error message appears below the printed records.
    pub(crate) fn abort(mut self) {
        self.progress.clear();
        if self.out.is_live() {
            // The failure that is about to be reported matters more than an error here.
            drop(self.writer.abort(&mut self.out).and_then(|()| self.out.flush()));
        }
    }

    /// Prints the sorted records and the end of the output, then the notes for the user.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        for record in self.chooser.rest() {
            self.write(&record)?;
        }
        let note = self.writer.finish(&mut self.out)?;
        self.progress.clear();
        let summary = self.progress.summary(self.printed, self.out.bytes());
        let done = self.out.finish();
        for warning in self.late_warnings.into_iter().chain(self.chooser.warnings()) {
            self.screen.warn(&warning);
        }
        done?;
        if let Some(note) = note {
            self.screen.note(&note);
        }
        if let Some(file) = self.file {
            self.screen.note(&format!("wrote {summary} to {file}"));
        }
        Ok(())
    }

    fn write(&mut self, record: &str) -> io::Result<()> {
        let record = match &self.selection {
            None => record,
            Some(selection) => {
                self.selected.clear();
                selection.write(record, &mut self.selected);
                &self.selected
            }
        };
        self.printed += 1;
        self.writer.write(&mut self.out, record)
    }

    /// Returns the number of records printed so far.
    pub(crate) fn printed(&self) -> u64 {
        self.printed
    }
}

/// Creates the writer of a format.
fn writer(
    format: Format,
    schema: &Schema<'_>,
    columns: Vec<Path>,
    flags: &OutputFlags,
    view: View,
) -> Result<Box<dyn RecordWriter>, Failure> {
    let terminal = view.is_terminal();
    Ok(match format {
        Format::Table => {
            let &OutputFlags { wide, quiet, .. } = flags;
            let noun = schema.noun.filter(|_| flags.count_by.is_none());
            Box::new(Table::new(columns, Style { view, wide, quiet, noun }))
        }
        Format::Json => match &flags.jq {
            Some(code) => Box::new(Jq::new(code, schema.single, terminal)?),
            None => Box::new(Json::new(schema.single, view)),
        },
        Format::Ndjson => Box::new(Ndjson { terminal }),
        Format::Csv => Box::new(Csv::new(flags.dialect(), columns, terminal)),
        Format::Raw => {
            return Err(Failure::usage(
                "cannot use -o raw: this command does not print a response from the service",
            ));
        }
    })
}

/// Maximum number of warnings that are kept while a pager runs.
const MAX_LATE_WARNINGS: usize = 100;
