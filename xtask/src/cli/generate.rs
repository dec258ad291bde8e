//! `cargo xtask` without a command, and `cargo xtask --check`.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::Outcome;
use crate::cli::service::service;
use crate::output::{Drift, Output, SPEC};

/// Bare `cargo xtask`.
pub(super) fn write(root: &Path) -> Outcome {
    let (service, warnings) = match service(root) {
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
                "warning: `{path}` is in a folder for generated files; move it elsewhere"
            ),
        };
    }
    let changed = drifts.iter().filter(|(_, drift)| *drift != Drift::Stray).count();
    _ = match changed {
        0 => writeln!(stdout, "{count} generated files, all up to date"),
        _ => writeln!(stdout, "{count} generated files; {changed} written or removed"),
    };
    Outcome { stdout, stderr: warnings + &strays, code: 0 }
}

/// `cargo xtask --check`.
pub(super) fn check(root: &Path) -> Outcome {
    let (service, warnings) = match service(root) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let compared = Output::of(&service, root)
        .and_then(|output| output.compare(root).map(|drifts| (drifts, output.files().len())));
    match compared {
        Ok((drifts, count)) if drifts.is_empty() => Outcome {
            stdout: format!("{count} generated files, all up to date\n"),
            stderr: warnings,
            code: 0,
        },
        Ok((drifts, _)) => {
            let mut stderr = warnings;
            _ = writeln!(stderr, "error: generated files do not match {SPEC}:");
            for (path, drift) in &drifts {
                _ = writeln!(stderr, "  {path}: {drift}");
            }
            let stray = drifts.iter().any(|(_, drift)| *drift == Drift::Stray);
            stderr.push_str(if stray {
                "\nMove the files that are not generated elsewhere, then run: cargo xtask\n"
            } else {
                "\nTo update them, run: cargo xtask\n"
            });
            Outcome::failed(1, stderr)
        }
        Err(error) => Outcome::failed(1, format!("{warnings}error: {error}\n")),
    }
}
