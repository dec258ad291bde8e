//! `cargo xtask` without a command, and `cargo xtask --check`.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::outcome::Outcome;
use crate::cli::service::load;
use crate::config::Config;
use crate::output::{Drift, Output};

/// Runs `cargo xtask` without a command.
pub(super) fn write(root: &Path) -> Result<Outcome, Outcome> {
    let loaded = load(root)?;
    let warnings = &loaded.warnings;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    let output = Output::of(&loaded.project(), root).map_err(failed)?;
    let drifts = output.write(root).map_err(failed)?;
    let count = output.files().len();
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
    Ok(Outcome { stdout, stderr: format!("{warnings}{strays}"), code: 0 })
}

/// Runs `cargo xtask --check`.
pub(super) fn check(root: &Path) -> Result<Outcome, Outcome> {
    let loaded = load(root)?;
    let warnings = &loaded.warnings;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    let output = Output::of(&loaded.project(), root).map_err(failed)?;
    let drifts = output.compare(root).map_err(failed)?;
    if drifts.is_empty() {
        let stdout = format!("{} generated files, all up to date\n", output.files().len());
        return Ok(Outcome { stdout, stderr: loaded.warnings, code: 0 });
    }
    let mut stderr = warnings.clone();
    let Config { spec, command, .. } = &loaded.config;
    _ = writeln!(stderr, "error: generated files do not match {spec}:");
    for (path, drift) in &drifts {
        _ = writeln!(stderr, "  {path}: {drift}");
    }
    let advice = if drifts.iter().any(|(_, drift)| *drift == Drift::Stray) {
        "Move the files that are not generated elsewhere, then run"
    } else {
        "To update them, run"
    };
    _ = writeln!(stderr, "\n{advice}: {command}");
    Err(Outcome::failed(1, stderr))
}
