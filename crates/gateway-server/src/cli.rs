//! The program `gateway-server`: its commands, its messages, its exit codes.

mod account;
mod data;
mod descriptors;
mod serve;
mod settings;
mod token;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::error::{Error, ErrorKind};
#[cfg(feature = "postgres")]
use crate::store::postgres::PostgresStore;
use crate::store::sqlite::SqliteStore;
use crate::store::{STATEMENT_BUDGET, Store};

/// The recruitment gateway service.
///
/// Exit codes: 0 done, 1 it failed, 2 the call or the input names something wrong, 3 the database is refused.
#[derive(Debug, Parser)]
#[command(name = "gateway-server", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the three operations until SIGTERM or Ctrl-C.
    Serve(Box<serve::Arguments>),
    /// Make and list accounts.
    #[command(subcommand)]
    Account(account::Command),
    /// Make, list and revoke bearer tokens.
    #[command(subcommand)]
    Token(token::Command),
    /// Import vacancies, candidates, statuses and credits from files: everything or nothing.
    Import(data::ImportArguments),
    /// Set the SMS credit balance of an account.
    #[command(subcommand)]
    Credits(data::CreditsCommand),
    /// Fill an account with invented data, the same for the same seed.
    DemoData(data::DemoArguments),
    /// Look for damage in the database.
    Check(Database),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors: clap knows their exit code and their stream.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match arguments.command {
        Command::Serve(arguments) => serve::run(*arguments),
        Command::Account(command) => account::run(command),
        Command::Token(command) => token::run(command),
        Command::Import(arguments) => data::import(arguments),
        Command::Credits(command) => data::credits(command),
        Command::DemoData(arguments) => data::demo(&arguments),
        Command::Check(database) => data::check(&database),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.kind().exit_code())
        }
    }
}

fn parse() -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os())?;
    if let Some(serve) = matches.subcommand_matches("serve") {
        serve::check(serve).map_err(|error| error.format(&mut command))?;
    }
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Which database a command works on.
#[derive(Debug, Args)]
struct Database {
    /// The database: a file, or `postgres://USER@HOST/NAME`. `serve` and `account create` make what is not there.
    #[arg(long, value_name = "FILE|URL", env = "GATEWAY_DATABASE", hide_env_values = true)]
    database: Option<String>,
}

impl Database {
    /// Opens the database, which has to be there: a mistyped name should not become one.
    fn open(&self) -> Result<Arc<dyn Store>, Error> {
        match Named::of(self.database.as_deref())? {
            Named::File(path) => Ok(Arc::new(SqliteStore::open_existing(path)?)),
            #[cfg(feature = "postgres")]
            Named::Url(url) => Ok(Arc::new(PostgresStore::connect_existing(url)?)),
        }
    }

    /// Opens the database, or makes it.
    fn open_or_make(&self) -> Result<Arc<dyn Store>, Error> {
        open_or_make(self.database.as_deref(), STATEMENT_BUDGET)
    }
}

/// Opens or makes a database whose statements may take as long as `budget` where a request waits for them.
fn open_or_make(database: Option<&str>, budget: Duration) -> Result<Arc<dyn Store>, Error> {
    match Named::of(database)? {
        Named::File(path) => Ok(Arc::new(SqliteStore::open(path)?.with_statement_budget(budget))),
        #[cfg(feature = "postgres")]
        Named::Url(url) => Ok(Arc::new(PostgresStore::connect(url)?.with_statement_budget(budget))),
    }
}

/// What names a database.
enum Named<'n> {
    File(&'n str),
    #[cfg(feature = "postgres")]
    Url(&'n str),
}

impl<'n> Named<'n> {
    fn of(database: Option<&'n str>) -> Result<Self, Error> {
        let Some(database) = database else {
            let help = "no database: set --database FILE or GATEWAY_DATABASE";
            return Err(Error::new(ErrorKind::Config, help));
        };
        if !database.starts_with("postgres://") && !database.starts_with("postgresql://") {
            return Ok(Self::File(database));
        }
        #[cfg(feature = "postgres")]
        return Ok(Self::Url(database));
        #[cfg(not(feature = "postgres"))]
        Err(Error::new(ErrorKind::Config, "this program was built without PostgreSQL"))
    }
}

/// One line with the failure and what caused it.
fn complain(error: &Error) {
    let mut text = format!("gateway-server: {error}");
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    note(&text);
}

/// Writes a line to standard error. If even this stream is closed, the exit code has to say it.
fn note(text: &str) {
    drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
}

/// Writes text to standard output, at once.
fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a table: columns as wide as their widest cell.
fn print_table<const N: usize>(head: [&str; N], rows: &[[String; N]]) -> Result<(), Error> {
    let mut widths = head.map(str::len);
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in std::iter::once(&head.map(str::to_owned)).chain(rows) {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    print(&text)
}

/// Shows a point of time as RFC 3339 in UTC.
fn show_time(time: crate::UnixTime) -> String {
    let days = time.0.div_euclid(86_400);
    let seconds = time.0.rem_euclid(86_400);
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Days since 1970 as a date of the Gregorian calendar, by counting years from March.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::UnixTime;

    #[test]
    fn times() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
        ] {
            assert_eq!(show_time(UnixTime(seconds)), text);
        }
    }

    #[test]
    fn the_arguments_fit_together() {
        Arguments::command().debug_assert();
    }
}
