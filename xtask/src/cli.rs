//! The command line of `cargo xtask`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::diag::closest;
use crate::ir::Service;
use crate::output::SPEC;
use crate::spec;

mod checks;
mod explain;
mod generate;
mod specs;

/// What a command has to say, and how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code: 0 fine, 1 a check failed or a file could not be written, 2 the spec or the
    /// command line is wrong.
    pub code: u8,
}

impl Outcome {
    fn fine(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    fn failed(code: u8, stderr: impl Into<String>) -> Self {
        Self { stderr: stderr.into(), code, ..Self::default() }
    }
}

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

fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\nRun `cargo xtask --help` for the commands.\n"))
}

fn unknown(word: &str, known: &[&str]) -> Outcome {
    usage(&match closest(word, known) {
        Some(known) if known != word => format!("there is no `{word}`; did you mean `{known}`?"),
        _ => format!("`{word}` is not understood"),
    })
}

/// The service of a workspace with the report of its warnings; or how the program ends without it.
fn service(root: &Path) -> Result<(Service, String), Outcome> {
    accepted(spec::read_file(&root.join(SPEC), SPEC), SPEC)
}

fn accepted(reading: spec::Reading, shown: &str) -> Result<(Service, String), Outcome> {
    let count = |number: usize, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{number} {what}s")),
    };
    let counts = [count(reading.errors, "error"), count(reading.warnings, "warning")];
    let summary = counts.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let mut report = reading.report;
    if !summary.is_empty() {
        _ = write!(report, "\n{shown}: {summary}; `cargo xtask explain CODE` says more\n");
    }
    match reading.service {
        Some(service) => Ok((service, report)),
        None => Err(Outcome::failed(2, report)),
    }
}
