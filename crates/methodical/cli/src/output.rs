//! Output: formats, destinations, and the selection of records and fields. Here are the list of formats, the parser of `-o`,
//! and the trait of their writers.

pub(crate) mod csv;
pub(crate) mod destination;
pub(crate) mod flags;
pub(crate) mod json;
pub(crate) mod printer;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod table;
mod xlsx;

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use methodical_client::model::tables::FieldType;

use crate::failure::Failure;
use crate::output::csv::Csv;
use crate::output::flags::OutputFlags;
use crate::output::json::Ndjson;
use crate::output::record::Path;
use crate::output::table::Table;
use crate::program::Noun;
use crate::screen::View;

/// An output format: its name for `-o`, its file extensions, and its writer of records.
///
/// The program has a list of formats. [`Program::formats`](crate::Program::formats) has others.
///
/// # Examples
///
/// A format with the length of a record on each line:
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_cli::{Failure, OutputFormat, Program, RecordWriter};
///
/// struct Lengths;
///
/// impl RecordWriter for Lengths {
///     fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
///         writeln!(out, "{}", record.len())
///     }
///
///     fn finish(&mut self, _out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
///         Ok(Vec::new())
///     }
/// }
///
/// const LENGTHS: OutputFormat =
///     OutputFormat::new("lengths", "The length of each record", |_setup| Ok(Box::new(Lengths)))
///         .extensions(&["lengths"]);
///
/// const PROGRAM: Program = Program { formats: &[LENGTHS], ..Program::new("photos", "1.0.0") };
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct OutputFormat {
    /// The name for `-o`, in lowercase.
    pub(crate) name: &'static str,
    /// The line in the help, without a full stop.
    pub(crate) about: &'static str,
    pub(crate) extensions: &'static [&'static str],
    /// Whether the output is not text, so that the program does not write it to a terminal.
    pub(crate) is_binary: bool,
    pub(crate) columns: FormatColumns,
    pub(crate) writer: Begin,
}

/// Creates the writer of a format. The program opens the output before, and removes an incomplete file if this fails.
type Begin = fn(&OutputSetup) -> Result<Box<dyn RecordWriter>, Failure>;

/// The columns that the writer of a format gets without `--fields`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FormatColumns {
    /// The columns of a human-readable table.
    Shown,
    /// Every documented field, with nested records expanded to their fields.
    All,
    /// None: the writer gets whole records, or with `--fields`, records of only these fields.
    Whole,
}

impl OutputFormat {
    /// Describes a format: its name for `-o` in lowercase, the line about it in the help without a full stop, and the
    /// function that creates a writer. The writer gets every documented field as a column, unless `--fields` names
    /// some.
    pub const fn new(name: &'static str, about: &'static str, writer: Begin) -> Self {
        let columns = FormatColumns::All;
        Self { name, about, extensions: &[], is_binary: false, columns, writer }
    }

    /// Sets the extensions of files that select the format, in lowercase and without a dot.
    pub const fn extensions(self, extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..self }
    }

    /// Declares that the output is not text, so that the program does not write it to a terminal.
    pub const fn binary(self) -> Self {
        Self { is_binary: true, ..self }
    }

    pub(crate) const TABLE: Self = Self {
        extensions: &["txt"],
        columns: FormatColumns::Shown,
        ..Self::new("table", "Aligned columns; the default on a terminal", |setup| {
            Ok(Box::new(Table::new(setup)))
        })
    };

    pub(crate) const JSON: Self = Self {
        extensions: &["json"],
        columns: FormatColumns::Whole,
        ..Self::new(
            "json",
            "One JSON document with all fields as received; the default elsewhere",
            json::document,
        )
    };

    pub(crate) const NDJSON: Self = Self {
        extensions: &["ndjson", "jsonl"],
        columns: FormatColumns::Whole,
        ..Self::new("ndjson", "One JSON object per line", |setup| {
            Ok(Box::new(Ndjson { terminal: setup.is_terminal() }))
        })
    };

    pub(crate) const CSV: Self = Self {
        extensions: &["csv"],
        ..Self::new(
            "csv",
            "Comma-separated values (RFC 4180), safe to open in a spreadsheet",
            |setup| Ok(Box::new(Csv::new(setup))),
        )
    };

    pub(crate) const XLSX: Self = Self {
        extensions: &["xlsx"],
        is_binary: true,
        ..Self::new(
            "xlsx",
            "An Excel workbook, for any spreadsheet: identifiers and phone numbers keep every character",
            xlsx::writer,
        )
    };

    /// The format of unchanged responses. Commands that print one write it with `Raw`; it has no records.
    pub(crate) const RAW: Self = Self {
        columns: FormatColumns::Whole,
        ..Self::new("raw", "The unchanged bytes of the response", |_| {
            let text = "cannot use -o raw: this command does not print a response from the service";
            Err(Failure::usage(text))
        })
    };
}

