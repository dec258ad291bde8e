//! Output: formats, destinations, and the selection of records and fields. This file has the list of formats, the
//! output flags of every command, and the trait that writers implement.

pub(crate) mod csv;
pub(crate) mod destination;
pub(crate) mod json;
pub(crate) mod printer;
pub(crate) mod record;
pub(crate) mod select;
pub(crate) mod table;
mod xlsx;

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Zoned};
use methodical_client::model::tables::FieldType;

use crate::args::positive;
use crate::failure::Failure;
use crate::output::csv::Csv;
use crate::output::json::Ndjson;
use crate::output::record::Path;
use crate::output::select::{Bound, Filter};
use crate::output::table::Table;
use crate::program::Noun;
use crate::screen::{Screen, View};

/// An output format: its name for `-o`, its file extensions, and its writer of records.
///
/// Every program has the built-in formats. [`Program::formats`](crate::Program::formats) adds others.
///
/// # Examples
///
/// A format that writes the length of each record on a line:
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_cli::{OutputFormat, Program, RecordWriter};
///
/// struct Lengths;
///
/// impl RecordWriter for Lengths {
///     fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
///         writeln!(out, "{}", record.len())
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

/// Creates a format's writer. The program has already opened the output, and removes the incomplete file on failure.
type Begin = fn(&OutputSetup) -> Result<Box<dyn RecordWriter>, Failure>;

/// The columns that a format's writer gets without `--fields`.
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
    /// Creates a format from its name for `-o` (in lowercase), its help line (without a full stop), and the function
    /// that creates its writer. The writer gets every documented field as a column, unless `--fields` selects fields.
    pub const fn new(name: &'static str, about: &'static str, writer: Begin) -> Self {
        Self { name, about, extensions: &[], is_binary: false, columns: FormatColumns::All, writer }
    }

    /// Sets the file extensions that select the format, in lowercase and without a dot.
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

    /// The format of unchanged responses. Commands that print a response write it with `Raw`, not with a record writer.
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

/// A program's formats: the built-in ones, and the program's own, which this type stores.
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

    /// Returns the extensions of all formats for use in a sentence, such as `.csv, .json and .txt`.
    pub(crate) fn extensions(self) -> String {
        let of = |format: Format| format.extensions.iter().map(|one| format!(".{one}"));
        let mut all: Vec<String> = self.all().flat_map(of).collect();
        all.sort_unstable();
        let last = all.pop().unwrap_or_default();
        format!("{} and {last}", all.join(", "))
    }

    /// Returns the format for a file's extension; `None` for a name without one. Fails for an unknown extension.
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
        Err(Failure::usage(format!("cannot write .{extension} files"))
            .hint(format!("{hint}; to keep the file name, choose the format with -o")))
    }
}

/// The hint of a program that cannot write Parquet.
pub(crate) const PARQUET: &str =
    "only the download with Parquet writes it; most warehouses also load -o csv and -o ndjson";

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
    /// Called only if a reader can see the output before it is complete. An incomplete file is removed instead.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn abort(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
        Ok(())
    }

    /// Called before [`finish`](Self::finish) with the number of records received. Filters may have passed only some.
    fn received(&mut self, _count: u64) {}

    /// Writes the rest of the output. Returns notes for the user, which `-q` hides.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn finish(&mut self, _out: &mut (dyn Write + Send)) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
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
    /// The columns of the output, in order.
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

