//! The program `gateway-server`: its commands and exit codes.

mod account;
mod data;
mod database;
mod delete;
mod serve;
mod settings;

use std::io::Write as _;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use jiff::Timestamp;

use self::database::Database;
use crate::config::UnixTime;
use crate::error::{Error, with_causes};

/// Serve the recruitment gateway and manage its data.
///
/// Exit codes: 0 success, 1 failure, 2 invalid arguments or input, 3 unusable database, 4 removals not accepted, 5
/// erasure not complete.
#[derive(Debug, Parser)]
#[command(name = "gateway-server", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API until SIGTERM or Ctrl-C.
    Serve(Box<serve::Arguments>),
    /// Create and list accounts.
    #[command(subcommand)]
    Account(account::Command),
    /// Create, list and revoke bearer tokens.
    #[command(subcommand)]
    Token(account::TokenCommand),
    /// Import vacancies, candidates, statuses and credits from files, atomically.
    Import(data::ImportArguments),
    /// Delete records or an account, and erase their bytes from the files of the database.
    #[command(subcommand)]
    Delete(delete::Command),
    /// Set the SMS credit balance of an account.
    #[command(subcommand)]
    Credits(data::CreditsCommand),
    /// Fill an account with invented data; the same seed gives the same data.
    DemoData(data::DemoArguments),
    /// Back up a SQLite database, even while it is in use.
    Backup(database::CopyArguments),
    /// Create a SQLite database from a backup, after checking it.
    Restore(database::CopyArguments),
    /// Check the database for damage.
    Check(Database),
    /// Check whether a running server is ready; exit code 1 if not.
    Health(serve::HealthArguments),
}

/// Runs the program with this process's arguments and returns its exit code.
pub fn main() -> ExitCode {
    let arguments = match parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // This includes help and the version, for which clap chooses the exit code and the stream.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match arguments.command {
        Command::Serve(arguments) => return serve::run(*arguments).unwrap_or_else(failed),
        Command::Account(command) => account::run(command),
        Command::Token(command) => account::run_token(command),
        Command::Import(arguments) => data::import(arguments),
        Command::Delete(command) => delete::run(command),
        Command::Credits(command) => data::credits(command),
        Command::DemoData(arguments) => data::demo(&arguments),
        Command::Backup(arguments) => database::backup(&arguments),
        Command::Restore(arguments) => database::restore(&arguments),
        Command::Check(database) => data::check(&database),
        Command::Health(arguments) => serve::health(&arguments),
    };
    result.map_or_else(failed, |()| ExitCode::SUCCESS)
}

#[expect(clippy::needless_pass_by_value, reason = "an argument of `map_or_else`")]
fn failed(error: Error) -> ExitCode {
    note_notice(&with_causes(&error));
    ExitCode::from(error.kind().exit_code())
}

fn parse() -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    let matches = command.try_get_matches_from_mut(std::env::args_os()).map_err(explain)?;
    if let Some(serve) = matches.subcommand_matches("serve") {
        serve::check(serve).map_err(|error| error.format(&mut command))?;
    }
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Replaces the error for a flag that no longer exists with advice on what to use instead.
fn explain(error: clap::Error) -> clap::Error {
    let flag = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(flag)) => flag.as_str(),
        _ => return error,
    };
    match settings::former(flag) {
        Some(advice) => {
            clap::Error::raw(error.kind(), format!("cannot use {flag}: it was removed; {advice}\n"))
        }
        None => error,
    }
}

/// Writes a message to standard error, on one line.
fn note_notice(text: &str) {
    note(&format!("gateway-server: {text}"));
}

/// Writes a line to standard error. If standard error is closed, the exit code alone reports an error.
fn note(text: &str) {
    drop(std::io::stderr().write_all(format!("{text}\n").as_bytes()));
}

/// Writes text to standard output and flushes it.
fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Writes a table. Each column is as wide as its widest cell.
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

/// Returns a point in time as RFC 3339 in UTC. Times after the year 9999 become the end of that year.
fn show_time(time: UnixTime) -> String {
    let second = time.0.clamp(Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
    Timestamp::from_second(second).map_or_else(|_out_of_range| String::new(), |at| at.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_of_the_arguments_is_valid() {
        Arguments::command().debug_assert();
    }
}