impl PartialEq for OutputFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

pub(crate) use OutputFormat as Format;

/// The formats of every program.
static FORMATS: &[Format] =
    &[Format::TABLE, Format::JSON, Format::NDJSON, Format::CSV, Format::XLSX, Format::RAW];

/// The formats of a program: the formats that every program has, and its own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Formats(pub(crate) &'static [Format]);

impl Formats {
    /// Returns the formats in order.
    fn all(self) -> impl Iterator<Item = Format> {
        FORMATS.iter().chain(self.0).copied()
    }

    /// Returns the parser of `-o`.
    pub(crate) fn parser(self) -> impl TypedValueParser<Value = Format> {
        let values = self.all().map(|one| PossibleValue::new(one.name).help(one.about));
        let named = move |name: String| self.all().find(|one| one.name == name);
        PossibleValuesParser::new(values).map(move |name| named(name).unwrap_or(Format::JSON))
    }

    /// Returns the extensions of all formats in a sentence: `.csv, .json and .txt`.
    pub(crate) fn extensions(self) -> String {
        let of = |format: Format| format.extensions.iter().map(|one| format!(".{one}"));
        let mut all: Vec<String> = self.all().flat_map(of).collect();
        all.sort_unstable();
        let last = all.pop().unwrap_or_default();
        format!("{} and {last}", all.join(", "))
    }

    /// Returns the format that the extension of a file selects; `None` for a name without one. Fails for any other
    /// extension.
    pub(crate) fn of_file(self, file: &FilePath) -> Result<Option<Format>, Failure> {
        let Some(extension) = file.extension() else { return Ok(None) };
        let extension = extension.to_string_lossy().to_ascii_lowercase();
        let format = self.all().find(|one| one.extensions.contains(&&*extension));
        if format.is_some() {
            return Ok(format);
        }
        let hint = match &*extension {
            "parquet" => PARQUET,
            _ => &format!("the supported extensions are {}", self.extensions()),
        };
        Err(Failure::usage(format!("cannot write .{extension}"))
            .hint(format!("{hint}; to keep the file name, choose the format with -o")))
    }
}

/// The hint of a program that cannot write Parquet.
pub(crate) const PARQUET: &str =
    "only a build with Parquet writes it; every warehouse also loads -o csv and -o ndjson";

/// A writer of records in one format. [`OutputFormat`] shows one.
///
/// The program passes the same output to every call: a file that replaces its target when the writer has finished, or a
/// stream. A format that needs the whole list writes in [`finish`](Self::finish).
pub trait RecordWriter {
    /// Writes one record, given as JSON text on one line. It may hold the record until later.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()>;

    /// Writes held records and ends the line after a failure. The output stays visibly incomplete.
    ///
    /// Called only if a reader sees the output before it is complete: an incomplete file is removed.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn abort(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
        Ok(())
    }

    /// Called before [`finish`](Self::finish) with the number of records received, of which filters may have passed
    /// only some.
    fn received(&mut self, _count: u64) {}

    /// Writes the rest of the output. Returns notes for the user, which `-q` hides.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn finish(&mut self, out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure>;
}

/// A column of an output: the path of a field, and the type of its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    pub(crate) path: Path,
    /// The type of the values; `None` if it is unknown, as in responses to methods that the contract does not describe.
    pub field_type: Option<FieldType>,
}

impl OutputColumn {
    /// Returns the name: the path, with dots between its parts.
    pub fn name(&self) -> String {
        self.path.to_string()
    }
}

/// The output that a format writes: the columns, and the settings from the command line.
///
/// The function that is passed to [`OutputFormat::new`](crate::OutputFormat::new) receives one.
#[derive(Clone, Debug, Default)]
pub struct OutputSetup {
    /// The columns in order.
    pub columns: Vec<OutputColumn>,
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    pub(crate) view: View,
    /// The name of a record, if records are counted.
    pub(crate) noun: Option<Noun>,
    pub(crate) flags: OutputFlags,
    /// The file that the output will replace.
    pub(crate) file: Option<PathBuf>,
}

impl OutputSetup {
    /// Returns whether the output is a terminal, where control characters must be escaped.
    pub fn is_terminal(&self) -> bool {
        self.view.is_terminal()
    }
}
