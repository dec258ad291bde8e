//! Output formats: their traits, the list of them, and the parser of `-o`.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::path::Path as FilePath;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command, Error};
use methodical_client::model::tables::FieldType;

use crate::failure::Failure;
use crate::files::folder_of;
use crate::output::csv::CsvFormat;
use crate::output::flags::Dialect;
use crate::output::json::{JsonFormat, NdjsonFormat};
use crate::output::record::{Cells, Path};
use crate::output::table::TableFormat;
#[cfg(feature = "xlsx")]
use crate::output::xlsx::XlsxFormat;
use crate::program::Noun;
use crate::screen::View;

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

    /// Writes held records if they have waited long enough. Called before the program waits for the next record, if a
    /// reader sees the output before it is complete.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn idle(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
        Ok(())
    }

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

    /// Learns how many records were received, before the end: of some, filters let only a part through.
    fn received(&mut self, _count: u64) {}

    /// Writes the rest of the output.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending>;
}

/// The end of an output: the notes for the user, and the values that the format cannot hold.
///
/// # Examples
///
/// ```
/// use methodical_cli::Ending;
///
/// let ending = Ending::new()
///     .note("photos from 1,048,576 on are in the sheet `records 2`")
///     .left_out("record 7, field `caption`: 40000 characters, but a cell holds 32767");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Ending {
    pub(crate) notes: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) left_out_count: u64,
}

impl Ending {
    /// Creates the end of an output that contains everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a note for the user, which `-q` hides.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Reports a value that is not in the output: the place of the value, and the reason. The program prints the first ones, and
    /// its exit code is 6.
    pub fn left_out(mut self, text: impl Into<String>) -> Self {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_REPORTED {
            self.left_out.push(text.into());
        }
        self
    }
}

/// Maximum number of values whose places are reported.
const MAX_REPORTED: usize = 10;

/// A column of an output: the path of a field, and the type of its values.
///
/// # Examples
///
/// ```
/// use methodical_cli::{Cells, FieldType, OutputColumn};
///
/// let taken = OutputColumn::new("camera.name", Some(FieldType::Text));
/// let mut cells = Cells::read(r#"{"id":7,"camera":{"name":"Pinhole"}}"#);
/// assert_eq!(taken.text(&mut cells), "Pinhole");
/// assert_eq!(taken.json(&mut cells), Some(r#""Pinhole""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputColumn {
    pub(crate) path: Path,
    pub(crate) field_type: Option<FieldType>,
}

impl OutputColumn {
    /// Creates a column from a path, such as `title` or `camera.name`.
    #[must_use]
    pub fn new(path: &str, field_type: Option<FieldType>) -> Self {
        Self { path: Path::parse(path), field_type }
    }

    /// Returns the name: the path, with dots between its parts.
    pub fn name(&self) -> String {
        self.path.to_string()
    }

    /// Returns the type of the values; `None` if it is unknown, as in responses to methods that the contract does not describe.
    pub fn field_type(&self) -> Option<FieldType> {
        self.field_type
    }

    /// Returns the JSON text of the field in a record; `None` if it is absent.
    pub fn json<'a, 'c>(&'c self, cells: &mut Cells<'a, 'c>) -> Option<&'a str> {
        cells.value(&self.path)
    }

    /// Returns the text of the field in a record: a string without its quotes, any other value as JSON, and an empty text for
    /// `null` and for an absent field.
    pub fn text<'a, 'c>(&'c self, cells: &mut Cells<'a, 'c>) -> Cow<'a, str> {
        cells.cell(&self.path)
    }
}

/// The output that a format writes: the columns, and what the command line says about it.
///
/// [`OutputFormat::writer`](crate::OutputFormat::writer) gets one.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
pub struct OutputSetup<'a> {
    pub(crate) columns: &'a [OutputColumn],
    /// Whether the output is one object, not a list.
    pub(crate) single: bool,
    pub(crate) view: View,
    /// The name of a record, if records are counted.
    pub(crate) noun: Option<Noun>,
    /// Whether a record of the output is a count of `--count-by`.
    pub(crate) counts: bool,
    pub(crate) dialect: Dialect,
    /// The filter of `--jq`.
    pub(crate) jq: Option<&'a str>,
    /// Whether no column of a table is shortened or hidden.
    pub(crate) wide: bool,
    pub(crate) quiet: bool,
    /// The file that the output will replace.
    pub(crate) file: Option<&'a FilePath>,
}

#[cfg(any(fuzzing, feature = "dashboard", all(test, feature = "xlsx")))]
impl<'a> OutputSetup<'a> {
    /// Returns the setup of a list with these columns that goes to no terminal.
    pub(crate) fn plain(columns: &'a [OutputColumn], dialect: Dialect) -> Self {
        let view = View::default();
        Self {
            columns,
            single: false,
            view,
            noun: None,
            counts: false,
            dialect,
            jq: None,
            wide: false,
            quiet: true,
            file: None,
        }
    }
}

impl OutputSetup<'_> {
    /// Returns the columns, in their order.
    pub fn columns(&self) -> &[OutputColumn] {
        self.columns
    }

