//! The commands `generate`, `init` and `add`.

use std::fmt::Write as _;
use std::path::Path;

use crate::cli::{Context, InitOptions, Outcome, usage};
use crate::config::Config;
use crate::init::place::Runtime;
use crate::init::{Failure, Init, Started};
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
pub(super) fn check_files(cx: &Context<'_>) -> Result<Outcome, Outcome> {
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

/// Runs `init NAME` in a folder.
pub(super) fn init(
    cx: &Context<'_>,
    name: &str,
    options: &InitOptions<'_>,
    parent: &Path,
) -> Result<Outcome, Outcome> {
    let runtime = match (options.runtime_path, options.runtime_git) {
        (Some(path), None) => Runtime::Path(path),
        (None, Some(url)) => Runtime::Git(url),
        (Some(_), Some(_)) => {
            return Err(usage("`--runtime-path` and `--runtime-git` exclude each other"));
        }
        (None, None) => return Err(usage(NO_RUNTIME)),
    };
    if !runtime.exists(parent) {
        return Err(usage("the folder of `--runtime-path` has no crates/methodical/model"));
    }
    let init = Init { name, folder: parent, spec: options.spec };
    let Started { workspace, own, generated, command } =
        init.workspace(&runtime).map_err(|failure| outcome(cx, failure))?;
    let stdout = format!(
        "created {name}/ with {own} files of yours and {generated} generated files\n\n\
         Next:\n  \
         cd {name}\n  \
         cargo run --example demo\n  \
         cargo run -- --demo {command}\n  \
         cargo test\n\n\
         Then edit {}, and run: {}\n",
        workspace.config.spec, workspace.config.command
    );
    Ok(Outcome { stdout, stderr: cx.printed(&workspace.warnings), code: 0 })
}

/// Runs `add NAME` in a folder.
pub(super) fn add(
    cx: &Context<'_>,
    name: &str,
    options: &InitOptions<'_>,
    folder: &Path,
) -> Result<Outcome, Outcome> {
    if options.runtime_path.or(options.runtime_git).is_some() {
        return Err(usage("`add` uses the runtime crates of the workspace; omit `--runtime-…`"));
    }
    let init = Init { name, folder, spec: options.spec };
    let Started { workspace, own, generated, command } =
        init.add(cx.root).map_err(|failure| outcome(cx, failure))?;
    let stdout = format!(
        "added {name} with {own} files of yours and {generated} generated files\n\n\
         Next:\n  \
         cargo run --bin {name} -- --demo {command}\n  \
         cargo test --package {name}-client\n\n\
         Then edit {}, and run: {}\n",
        workspace.config.spec, workspace.config.command
    );
    Ok(Outcome { stdout, stderr: cx.printed(&workspace.warnings), code: 0 })
}

fn outcome(cx: &Context<'_>, failure: Failure) -> Outcome {
    match failure {
        Failure::Argument(message) => usage(&message),
        Failure::Spec(report) => cx.rejected(&report),
        Failure::Output(error) => Outcome::failed(1, format!("error: {error}\n")),
    }
}

const NO_RUNTIME: &str = "`init` needs the runtime crates, which are not on crates.io yet; pass \
    `--runtime-path DIR` with a checkout of their workspace, or `--runtime-git URL`";
