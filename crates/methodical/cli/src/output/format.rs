//! The list of output formats, and the formats that a program has.

use std::path::Path;

use crate::failure::Failure;
use crate::output::csv::CsvFormat;
use crate::output::json::JsonFormat;
use crate::output::ndjson::NdjsonFormat;
use crate::output::output_format::OutputFormat;
use crate::output::table::TableFormat;
use crate::output::unchanged::Unchanged;
#[cfg(feature = "xlsx")]
use crate::output::xlsx::XlsxFormat;

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
    pub(crate) fn of_file(self, file: &Path) -> Result<Option<Format>, Failure> {
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
pub(crate) const PARQUET: &str = "only the program of the workspace methodical-warehouse writes it; docs/warehouse.md says how to build it";

/// Extensions of other formats that people keep records in.
const UNSUPPORTED: &[&str] = &[
    "arrow", "avro", "db", "htm", "html", "md", "pdf", "sql", "sqlite", "toml", "xml", "yaml",
    "yml",
];