    /// Returns whether the output is one object, and not a list.
    pub fn is_single(&self) -> bool {
        self.single
    }

    /// Returns whether the output is a terminal, where control characters must be escaped.
    pub fn is_terminal(&self) -> bool {
        self.view.is_terminal()
    }

    /// Returns the folder of the output file; `None` if the output is not a file. Temporary files belong there, because the
    /// folder of the system for them may be too small.
    pub fn folder(&self) -> Option<&FilePath> {
        self.file.map(folder_of)
    }

    /// Returns the paths of the columns.
    pub(crate) fn paths(&self) -> Vec<Path> {
        self.columns.iter().map(|column| column.path.clone()).collect()
    }
}

/// The formats of every program. A new format is a file with its writer, and a line here.
static FORMATS: &[&dyn OutputFormat] = &[
    &TableFormat,
    &JsonFormat,
    &NdjsonFormat,
    &CsvFormat,
    #[cfg(feature = "xlsx")]
    &XlsxFormat,
    &Unchanged,
];

/// An output format of the list. Two are equal if their names are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format(&'static dyn OutputFormat);

impl Format {
    pub(crate) const TABLE: Self = Self(&TableFormat);
    pub(crate) const JSON: Self = Self(&JsonFormat);
    #[cfg_attr(not(feature = "mirror"), expect(dead_code, reason = "for events of a mirror"))]
    pub(crate) const NDJSON: Self = Self(&NdjsonFormat);
    pub(crate) const CSV: Self = Self(&CsvFormat);
    pub(crate) const RAW: Self = Self(&Unchanged);

    /// Returns the format itself.
    pub(crate) fn get(self) -> &'static dyn OutputFormat {
        self.0
    }

    /// Returns the name of the format on the command line.
    pub(crate) fn name(self) -> &'static str {
        self.0.name()
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

/// The formats of a program: those of every program, and its own.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Formats(&'static [&'static dyn OutputFormat]);

impl Formats {
    /// Creates the list of a program that adds formats.
    pub(crate) const fn with(own: &'static [&'static dyn OutputFormat]) -> Self {
        Self(own)
    }

    /// Returns the formats in their order.
    pub(crate) fn all(self) -> impl Iterator<Item = Format> {
        FORMATS.iter().chain(self.0).copied().map(Format)
    }

    /// Returns the format with a name.
    pub(crate) fn named(self, name: &str) -> Option<Format> {
        self.all().find(|format| format.name() == name)
    }

    /// Returns the format that a person calls by another word, such as `excel`.
    pub(crate) fn called(self, word: &str) -> Option<Format> {
        let word = word.to_ascii_lowercase();
        self.all().find(|format| format.0.other_words().contains(&&*word) || format.name() == word)
    }

    /// Returns the extensions of all formats in a sentence: `.csv, .json and .txt`.
    pub(crate) fn extensions(self) -> String {
        let of = |format: Format| format.0.extensions().iter().map(|one| format!(".{one}"));
        let mut all: Vec<String> = self.all().flat_map(of).collect();
        all.sort_unstable();
        let last = all.pop().unwrap_or_default();
        format!("{} and {last}", all.join(", "))
    }

    /// Returns the format that the extension of a file selects.
    ///
    /// Fails for the extension of a format that the program cannot write. Other unknown extensions select nothing.
    pub(crate) fn of_file(self, file: &FilePath) -> Result<Option<Format>, Failure> {
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let mut all = self.all();
        if let Some(format) = all.find(|one| one.0.extensions().contains(&&*extension)) {
            return Ok(Some(format));
        }
        let hint = match extension.as_str() {
            "xlsx" | "xlsm" | "xls" | "ods" | "numbers" => self.spreadsheet_hint(),
            "gz" | "zst" | "xz" | "bz2" | "zip" => {
                "write to standard output, such as with -o csv, and pipe it into the compressor"
                    .to_owned()
            }
            "parquet" => PARQUET.to_owned(),
            "tsv" | "tab" => "for tab-separated values, add -o csv --separator tab".to_owned(),
            other if UNSUPPORTED.contains(&other) => {
                format!("the supported extensions are {}", self.extensions())
            }
            _ => return Ok(None),
        };
        Err(Failure::usage(format!("cannot write .{extension}"))
            .hint(format!("{hint}; to keep the file name, choose the format with -o")))
    }

    /// Returns the hint for the extension of a spreadsheet that the program cannot write.
    fn spreadsheet_hint(self) -> String {
        match self.named("xlsx") {
            Some(_) => "write a .xlsx file; every spreadsheet opens it".to_owned(),
            None => "write a .csv file; spreadsheets open it".to_owned(),
        }
    }
}

