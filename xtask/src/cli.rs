//! The command line of `cargo xtask`.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    diag::{CODES, closest},
    ir::Service,
    output::{Drift, Output, SPEC},
    spec,
};

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
        [] => regenerate(&root),
        ["--check"] => check(&root),
        ["spec", "check"] => spec_check(&root),
        ["explain", code] => explain(code),
        ["explain"] => codes(),
        [first, ..] => match closest(first, COMMANDS) {
            Some(command) if command != *first => {
                usage(&format!("there is no `{first}`; did you mean `{command}`?"))
            }
            _ => usage(&format!("`{}` is not understood", words.join(" "))),
        },
    }
}

const COMMANDS: &[&str] = &["--check", "spec", "explain", "help"];

const HELP: &str = "\
Tasks of this workspace. With no argument: regenerate everything from spec/gateway.toml.

Usage: cargo xtask [COMMAND]

  (none)                  check the spec, then write what is generated from it
  --check                 write nothing; fail if a generated file is not what the spec says
  spec check              check the spec only
  explain [CODE]          explain a diagnostic, such as GW012; without a code, list them all

Options:
  --root DIR              the workspace, if not the one that holds this program
  -h, --help              this text

Exit codes: 0 fine; 1 a check failed or a file could not be written; 2 the spec or the command
line is wrong, and no file was touched.
";

fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\nRun `cargo xtask --help` for the commands.\n"))
}

/// The service, with the report of its warnings; or how the program ends without it.
fn read(root: &Path) -> Result<(Service, String), Outcome> {
    let reading = spec::read_file(&root.join(SPEC), SPEC);
    let count = |number: usize, what: &str| match number {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{number} {what}s")),
    };
    let counts = [count(reading.errors, "error"), count(reading.warnings, "warning")];
    let summary = counts.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let mut report = reading.report;
    if !summary.is_empty() {
        _ = write!(report, "\n{SPEC}: {summary}; `cargo xtask explain CODE` says more\n");
    }
    match reading.service {
        Some(service) => Ok((service, report)),
        None => Err(Outcome::failed(2, report)),
    }
}

fn regenerate(root: &Path) -> Outcome {
    let (service, warnings) = match read(root) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let written = Output::of(&service, root).and_then(|output| {
        let count = output.files().len();
        output.write(root).map(|drifts| (drifts, count))
    });
    let (drifts, count) = match written {
        Ok(written) => written,
        Err(error) => return Outcome::failed(1, format!("{warnings}error: {error}\n")),
    };
    let mut stdout = String::new();
    let mut strays = String::new();
    for (path, drift) in &drifts {
        _ = match drift {
            Drift::Missing => writeln!(stdout, "  new      {path}"),
            Drift::Outdated => writeln!(stdout, "  changed  {path}"),
            Drift::Edited => writeln!(stdout, "  changed  {path} (was edited by hand)"),
            Drift::Orphan => writeln!(stdout, "  removed  {path}"),
            Drift::Stray => writeln!(
                strays,
                "warning: `{path}` stands among generated files; move it elsewhere"
            ),
        };
    }
    let changed = drifts.iter().filter(|(_, drift)| *drift != Drift::Stray).count();
    _ = match changed {
        0 => writeln!(stdout, "{count} generated files, all up to date"),
        _ => writeln!(stdout, "{count} generated files, {changed} of them touched"),
    };
    Outcome { stdout, stderr: warnings + &strays, code: 0 }
}

fn check(root: &Path) -> Outcome {
    let (service, warnings) = match read(root) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let compared = Output::of(&service, root)
        .and_then(|output| output.compare(root).map(|drifts| (drifts, output.files().len())));
    match compared {
        Ok((drifts, count)) if drifts.iter().all(|(_, drift)| *drift == Drift::Stray) => Outcome {
            stdout: format!("{count} generated files, all up to date\n"),
            stderr: warnings,
            code: 0,
        },
        Ok((drifts, _)) => {
            let mut stderr = warnings;
            _ = writeln!(stderr, "error: generated files are not what {SPEC} says:");
            for (path, drift) in &drifts {
                _ = writeln!(stderr, "  {path}: {drift}");
            }
            let stray = drifts.iter().any(|(_, drift)| *drift == Drift::Stray);
            stderr.push_str(if stray {
                "\nMove what is not generated elsewhere, then run: cargo xtask\n"
            } else {
                "\nTo mend it, run: cargo xtask\n"
            });
            Outcome::failed(1, stderr)
        }
        Err(error) => Outcome::failed(1, format!("{warnings}error: {error}\n")),
    }
}

fn spec_check(root: &Path) -> Outcome {
    match read(root) {
        Ok((service, stderr)) => {
            let stdout = format!(
                "{SPEC}: fine. {} operations, {} models, {} scalars, {} enums, {} examples, {} open points\n",
                service.operations.len(),
                service.models.len(),
                service.scalars.len(),
                service.enums.len(),
                service.examples.len(),
                service.open_points.len(),
            );
            Outcome { stdout, stderr, code: 0 }
        }
        Err(outcome) => outcome,
    }
}

fn explain(code: &str) -> Outcome {
    let ids: Vec<_> = CODES.iter().map(|code| code.id).collect();
    match CODES.iter().find(|known| known.id.eq_ignore_ascii_case(code)) {
        Some(code) => {
            let level = if code.warning { "warning" } else { "error" };
            Outcome::fine(format!(
                "{level}[{}]: {}\n\n{}\n",
                code.id,
                code.title,
                wrapped(code.explanation)
            ))
        }
        None => usage(&match closest(code, &ids) {
            Some(id) => format!("there is no code `{code}`; did you mean `{id}`?"),
            None => format!("there is no code `{code}`; `cargo xtask explain` lists them"),
        }),
    }
}

fn codes() -> Outcome {
    let lines = CODES.iter().map(|code| format!("{}  {}\n", code.id, code.title));
    Outcome::fine(lines.collect::<String>())
}

fn wrapped(text: &str) -> String {
    let mut out = String::new();
    for (index, paragraph) in text.split("\n\n").enumerate() {
        out.push_str(if index > 0 { "\n\n" } else { "" });
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > 80 {
                out.push('\n');
                column = 0;
            } else if column > 0 {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += length;
        }
    }
    out
}
