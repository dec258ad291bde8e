//! `gateway-codegen`: the program around the library.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let outcome = gateway_codegen::cli::run(&args, &root());
    // A closed pipe (`cargo xtask explain | head`) is not a failure.
    io::stdout().write_all(outcome.stdout.as_bytes()).ok();
    io::stderr().write_all(outcome.stderr.as_bytes()).ok();
    ExitCode::from(outcome.code)
}

/// Returns the nearest parent folder with a configuration.
fn root() -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let found =
        here.ancestors().find(|folder| folder.join(gateway_codegen::config::FILE).is_file());
    found.unwrap_or_else(|| Path::new(".")).to_owned()
}
