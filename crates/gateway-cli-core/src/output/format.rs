//! The output formats, and the file extensions that select them.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;

/// An output format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Aligned columns; the default on a terminal.
    Table,
    /// One JSON document with all fields as received; the default elsewhere.
    Json,
    /// One JSON object per line.
    Ndjson,
    /// Comma-separated values (RFC 4180), safe to open in a spreadsheet.
    Csv,
    /// The unchanged bytes of the response.
    Raw,
}

impl Format {
    /// Returns the format that the extension of a file selects.
    ///
    /// Fails for the extension of a format that the program cannot write. Other unknown extensions select nothing.
    pub(crate) fn of_file(file: &Path) -> Result<Option<Self>, Failure> {
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let hint = match extension.as_str() {
            "csv" => return Ok(Some(Self::Csv)),
            "json" => return Ok(Some(Self::Json)),
            "ndjson" | "jsonl" => return Ok(Some(Self::Ndjson)),
            "txt" => return Ok(Some(Self::Table)),
            "xlsx" | "xlsm" | "xls" | "ods" | "numbers" => {
                "write a .csv file; spreadsheets open it, and --excel adapts it to Excel"
            }
            "gz" | "zst" | "xz" | "bz2" | "zip" => {
                "write to standard output, such as with -o csv, and pipe it into the compressor"
            }
            "tsv" | "tab" => "for tab-separated values, add -o csv --separator tab",
            other if UNSUPPORTED.contains(&other) => {
                "the supported extensions are .csv, .json, .ndjson, .jsonl and .txt"
            }
            _ => return Ok(None),
        };
        Err(Failure::usage(format!("cannot write .{extension}"))
            .hint(format!("{hint}; to keep the file name, choose the format with -o")))
    }

    /// Returns the name of the format on the command line.
    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Extensions of other formats that people keep records in.
const UNSUPPORTED: &[&str] = &[
    "arrow", "avro", "db", "htm", "html", "md", "parquet", "pdf", "sql", "sqlite", "toml", "xml",
    "yaml", "yml",
];
