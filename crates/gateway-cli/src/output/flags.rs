//! The output flags that every command takes.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::output::select::Filter;
use crate::output::{Format, separator};
use crate::screen::Color;

/// How the output looks, and where it goes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    /// Print as this format [default: table on a terminal, else json].
    ///
    /// With --output-file the name decides: .csv, .ndjson, .txt, else JSON. A JSON array that was
    /// cut is not valid JSON, so a program that reads it notices; a cut NDJSON file is only short.
    #[arg(short, long, global = true, value_name = "FORMAT", hide_possible_values = false)]
    pub(crate) output: Option<Format>,

    /// Print only these fields, such as `id,name,portal.name`.
    #[arg(long, global = true, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) fields: Option<Vec<String>>,

    /// Print only records with FIELD=TEXT (exactly) or FIELD~TEXT (a part, in any case).
    ///
    /// Records are chosen here, after they came; several filters must all hold.
    #[arg(long, global = true, value_name = "FIELD=TEXT", value_parser = Filter::parse)]
    pub(crate) filter: Vec<Filter>,

    /// Sort by these fields; `-FIELD` is largest first. Keeps the whole list in memory.
    #[arg(
        long,
        global = true,
        value_name = "FIELDS",
        value_delimiter = ',',
        allow_hyphen_values = true
    )]
    pub(crate) sort: Option<Vec<String>>,

    /// Write to a file, which is there whole or not at all; `-` is standard output.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) output_file: Option<PathBuf>,

    /// Leave CSV cells that a spreadsheet would run as formulas as they are.
    #[arg(long, global = true)]
    pub(crate) csv_raw: bool,

    /// Write CSV as Excel opens it: marked as UTF-8, with the list separator of the locale.
    ///
    /// The locale is what `LC_ALL`, `LC_NUMERIC` or `LANG` says; where it says nothing, as on Windows, the separator is a
    /// comma. If Excel puts everything into one column, it expects another: `--separator ';'`.
    #[arg(long, global = true)]
    pub(crate) excel: bool,

    /// Write CSV with this between cells: `,` `;` `|` `:` or `tab`.
    #[arg(long, global = true, value_name = "CHAR", value_parser = separator::parse)]
    pub(crate) separator: Option<char>,

    /// Say nothing besides data and errors.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// When to print in colour; `NO_COLOR` is respected.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}

impl OutputFlags {
    /// Returns the file to write, if the output goes to one.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output_file.as_deref().filter(|file| file.as_os_str() != "-")
    }
}