/// The format and destination of the output, and the records and fields to print.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Output format [default: table on a terminal, else json].
    ///
    /// With --output-file, the extension selects the format: {extensions}. A .txt file contains a table. Other
    /// extensions are refused; for a name without one, the format is JSON. Interrupted JSON is invalid, so programs
    /// notice; interrupted NDJSON merely ends early.
    #[arg(short, long, global = true, value_name = "FORMAT", value_parser = Formats::default().parser())]
    pub(crate) output: Option<Format>,

    /// The formats of the program.
    #[arg(skip)]
    pub(crate) formats: Formats,

    /// Print only these fields, such as `{fields}`; case does not matter.
    #[arg(long, alias = "columns", global = true, value_name = "FIELDS", value_delimiter = ',', value_parser = trimmed())]
    pub(crate) fields: Option<Vec<String>>,

    /// Print only records where FIELD equals TEXT (`FIELD~TEXT`: contains TEXT, ignoring case; also `!=` `<` `<=` `>`
    /// `>=`).
    ///
    /// `<`, `<=`, `>` and `>=` compare dates and decimal numbers: `FIELD>=2026-11-30`. Dates are compared to the
    /// precision given: `FIELD=2026-11` matches the whole month. A record without such a value does not match. Records
    /// are filtered locally. If the flag is repeated, a record must match every filter.
    #[arg(long, global = true, value_name = "FIELD=TEXT", value_parser = Filter::parse)]
    pub(crate) filter: Vec<Filter>,

    /// Sort by these fields; prefix `-` for descending order. Keeps the whole list in memory.
    #[arg(
        long,
        global = true,
        value_name = "FIELDS",
        value_delimiter = ',',
        value_parser = trimmed(),
        allow_hyphen_values = true
    )]
    pub(crate) sort: Option<Vec<String>>,

    /// Stop after N records. With --sort or --count-by, print only the first N.
    #[arg(long, global = true, value_name = "N", value_parser = positive::<u64>, allow_hyphen_values = true)]
    pub(crate) limit: Option<u64>,

    /// Print how many records have each value of FIELD, with percentages, the most frequent first; `date:month` counts
    /// months.
    #[arg(long, global = true, value_name = "FIELD", conflicts_with_all = ["fields", "sort"])]
    pub(crate) count_by: Option<String>,

    /// Apply a jq filter to the list or the object, and print the results: strings as text, other values as JSON.
    ///
    /// The input is an array of all records, which are kept in memory, or the object; it is applied after the other
    /// selections. Numbers keep their exact text unless the filter calculates with them. The language is described at
    /// <https://jqlang.org/manual>.
    #[arg(long, global = true, value_name = "FILTER")]
    pub(crate) jq: Option<String>,

    /// Never shorten or hide a column of a table.
    #[arg(long, global = true)]
    pub(crate) wide: bool,

    /// Don't use a pager for long output on a terminal.
    ///
    /// The pager is `PAGER`, else `less`; `cat` and an empty value disable it.
    #[arg(long, global = true)]
    pub(crate) no_pager: bool,

    /// Write to FILE atomically; `-` is standard output.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,

    /// Don't escape CSV cells that look like formulas.
    #[arg(long, global = true)]
    pub(crate) csv_raw: bool,

    /// Write CSV with this separator: `,` `;` `|` `:` or `tab`.
    #[arg(long, global = true, value_name = "CHAR", value_parser = separator)]
    pub(crate) separator: Option<char>,

    /// Print only data, errors, warnings about an unknown field or {value}, and what --waiting guessed to be final.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Print only records with a date on or after DATE: YYYY-MM-DD, `today`, `yesterday`, `last-week` or `7d`.
    ///
    /// Short for a --filter on the first date field. `today` is the date of this machine, `7d` is 7 days before it, and
    /// `last-week` is the Monday of the week before. Dates of records are compared as they are written, without a
    /// time zone.
    #[arg(long, global = true, value_name = "DATE", value_parser = since)]
    pub(crate) since: Option<String>,
}

/// Returns the parser of a field name. It trims spaces, because `--fields "id, name"` has one after the comma.
fn trimmed() -> impl TypedValueParser<Value = String> {
    StringValueParser::new().map(|name| name.trim().to_owned())
}

/// Parses the separator of CSV cells: the character itself, or `tab`.
fn separator(text: &str) -> Result<char, String> {
    match text {
        "," | ";" | "|" | ":" | "\t" => Ok(text.chars().next().unwrap_or(',')),
        "tab" => Ok('\t'),
        _ => Err("expected , or ; or | or : or tab".to_owned()),
    }
}

impl OutputFlags {
    /// Returns the output file; `None` for standard output.
    pub(crate) fn file(&self) -> Option<&FilePath> {
        self.output_file.as_deref().filter(|file| file.as_os_str() != "-")
    }

    /// Returns the requested format: from `-o`, or else from the file extension, or else from a flag that only one
    /// format has. Returns `None` if no format was requested.
    pub(crate) fn format(&self) -> Result<Option<Format>, Failure> {
        let mut format = match (self.output, self.file()) {
            (None, Some(file)) => self.formats.of_file(file)?,
            (output, _) => output,
        };
        let given = [
            ("--jq", self.jq.is_some(), Format::JSON),
            ("--csv-raw", self.csv_raw, Format::CSV),
            ("--separator", self.separator.is_some(), Format::CSV),
            ("--wide", self.wide, Format::TABLE),
        ];
        for (flag, _, own) in given.into_iter().filter(|(_, given, _)| *given) {
            let chosen = *format.get_or_insert(own);
            if chosen != own {
                let (chosen, own) = (chosen.name, own.name);
                let text = format!("cannot use {flag}: the output format is {chosen}, not {own}");
                return Err(Failure::usage(text).hint(format!("remove {flag}, or add -o {own}")));
            }
        }
        Ok(format)
    }

    /// Returns whether the output is a table.
    pub(crate) fn is_table(&self, screen: Screen) -> Result<bool, Failure> {
        let format = self.format()?;
        let is_default = format.is_none() && self.file().is_none() && screen.output.is_terminal();
        Ok(format == Some(Format::TABLE) || is_default)
    }

