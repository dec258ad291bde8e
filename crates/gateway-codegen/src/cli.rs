//! The command line of the generator, for its own program and for the tasks of a workspace.

use std::path::Path;

mod args;
mod context;
mod explain;
mod generate;
mod init;
mod outcome;
mod specs;
mod upgrade;

use crate::cli::args::{Args, InitOptions};
use crate::cli::context::Context;
pub use crate::cli::outcome::{Outcome, unknown, usage};
use crate::configs;

/// Runs the command in the arguments, which do not include the name of the program. Messages name
/// the program as `program`. The workspace is the nearest one that contains `folder`.
///
/// ```
/// let here = std::path::Path::new(".");
/// let outcome = gateway_codegen::cli::run("cargo codegen", &["explain".to_owned()], here);
/// assert!(outcome.stdout.contains("GW003  unknown key\n"));
/// ```
pub fn run(program: &str, args: &[String], folder: &Path) -> Outcome {
    command(program, args, folder).unwrap_or_else(|failure| failure)
}

fn command(program: &str, args: &[String], folder: &Path) -> Result<Outcome, Outcome> {
    let Args { words, help, root, service, init } = Args::parse(args)?;
    if help {
        return Ok(Outcome::fine(HELP));
    }
    let folder = root.map_or(folder, Path::new);
    let mut parents = folder.ancestors();
    let is_root = |folder: &&Path| configs::files(folder).is_ok_and(|files| !files.is_empty());
    let root = parents.find(is_root).unwrap_or(folder);
    let cx = Context { program, root, service };
    match words.as_slice() {
        ["init", name] if !name.starts_with('-') => init::run(&cx, name, &init, folder),
        ["init", ..] => Err(usage("`init` needs one name, such as `init photos`")),
        ["add", name] if !name.starts_with('-') => init::add(&cx, name, &init, folder),
        ["add", ..] => Err(usage("`add` needs one name, such as `add albums`")),
        _ if init != InitOptions::default() => {
            Err(usage("only `init` and `add` have these options"))
        }
        ["generate"] => generate::write(&cx),
        ["generate", "--check"] => generate::check(&cx),
        ["spec", "check"] => specs::check(&cx),
        ["spec", "diff", rest @ ..] if rest.len() <= 2 => specs::diff(&cx, rest),
        ["spec", "show", rest @ ..] if rest.len() <= 1 => specs::show(&cx, rest.first().copied()),
        ["spec", "upgrade"] => upgrade::write(&cx),
        ["spec", "upgrade", "--print"] => upgrade::print(&cx),
        ["explain"] => Ok(explain::list()),
        ["explain", code] => Ok(explain::one(&cx, code)),
        [] => Err(usage("a command is missing")),
        ["spec"] => Err(usage("`spec` needs a command: `check`, `diff`, `show` or `upgrade`")),
        ["spec", other, ..] => Err(unknown(other, &["check", "diff", "show", "upgrade"])),
        ["generate", other, ..] => Err(unknown(other, &["--check"])),
        [other, ..] => Err(unknown(other, &["init", "add", "generate", "spec", "explain", "help"])),
    }
}

const HELP: &str = "\
Generates models, clients, mocks, programs and documents of a method-dispatched gateway from its spec.

Usage: gateway-codegen COMMAND

  init NAME               start a workspace for an API in the folder NAME: spec, model, client,
                          mocks, program and tests
  add NAME                add another service to a workspace: its spec in spec/NAME/, and the crates
                          NAME-model, NAME-client, NAME-testkit and NAME-cli
  generate                check the spec and write the generated files
  generate --check        check the spec and compare the generated files; write nothing

  spec check              check only the spec
  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), the
                          crates that they affect, and the versions that they require; fail
                          if the version of the spec is too low
  spec show [OPERATION]   describe an operation on one screen; without a name, list all
  spec upgrade            rewrite the spec in the newest version of the language; keep comments
                          and layout
  spec upgrade --print    print the rewritten spec; write nothing
  explain [CODE]          explain a diagnostic such as GW012; without a code, list all

Options of init and add:
  --spec FILE             copy this spec and its fixtures; default: a small spec to edit
  --runtime-path DIR      use the runtime crates in DIR, a checkout of their workspace; only for init
  --runtime-git URL       use the runtime crates in a Git repository; only for init

Options:
  --service NAME          read only this service of a workspace with several, such as `leads` with the
                          spec spec/leads/leads.toml; default: all
  --root DIR              use the workspace in DIR; default: the nearest one that contains the
                          current folder
  -h, --help              print this help

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec, its
configuration or the command line is invalid, and no file was changed.
";
