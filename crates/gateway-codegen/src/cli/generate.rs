//! The command `generate`, also with `--check`.

use std::fmt::Write as _;

use crate::cli::context::Context;
use crate::cli::outcome::Outcome;
use crate::config::Config;
use crate::output::{Drift, Error, Output};
use crate::workspace::Workspace;

/// Runs `generate`.
pub(super) fn write(cx: &Context<'_>) -> Result<Outcome, Outcome> {
    let (services, warnings) = cx.services()?;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    // No file is written unless all can be generated.
    let outputs = generated(&services).map_err(failed)?;
    let mut drifts = Vec::new();
    for output in &outputs {
        drifts.extend(output.write(cx.root).map_err(failed)?);
    }
    let count = number(&outputs);
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
    let (services, warnings) = cx.services()?;
    let failed = |error| Outcome::failed(1, format!("{warnings}error: {error}\n"));
    let outputs = generated(&services).map_err(failed)?;
    let mut report = String::new();
    for (output, Workspace { config, .. }) in outputs.iter().zip(&services) {
        let drifts = output.compare(cx.root).map_err(failed)?;
        if !drifts.is_empty() {
            differences(&mut report, &drifts, config);
        }
    }
    if !report.is_empty() {
        return Err(Outcome::failed(1, warnings + &report));
    }
    let stdout = format!("{} generated files, all up to date\n", number(&outputs));
    Ok(Outcome { stdout, stderr: warnings, code: 0 })
}

/// Writes the differences between the files of a service and its spec.
fn differences(report: &mut String, drifts: &[(String, Drift)], config: &Config) {
    let Config { spec, command, .. } = config;
    _ = writeln!(report, "error: generated files do not match {spec}:");
    for (path, drift) in drifts {
        _ = writeln!(report, "  {path}: {drift}");
    }
    let advice = if drifts.iter().any(|(_, drift)| *drift == Drift::Stray) {
        "Move the files that are not generated elsewhere, then run"
    } else {
        "To update them, run"
    };
    _ = writeln!(report, "\n{advice}: {command}");
}

fn generated(services: &[Workspace]) -> Result<Vec<Output>, Error> {
    services.iter().map(Workspace::generate).collect()
}

/// Returns the number of files.
fn number(outputs: &[Output]) -> usize {
    outputs.iter().map(|output| output.files().len()).sum()
}
