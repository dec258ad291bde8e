//! Which format is printed: what is asked for, what the name of a file says, what the reader needs.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::output::flags::OutputFlags;
use crate::screen::View;

/// How answers are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Columns for a person; on a terminal the default.
    Table,
    /// One JSON document with everything that the service sent; elsewhere the default.
    Json,
    /// One JSON object on each line.
    Ndjson,
    /// Comma-separated values (RFC 4180), safe to open in a spreadsheet.
    Csv,
    /// The bytes of the answer as they came.
    Raw,
}

impl Format {
    /// Returns the format that was asked for, else the one that fits the reader.
    pub(crate) fn of(flags: &OutputFlags, view: View) -> Result<Self, Failure> {
        let fit = if view.is_terminal() { Self::Table } else { Self::Json };
        Ok(Self::asked(flags)?.unwrap_or(fit))
    }

    /// Returns the format that was asked for: by its name, by a flag that only it has, or by the name of the file.
    pub(crate) fn asked(flags: &OutputFlags) -> Result<Option<Self>, Failure> {
        let asked = match (flags.output, flags.file()) {
            (None, Some(file)) => Self::of_name(file)?,
            (asked, _) => asked,
        };
        let of_csv = [
            ("--excel", flags.excel),
            ("--csv-raw", flags.csv_raw),
            ("--separator", flags.separator.is_some()),
        ];
        match (asked, of_csv.iter().find(|(_, given)| *given)) {
            (None | Some(Self::Csv), Some(_)) => Ok(Some(Self::Csv)),
            (Some(other), Some((flag, _))) => {
                let other = other.name();
                Err(Failure::usage(format!("{flag} is about CSV, and the output is {other}"))
                    .hint("leave it out, or write -o csv"))
            }
            (asked, None) => Ok(asked),
        }
    }

    fn of_name(file: &Path) -> Result<Option<Self>, Failure> {
        let extension = file.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let hint = match extension.as_str() {
            "csv" => return Ok(Some(Self::Csv)),
            "json" => return Ok(Some(Self::Json)),
            "ndjson" | "jsonl" => return Ok(Some(Self::Ndjson)),
            "txt" => return Ok(Some(Self::Table)),
            "xlsx" | "xlsm" | "xls" | "ods" | "numbers" => {
                "a spreadsheet opens .csv; --excel writes it as Excel expects it"
            }
            "gz" | "zst" | "xz" | "bz2" | "zip" => {
                "`-o csv` without a file can be piped into the program that compresses"
            }
            "tsv" | "tab" => "`-o csv --separator tab` writes such a file",
            other if OTHERS.contains(&other) => "the names it knows are .csv, .json, .ndjson, .txt",
            _ => return Ok(None),
        };
        let name = file.display();
        Err(Failure::usage(format!(
            "{name} is named like a format that this program does not write"
        ))
        .hint(format!("{hint}; -o FORMAT writes that format, whatever the file is called")))
    }

    /// Returns what it is called on the command line.
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Names of formats in which people keep records, too.
const OTHERS: &[&str] = &[
    "arrow", "avro", "db", "htm", "html", "md", "parquet", "pdf", "sql", "sqlite", "toml", "xml",
    "yaml", "yml",
];
