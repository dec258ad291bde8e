//! The commands `init` and `add`.

use std::path::Path;

use crate::cli::args::InitOptions;
use crate::cli::context::Context;
use crate::cli::outcome::{Outcome, usage};
use crate::init::runtime::Runtime;
use crate::init::{Failure, Init, Started};

/// Runs `init NAME` in a folder.
pub(super) fn run(
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
        return Err(usage("the folder of `--runtime-path` has no crates/gateway-model-core"));
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