/// The hint of a program that cannot write Parquet.
pub(crate) const PARQUET: &str =
    "only a build with Parquet writes it; every warehouse loads -o csv and -o ndjson, too";

/// Extensions of other formats that people keep records in.
const UNSUPPORTED: &[&str] = &[
    "arrow", "avro", "db", "htm", "html", "md", "pdf", "sql", "sqlite", "toml", "xml", "yaml",
    "yml",
];

/// Parses the name of a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormatParser(pub(crate) Formats);

impl FormatParser {
    fn values(self) -> impl Iterator<Item = PossibleValue> {
        let value = |format: Format| PossibleValue::new(format.name()).help(format.get().about());
        self.0.all().map(value)
    }
}

impl TypedValueParser for FormatParser {
    type Value = Format;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Format, Error> {
        let parser = PossibleValuesParser::new(self.values());
        let mut error = match parser.parse_ref(command, arg, value) {
            Ok(name) => match self.0.named(&name) {
                Some(format) => return Ok(format),
                None => return Err(Error::new(clap::error::ErrorKind::InvalidValue)),
            },
            Err(error) => error,
        };
        if let Some(format) = value.to_str().and_then(|word| self.0.called(word)) {
            let name = ContextValue::String(format.name().to_owned());
            error.insert(ContextKind::SuggestedValue, name);
        }
        if value == "parquet" {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![PARQUET.into()]));
        }
        Err(error)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.values()))
    }
}

/// The format of unchanged responses, `raw`. Commands that print one write it with `Raw`; it has no records.
#[derive(Debug)]
pub(crate) struct Unchanged;

impl OutputFormat for Unchanged {
    fn name(&self) -> &'static str {
        "raw"
    }

    fn about(&self) -> &'static str {
        "The unchanged bytes of the response"
    }

    fn columns(&self) -> FormatColumns {
        FormatColumns::Whole
    }

    fn writer(&self, _setup: &OutputSetup<'_>) -> Result<Box<dyn RecordWriter>, Failure> {
        Err(Failure::usage(
            "cannot use -o raw: this command does not print a response from the service",
        ))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::FormatParser;
    use crate::output::format::{Format, Formats};

    #[test]
    fn another_word_suggests_the_name() {
        let command = || {
            let output =
                Arg::new("output").short('o').value_parser(FormatParser(Formats::default()));
            Command::new("photos").arg(output)
        };
        let error = command().try_get_matches_from(["photos", "-o", "JSONL"]).unwrap_err();
        assert!(error.to_string().contains("a similar value exists: 'ndjson'"), "{error}");
        let error = command().try_get_matches_from(["photos", "-o", "parquet"]).unwrap_err();
        assert!(error.to_string().contains("a build with Parquet"), "{error}");
        let matches = command().try_get_matches_from(["photos", "-o", "csv"]).unwrap();
        assert_eq!(matches.get_one::<Format>("output"), Some(&Format::CSV));
    }
}
