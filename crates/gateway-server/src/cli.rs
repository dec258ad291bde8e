//! The program `gateway-server`: its commands, its messages, its exit codes.

mod serve;

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::error::Error;

/// The recruitment gateway service.
#[derive(Debug, Parser)]
#[command(name = "gateway-server", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the three operations until SIGTERM or Ctrl-C.
    Serve(serve::Arguments),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are no errors: clap knows their exit code and their stream.
            drop(error.print());
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match arguments.command {
        Command::Serve(arguments) => serve::run(arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.kind().exit_code())
        }
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
    text.push('\n');
    // If even this stream is closed, the exit code has to say it.
    drop(std::io::stderr().write_all(text.as_bytes()));
}

/// Writes lines to standard output, at once.
fn print(text: &str) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