    /// Returns the first flag that selects records or fields, if one is given.
    pub(crate) fn selection(&self) -> Option<&'static str> {
        let fields = self.fields.is_some().then_some("--fields");
        fields.or_else(|| self.jq.as_ref().map(|_| "--jq")).or_else(|| self.choice())
    }

    /// Returns the first flag that chooses records of a list, if one is given.
    pub(crate) fn choice(&self) -> Option<&'static str> {
        let given = [
            ("--filter", !self.filter.is_empty()),
            ("--since", self.since.is_some()),
            ("--sort", self.sort.is_some()),
            ("--limit", self.limit.is_some()),
            ("--count-by", self.count_by.is_some()),
        ];
        given.iter().find(|(_, given)| *given).map(|(flag, _)| *flag)
    }

    /// Fails with this reason if a flag selects records or fields.
    pub(crate) fn refuse_selection(&self, reason: &str) -> Result<(), Failure> {
        match self.selection() {
            None => Ok(()),
            Some(flag) => Err(Failure::usage(format!("cannot use {flag}: {reason}"))),
        }
    }
}

/// Parses a day, a month or a year, and returns it as text for a filter.
pub(crate) fn since(text: &str) -> Result<String, String> {
    let date = named(text);
    // A filter would read the year as a number.
    let date = if date.len() == "YYYY".len() { date + "-01" } else { date };
    Bound::date(&date).map(|_| date).ok_or_else(|| EXPECTED.to_owned())
}

/// Parses a day, such as `2026-11-30` or `today`.
pub(crate) fn day(text: &str) -> Result<Date, String> {
    // A year may have a sign.
    let day = Date::strptime("%Y-%m-%d", named(text)).ok().filter(|day| day.year() >= 0);
    day.ok_or_else(|| EXPECTED.to_owned())
}

/// Returns when a day begins on this machine, in seconds since 1970.
pub(crate) fn midnight(day: Date) -> i64 {
    day.to_zoned(TimeZone::system()).map_or(i64::MAX, |begin| begin.timestamp().as_second())
}

/// Returns the date of a named day, such as `today`, or a number of days ago, such as `7d`. Other text is only trimmed.
fn named(text: &str) -> String {
    let (text, today) = (text.trim(), Zoned::now().date());
    let days = match text {
        "today" => Some(0),
        "yesterday" => Some(1),
        "last-week" => Some(7 + i64::from(today.weekday().to_monday_zero_offset())),
        _ => text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()).map(i64::from),
    };
    let before = |days| today.checked_sub(SignedDuration::from_hours(24 * days)).ok();
    let day = days.and_then(before);
    day.map_or_else(|| text.to_owned(), |day| day.to_string())
}

const EXPECTED: &str = "expected a date such as 2026-11-30, `today`, `yesterday`, `last-week`, or a number of days ago, such as `7d`";

#[cfg(test)]
mod tests {
    use jiff::civil::{Weekday, date};
    use jiff::{ToSpan as _, Zoned};

    use super::{day, separator, since};
    use crate::output::select::Bound;

    #[test]
    fn other_characters_are_refused() {
        assert_eq!(separator(";"), Ok(';'));
        assert_eq!(separator("tab"), Ok('\t'));
        for no in ["", "a", "\"", "'", ".", "-", "=", ",,", " "] {
            assert!(separator(no).is_err(), "{no}");
        }
    }

    #[test]
    fn days_have_names() {
        let bound = |day| Bound::date(&since(day).unwrap()).unwrap();
        let [yesterday, today] = ["yesterday", "today"].map(bound);
        let now = Zoned::now().date();
        assert!(yesterday.compare(&now.to_string()).unwrap().is_gt());
        assert!(today.compare(&now.yesterday().unwrap().to_string()).unwrap().is_lt());
        let ago = |days: i64| now - days.days();
        assert_eq!((since("0d"), since("7d")), (since("today"), since(&ago(7).to_string())));
        let monday = (7..14).map(ago).find(|day| day.weekday() == Weekday::Monday).unwrap();
        assert_eq!(since("last-week"), since(&monday.to_string()));
        assert!(since("2026-11-30").is_ok() && since("2026-11").is_ok());
        for wrong in ["", "tomorrow", "2026-11-31", "5", "d", "-7d", "7 d", "99999999999d", "-365"]
        {
            assert!(since(wrong).unwrap_err().contains("such as 2026-11-30"), "{wrong}");
        }
        for wrong in ["-365-01-01", "2026-11", "2026-11-31", ""] {
            assert!(day(wrong).unwrap_err().contains("such as 2026-11-30"), "{wrong}");
        }
        assert_eq!(day(" 2026-11-30 "), Ok(date(2026, 11, 30)));
        assert_eq!(since(" 2026-11 "), since("2026-11"));
    }
}
