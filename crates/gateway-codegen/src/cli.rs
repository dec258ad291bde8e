//! The command line of the generator.

use std::path::{Path, PathBuf};

mod explain;
mod generate;
mod outcome;
mod service;
mod specs;

pub use crate::cli::outcome::{Outcome, unknown, usage};

/// Runs the command in the arguments, which do not include the name of the program.
pub fn run(args: &[String], root: &Path) -> Outcome {
    let mut root = root.to_owned();
    let mut words = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match arg {
            "-h" | "--help" | "help" => return Outcome::fine(HELP),
            "--root" => match rest.next() {
                Some(folder) => root = PathBuf::from(folder),
                None => return usage("`--root` needs a folder"),
            },
            word => words.push(word),
        }
    }
    let outcome = match words.as_slice() {
        [] => generate::write(&root),
        ["--check"] => generate::check(&root),
        ["spec", "check"] => specs::check(&root),
        ["spec", "diff", rest @ ..] if rest.len() <= 2 => specs::diff(&root, rest),
        ["spec", "show", rest @ ..] if rest.len() <= 1 => specs::show(&root, rest.first().copied()),
        words => return without_spec(words),
    };
    outcome.unwrap_or_else(|failure| failure)
}

/// Runs a command that does not read the spec.
fn without_spec(words: &[&str]) -> Outcome {
    match words {
        ["explain"] => explain::list(),
        ["explain", code] => explain::one(code),
        ["spec"] => usage("`spec` needs a command: `check`, `diff` or `show`"),
        ["spec", other, ..] => unknown(other, &["check", "diff", "show"]),
        words => {
            let first = words.first().copied().unwrap_or_default();
            unknown(first, &["--check", "spec", "explain", "help"])
        }
    }
}

const HELP: &str = "\
Generator of method-dispatched gateways. Without a command, write all generated files from spec/gateway.toml.

Usage: gateway-codegen [COMMAND]

  (none)                  check the spec and write the generated files
  --check                 check the spec and compare the generated files; write nothing

  spec check              check only the spec
  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), the
                          crates that they affect, and the versions that they require; fail
                          if the version of the spec is too low
  spec show [OPERATION]   describe an operation on one screen; without a name, list all
  explain [CODE]          explain a diagnostic such as GW012; without a code, list all

Options:
  --root DIR              use the workspace in DIR
  -h, --help              print this help

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec or the
command line is invalid, and no file was changed.
";
