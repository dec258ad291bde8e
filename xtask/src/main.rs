//! `cargo xtask`: the program around the library.

use std::env;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> =
        env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    let outcome = xtask::cli::run(&args, &root());
    // A closed pipe (`cargo xtask --help | head`) is not a failure.
    io::stdout().write_all(outcome.stdout.as_bytes()).ok();
    io::stderr().write_all(outcome.stderr.as_bytes()).ok();
    ExitCode::from(outcome.code)
}

/// Returns the folder of the workspace: the parent of this package.
fn root() -> PathBuf {
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    Path::new(&package).parent().unwrap_or_else(|| Path::new(".")).to_owned()
}
