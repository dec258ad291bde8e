//! The flags that every command takes.

use std::path::{Path, PathBuf};

use clap::{ArgAction, Args};

use crate::args::seconds;
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

/// Which service is asked, and with which token.
#[cfg_attr(feature = "demo", expect(clippy::struct_excessive_bools, reason = "each is a flag"))]
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Service")]
pub(crate) struct ServiceFlags {
    /// The base URL of the service (or `GATEWAY_BASE_URL`).
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) base_url: Option<String>,

    /// The profile with the settings to use (or `GATEWAY_PROFILE`).
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) profile: Option<String>,

    /// Read the access token from a file that only you can read; `-` is standard input (or `GATEWAY_TOKEN_FILE`).
    #[arg(long, global = true, value_name = "FILE", conflicts_with = "token_stdin")]
    pub(crate) token_file: Option<PathBuf>,

    /// Read the access token from standard input.
    #[arg(long, global = true)]
    pub(crate) token_stdin: bool,

    /// Allow plain http to another machine, over which the token can be read.
    #[arg(long, global = true)]
    pub(crate) allow_insecure_http: bool,

    /// Wait at most this long for an answer, with retries; for a list, until its last record.
    ///
    /// Without it, an answer may take 60 s, each of its attempts 30 s, and a list one hour.
    #[arg(long, global = true, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) timeout: Option<u64>,

    /// Ask a sample service that runs only for this command.
    #[cfg(feature = "demo")]
    #[arg(long, global = true)]
    pub(crate) demo: bool,

    /// Print the request as a `curl` command and send nothing.
    #[arg(long, global = true)]
    pub(crate) dry_run: bool,

    /// Say on standard error what is sent and what comes back, how much and how fast; -vv says the headers too. Never the
    /// token.
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl ServiceFlags {
    /// Returns whether the sample service is asked.
    #[cfg_attr(
        not(feature = "demo"),
        expect(clippy::unused_self, reason = "this program has no sample service")
    )]
    pub(crate) const fn is_demo(&self) -> bool {
        #[cfg(feature = "demo")]
        let demo = self.demo;
        #[cfg(not(feature = "demo"))]
        let demo = false;
        demo
    }
}
