//! The output flags that every command takes, and the rules for combining them.

use std::path::{Path, PathBuf};

use chrono::{Datelike as _, Days, Local, NaiveDate, NaiveTime, TimeZone as _};
use clap::Args;
use clap::builder::{StringValueParser, TypedValueParser};

use crate::args::positive;
use crate::failure::Failure;
use crate::output::select::{Bound, Filter};
use crate::output::{Format, Formats};
use crate::screen::Screen;

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

    /// Print only records where FIELD equals TEXT (`FIELD~TEXT`: contains TEXT, ignoring case; also `!=` `<` `<=` `>` `>=`).
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

    /// Print only data and errors: no notes, no warnings, no progress line.
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,

    /// Print only records with a date on or after DATE: YYYY-MM-DD, `today`, `yesterday`, `last-week` or `7d`.
    ///
    /// Short for a --filter on the first date field. `today` is the date of this machine, `7d` is 7 days before it, and
    /// `last-week` is the Monday of the week before. Dates of records are compared as they are written, without a
    /// time zone.
    #[arg(long, global = true, value_name = "DATE", value_parser = since)]
    pub(crate) since: Option<Bound>,
}

/// Returns the parser of a field name: `--fields "id, name"` has a space after the comma.
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
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output_file.as_deref().filter(|file| file.as_os_str() != "-")
    }

    /// Returns the requested format: from `-o`, or else the file extension, or else a flag that only one format has.
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
                return Err(Failure::usage(format!(
                    "cannot use {flag}: the output format is {chosen}, not {own}"
                ))
                .hint(format!("remove {flag}, or add -o {own}")));
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

fn since(text: &str) -> Result<Bound, String> {
    Bound::date(&named(text)).ok_or_else(|| EXPECTED.to_owned())
}

/// Parses a day, and returns when it begins on this machine, in seconds since 1970.
pub(crate) fn start_of_day(text: &str) -> Result<i64, String> {
    day(text).map(midnight)
}

/// Parses a day.
pub(crate) fn day(text: &str) -> Result<NaiveDate, String> {
    named(text).parse().map_err(|_not_a_date| EXPECTED.to_owned())
}

/// Returns when a day begins on this machine, in seconds since 1970.
pub(crate) fn midnight(day: NaiveDate) -> i64 {
    let begin = day.and_time(NaiveTime::MIN);
    // Midnight does not exist if the clock is set forward then.
    let local = Local.from_local_datetime(&begin).earliest();
    local.map_or_else(|| begin.and_utc().timestamp(), |begin| begin.timestamp())
}

/// Returns the date of a named day, or of a number of days ago.
fn named(text: &str) -> String {
    let today = Local::now().date_naive();
    let days = match text {
        "today" => Some(0),
        "yesterday" => Some(1),
        "last-week" => Some(7 + u64::from(today.weekday().num_days_from_monday())),
        _ => text.strip_suffix('d').and_then(|days| days.parse().ok()),
    };
    let day = days.and_then(|days| today.checked_sub_days(Days::new(days)));
    day.map_or_else(|| text.to_owned(), |day| day.to_string())
}

const EXPECTED: &str = "expected a date such as 2026-11-30, `today`, `yesterday`, `last-week`, or a number of days such as `7d`";

#[cfg(test)]
mod tests {
    use chrono::{Datelike as _, Days, Local, Weekday};

    use super::{separator, since};

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
        let [yesterday, today] = ["yesterday", "today"].map(|day| since(day).unwrap());
        let now = Local::now().date_naive();
        assert!(yesterday.compare(&now.to_string()).unwrap().is_gt());
        assert!(today.compare(&now.pred_opt().unwrap().to_string()).unwrap().is_lt());
        let ago = |days| now.checked_sub_days(Days::new(days)).unwrap();
        assert_eq!((since("0d"), since("7d")), (since("today"), since(&ago(7).to_string())));
        let monday = (7..14).map(ago).find(|day| day.weekday() == Weekday::Mon).unwrap();
        assert_eq!(since("last-week"), since(&monday.to_string()));
        assert!(since("2026-11-30").is_ok() && since("2026-11").is_ok());
        for wrong in ["", "tomorrow", "2026-11-31", "5", "d", "-7d", "7 d", "99999999999d"] {
            assert!(since(wrong).unwrap_err().contains("such as 2026-11-30"), "{wrong}");
        }
    }
}
