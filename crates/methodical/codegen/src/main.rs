//! `methodical-codegen`: the program around the library.

use std::env;
use std::io::{self, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let here = env::current_dir().unwrap_or_default();
    let outcome = methodical_codegen::cli::run(&args, &here);
    // A closed pipe (`methodical-codegen --help | head`) is not a failure.
    io::stdout().write_all(outcome.stdout.as_bytes()).ok();
    io::stderr().write_all(outcome.stderr.as_bytes()).ok();
    ExitCode::from(outcome.code)
}
