//! The trait of output formats.

use std::fmt;

use crate::failure::Failure;
use crate::output::record_writer::RecordWriter;
use crate::output::setup::OutputSetup;

/// An output format: its name for `-o`, its file extensions, and its writer of records.
///
/// The program has a list of formats. [`Program::formats`](crate::Program::formats) adds others.
///
/// # Examples
///
/// A format with one title of a photo or an album on each line:
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_cli::{
///     Cells, Ending, Failure, OutputColumn, OutputFormat, OutputSetup, Program, RecordWriter,
/// };
///
/// #[derive(Debug)]
/// struct Titles;
///
/// impl OutputFormat for Titles {
///     fn name(&self) -> &'static str {
///         "titles"
///     }
///
///     fn about(&self) -> &'static str {
///         "The titles of photos and albums, one per line"
///     }
///
///     fn extensions(&self) -> &'static [&'static str] {
///         &["titles"]
///     }
///
///     fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
///         let title = setup.columns().iter().find(|column| column.name() == "title");
///         let title = title.ok_or_else(|| Failure::usage("cannot print titles: no field `title`"))?;
///         Ok(Box::new(TitleWriter { title: title.clone() }))
///     }
/// }
///
/// #[derive(Debug)]
/// struct TitleWriter {
///     title: OutputColumn,
/// }
///
/// impl RecordWriter for TitleWriter {
///     fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
///         writeln!(out, "{}", self.title.text(&mut Cells::read(record)))
///     }
///
///     fn finish(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<Ending> {
///         Ok(Ending::new())
///     }
/// }
///
/// const PROGRAM: Program = Program::new("photos", "1.0.0").formats(&[&Titles]);
/// ```
pub trait OutputFormat: fmt::Debug + Sync {
    /// Returns the name for `-o`, in lowercase.
    fn name(&self) -> &'static str;

    /// Returns the line about the format in the help, without a full stop.
    fn about(&self) -> &'static str;

    /// Returns the extensions of files that select the format, in lowercase and without a dot.
    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns other words for the format, such as `excel`. The error about one of them suggests the name.
    fn other_words(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether the output is not text, so that the program does not write it to a terminal.
    fn is_binary(&self) -> bool {
        false
    }

    /// Returns the columns that the writer gets if `--fields` names none.
    fn columns(&self) -> FormatColumns {
        FormatColumns::All
    }

    /// Creates a writer. The program opens the output before, and removes an incomplete file if this fails.
    ///
    /// # Errors
    ///
    /// Fails if the format cannot hold these records.
    fn writer(&self, setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure>;
}

/// The columns that the writer of an [`OutputFormat`] gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FormatColumns {
    /// The columns of a table for people.
    Shown,
    /// Every documented field, and of a nested record its fields.
    All,
    /// None: the writer prints the whole record. With `--fields`, it gets a record of only these fields.
    Whole,
}
