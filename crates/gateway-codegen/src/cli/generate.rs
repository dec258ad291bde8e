//! The command `generate`, also with `--check`.

use std::fmt::Write as _;

use crate::cli::context::Context;
use crate::cli::outcome::Outcome;
use crate::config::Config;
use crate::output::Drift;

/// Runs `generate`.
pub(super) fn write(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let (workspace, warnings) = cx.workspace()?;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    let output = workspace.generate().map_err(failed)?;
    let drifts = output.write(cx.root).map_err(failed)?;
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

/// Runs `generate --check`.
pub(super) fn check(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let (workspace, warnings) = cx.workspace()?;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    let output = workspace.generate().map_err(failed)?;
    let drifts = output.compare(cx.root).map_err(failed)?;
    if drifts.is_empty() {
        let stdout = format!("{} generated files, all up to date\n", output.files().len());
        return Ok(Outcome { stdout, stderr: warnings, code: 0 });
    }
    let mut stderr = warnings;
    let Config { spec, command, .. } = &workspace.config;
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
