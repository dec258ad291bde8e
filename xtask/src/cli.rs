//! The command line of `cargo xtask`.

use std::path::{Path, PathBuf};

use crate::cli::outcome::{unknown, usage};

mod checks;
mod explain;
mod generate;
mod outcome;
mod service;
mod specs;

pub use crate::cli::outcome::Outcome;

/// Runs the command that the arguments name, without the name of the program.
pub fn run(args: &[String], root: &Path) -> Outcome {
    let mut root = root.to_owned();
    let mut words = Vec::new();
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match arg {
            "-h" | "--help" | "help" => return Outcome::fine(HELP),
            "--root" => match rest.next() {
                Some(folder) => root = PathBuf::from(folder),
                None => return usage("`--root` takes a folder"),
            },
            word => words.push(word),
        }
    }
    match words.as_slice() {
        [] => generate::write(&root),
        ["--check"] => generate::check(&root),
        ["spec", "check"] => specs::check(&root),
        ["spec", "diff", rest @ ..] if rest.len() <= 2 => specs::diff(&root, rest),
        ["spec", "show", rest @ ..] if rest.len() <= 1 => specs::show(&root, rest.first().copied()),
        ["explain"] => explain::list(),
        ["explain", code] => explain::one(code),
        ["layers"] => checks::layers(&root),
        ["transports"] => checks::transports(&root),
        ["ci"] => checks::ci(&root),
        ["spec"] => usage("`spec` takes a command: `check`, `diff` or `show`"),
        ["spec", other, ..] => unknown(other, &["check", "diff", "show"]),
        [first, ..] => {
            unknown(first, &["--check", "spec", "explain", "layers", "transports", "ci", "help"])
        }
    }
}

const HELP: &str = "\
Tasks of this workspace. With no argument: regenerate everything from spec/gateway.toml.

Usage: cargo xtask [COMMAND]

  (none)                  check the spec, then write what is generated from it
  --check                 write nothing; fail if a generated file is not what the spec says

  spec check              check the spec only
  spec diff [OLD [NEW]]   what changed since OLD (the last released spec), whom it breaks,
                          and which versions it asks for; fail if the spec's is too low
  spec show [OPERATION]   all there is to know about an operation, on one screen
  explain [CODE]          explain a diagnostic, such as GW012; without a code, list them all

  layers                  check which crate uses which
  transports              run the conformance kit on every transport; write docs/transports.md
  ci                      everything that must hold before a change is merged (.ci/run)

Options:
  --root DIR              the workspace, if not the one that holds this program
  -h, --help              this text

Exit codes: 0 fine; 1 a check failed or a file could not be written; 2 the spec or the command
line is wrong, and no file was touched.
";
