//! The `gateway` program with Parquet and object stores.

use std::error::Error as _;
use std::process::ExitCode;

use gateway_cli::core::{Failure, Program};
use methodical_export::mirror::Mirror;
use methodical_export::mirror::model::tables::Table;
use methodical_export::{Copy, Error, ErrorKind, Place};

mod parquet_format;
mod upload;

fn main() -> ExitCode {
    // Only the owner may read files with personal data, even those that a library creates.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let program = Program {
        formats: &[parquet_format::PARQUET],
        uploader: Some(upload::open),
        exporter: Some(copy),
        ..gateway_cli::program()
    };
    gateway_cli::run(&program)
}

fn copy(
    mirror: &mut Mirror,
    tables: &[&'static Table],
    to: &str,
) -> Result<Vec<(String, u64)>, Failure> {
    let copy = Copy::new(tables);
    let tables = Place::open(to).and_then(|place| copy.run(mirror, &place));
    tables.map_err(|error| explained(&error))
}

/// Converts an error of the export to the failure that ends the program.
pub(crate) fn explained(error: &Error) -> Failure {
    let failed = if error.kind() == ErrorKind::Url { Failure::usage } else { Failure::unwritten };
    let mut failure = failed(error.to_string());
    let mut source = error.source();
    while let Some(cause) = source {
        failure = failure.because(cause.to_string());
        source = cause.source();
    }
    failure
}
