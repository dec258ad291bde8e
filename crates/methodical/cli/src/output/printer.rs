//! The printer: chooses records, selects their fields, and writes them in the requested format.

use std::fmt::Display;
use std::io::{self, Write as _};

use memchr::memchr2;
use methodical_client::model::FieldType;
use serde::Serialize;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::chooser::Chooser;
use crate::output::column::OutputColumn;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;
use crate::output::format::Format;
use crate::output::output_format::FormatColumns;
use crate::output::pager::Pager;
use crate::output::progress::{Progress, counted};
use crate::output::record::{Path, one_line};
use crate::output::record_writer::{Ending, RecordWriter};
use crate::output::schema::Schema;
use crate::output::select::Selection;
use crate::output::setup::OutputSetup;
use crate::output::upload::url_of;
use crate::screen::{Screen, variable};

/// One output, from its first record to its last.
pub(crate) struct Printer {
    writer: Box<dyn RecordWriter>,
    out: Destination,
    /// Whether the output is one JSON document.
    json: bool,
    chooser: Chooser,
    /// The fields to keep, for a format that prints whole records. Other formats have columns.
    selection: Option<Selection>,
    buffer: Vec<u8>,
    selected: String,
    progress: Progress,
    printed: u64,
    /// The number of records that could not be read.
    skipped: u64,
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
        let out = Destination::open(flags.file(), program)?;
        let is_terminal = out.view(screen).is_terminal();
        let default = if is_terminal { Format::TABLE } else { Format::JSON };
        let format = requested.unwrap_or(default);
        if is_terminal && format.get().is_binary() {
            return Err(refused_on_terminal(format));
        }
        let out = out.through(pager);
        let view = out.view(screen);
        let columns = columns(schema, flags, format, &chooser);
        let is_whole = format.get().columns() == FormatColumns::Whole;
        let selection = (is_whole && flags.fields.is_some())
            .then(|| Selection::of(&columns.iter().map(|one| &one.path).collect::<Vec<_>>()));
        let notes = screen.errors_seen && !view.is_terminal();
        let shows_progress = notes && !flags.quiet && variable("CI").is_none();
        let setup = OutputSetup {
            columns: &columns,
            single: schema.single,
            view,
            noun: schema.noun.filter(|_| flags.count_by.is_none()),
            dialect: flags.dialect(),
            jq: flags.jq.as_deref(),
            wide: flags.wide,
            quiet: flags.quiet,
            file: flags.file().filter(|file| url_of(file).is_none()),
        };
        Ok(Self {
            writer: format.get().writer(&setup)?,
            out,
            json: format == Format::JSON,
            chooser,
            selection,
            buffer: Vec::with_capacity(1024),
            selected: String::new(),
            progress: Progress::new(shows_progress.then_some(screen)),
            printed: 0,
            skipped: 0,
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

    /// Warns that a record was skipped. Only the first ones are named.
    pub(crate) fn skipped(&mut self, index: u64, error: &dyn Display) {
        self.skipped += 1;
        if self.skipped > MAX_NAMED.into() {
            return;
        }
        self.progress.clear();
        let warning = format!("skipped record {index}: {error}");
        if self.out.is_paged() {
            self.late_warnings.push(warning);
        } else {
            self.screen.warn(&warning);
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
        let more = self.more_skipped();
        if self.out.is_live() {
            // The failure that is about to be reported matters more than an error here.
            drop(self.writer.abort(&mut self.out).and_then(|()| self.out.flush()));
        }
        if let Some(more) = more {
            self.screen.warn(&more);
        }
    }

    /// Prints the sorted records and the end of the output, then the notes for the user.
    ///
    /// Fails after the output is complete if the format could not hold a value.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        for record in self.chooser.rest() {
            self.write(&record)?;
        }
        let ending = self.writer.finish(&mut self.out)?;
        self.progress.clear();
        let summary = self.progress.summary(self.printed, self.out.bytes());
        let more = self.more_skipped();
        let done = self.out.finish();
        for warning in self.late_warnings.into_iter().chain(more).chain(self.chooser.warnings()) {
            self.screen.warn(&warning);
        }
        done?;
        if !ending.notes.is_empty() {
            self.screen.note(&ending.notes.join("; "));
        }
        if let Some(file) = self.file {
            self.screen.note(&format!("wrote {summary} to {file}"));
        }
        check_complete(ending)
    }

    /// Returns the warning that counts the skipped records that were not named.
    fn more_skipped(&self) -> Option<String> {
        let more = self.skipped.checked_sub(MAX_NAMED.into()).filter(|more| *more > 0)?;
        Some(format!("skipped {}", counted(more, "more record")))
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

/// Returns the columns that a format writes, each once.
fn columns(
    schema: &Schema<'_>,
    flags: &OutputFlags,
    format: Format,
    chooser: &Chooser,
) -> Vec<OutputColumn> {
    if let Some(groups) = chooser.groups() {
        let [value, count] = groups.fields().map(Path::field);
        let field_type = schema.column(&value.to_string()).field_type;
        let count = OutputColumn { path: count, field_type: Some(FieldType::Integer) };
        return vec![OutputColumn { path: value, field_type }, count];
    }
    let names: Vec<&str> = match &flags.fields {
        Some(fields) => fields.iter().map(String::as_str).collect(),
        None if format.get().columns() == FormatColumns::All => schema.leaves(),
        None => schema.columns.to_vec(),
    };
    let mut columns: Vec<OutputColumn> = Vec::new();
    for column in names.into_iter().map(|name| schema.column(name)) {
        // A field that is named twice is printed once, in every format.
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

/// Returns the failure for a format that is not text.
fn refused_on_terminal(format: Format) -> Failure {
    let name = format.name();
    let extension = format.get().extensions().first().unwrap_or(&name);
    Failure::usage(format!("cannot print {name} on a terminal: it is not text"))
        .hint(format!("add --output-file FILE.{extension}, or redirect the output"))
}

/// Fails if the output does not contain every value.
fn check_complete(ending: Ending) -> Result<(), Failure> {
    let Ending { left_out, left_out_count, .. } = ending;
    if left_out_count == 0 {
        return Ok(());
    }
    let values = if left_out_count == 1 { "1 value" } else { &format!("{left_out_count} values") };
    let unnamed = left_out_count.saturating_sub(u64::try_from(left_out.len()).unwrap_or(0));
    let rest = (unnamed > 0).then(|| format!("and {unnamed} more"));
    let failure = Failure::new(Exit::Rejected, format!("left out {values}"));
    let failure = left_out.into_iter().chain(rest).fold(failure, Failure::because);
    Err(failure
        .hint("the output is complete but for them; -o json and -o csv hold values of any length"))
}

/// Maximum number of skipped records that warnings name; the others are counted.
pub(crate) const MAX_NAMED: u8 = 20;
