//! The command line of the generator, for its own program and for the tasks of a workspace.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::config::{self, Config, Workspace};
use crate::diag::{Report, suggestion};
use crate::diff;
use crate::init::{Init, Runtime, Started};
use crate::output::{Drift, Output};

/// Runs the command in the arguments, which do not include the name of the program. The workspace is the nearest one
/// that contains `folder`.
///
/// ```
/// let here = std::path::Path::new("../../..");
/// let outcome = methodical_codegen::cli::run(&["generate".to_owned(), "--check".to_owned()], here);
/// assert!(outcome.stdout.ends_with(" generated files, all up to date\n"));
/// ```
pub fn run(args: &[String], folder: &Path) -> Outcome {
    command(args, folder).unwrap_or_else(|failure| failure)
}

fn command(args: &[String], folder: &Path) -> Result<Outcome, Outcome> {
    let mut words: Vec<_> = args.iter().map(String::as_str).collect();
    let folder = option(&mut words, "--root")?.map_or(folder, Path::new);
    let spec = option(&mut words, "--spec")?;
    let runtime = match ["--runtime-path", "--runtime-git"].map(|name| option(&mut words, name)) {
        [Ok(Some(_)), Ok(Some(_))] => {
            return Err(usage("cannot use both `--runtime-path` and `--runtime-git`: choose one"));
        }
        [path, url] => path?.map(Runtime::Path).or(url?.map(Runtime::Git)),
    };
    if words.iter().any(|word| matches!(*word, "-h" | "--help" | "help")) {
        return Ok(Outcome::fine(HELP));
    }
    let is_root = |folder: &&Path| config::files(folder).is_ok_and(|files| !files.is_empty());
    let root = folder.ancestors().find(is_root).unwrap_or(folder);
    match words.as_slice() {
        ["init", name] if !name.starts_with('-') => init(&Init { name, folder, spec }, runtime),
        ["init", ..] => Err(usage("`init` needs one name, such as `init photos`")),
        ["add", name] if !name.starts_with('-') => add(&Init { name, folder, spec }, root, runtime),
        ["add", ..] => Err(usage("`add` needs one name, such as `add albums`")),
        _ if spec.is_some() || runtime.is_some() => {
            Err(usage("only `init` and `add` have these options"))
        }
        ["generate"] => write(root),
        ["generate", "--check"] => check_files(root),
        ["spec", "diff", rest @ ..] if rest.len() <= 2 => diff(root, rest),
        [] => Err(usage("a command is missing")),
        ["spec", other, ..] => Err(unknown(other, &["diff"])),
        ["spec"] => Err(usage("`spec` needs a command: `diff`")),
        ["generate", other, ..] => Err(unknown(other, &["--check"])),
        [other, ..] => Err(unknown(other, &["init", "add", "generate", "spec", "help"])),
    }
}

/// Takes an option out of the arguments, and returns its value. Both are two arguments, or one with `=`.
fn option<'a>(words: &mut Vec<&'a str>, name: &str) -> Result<Option<&'a str>, Outcome> {
    let mut given = words.iter().map(|word| word.split_once('=').map_or(*word, |(name, _)| name));
    let Some(index) = given.position(|given| given == name) else { return Ok(None) };
    match words.remove(index).split_once('=') {
        Some((_, value)) => Ok(Some(value)),
        None if index < words.len() => Ok(Some(words.remove(index))),
        None => Err(usage(&format!("`{name}` needs a value"))),
    }
}

const HELP: &str = "\
Generates models, clients, mocks, programs and documents of a method-dispatched gateway from its spec.

Usage: methodical-codegen COMMAND

  init NAME               start a workspace for an API in the folder NAME: spec, model, client,
                          mocks, program and tests
  add NAME                add another service to a workspace: its spec in spec/NAME/, and the crates
                          NAME-model, NAME-client, NAME-testkit and NAME-cli
  generate                check the spec and write the generated files
  generate --check        check the spec and compare the generated files; write nothing

  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), and
                          the versions that they require; fail if the version of the spec is
                          too low

Options of init and add:
  --spec FILE             copy this spec and its fixtures; default: a small spec to edit
  --runtime-path DIR      use the runtime crates in DIR, a checkout of their workspace; only for init
  --runtime-git URL       use the runtime crates in a Git repository; only for init

Options:
  --root DIR              use the workspace in DIR; default: the nearest one that contains the
                          current folder
  -h, --help              print this help

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec, its
configuration or the command line is invalid, and no file was changed.
";

/// Reads the services. If a configuration or a spec is invalid, returns the outcome of the command as the error, after
/// reading all specs.
fn services(root: &Path) -> Result<Vec<Workspace>, Outcome> {
    let (mut services, mut errors) = (Vec::new(), Vec::new());
    for config in config::read_all(root)? {
        match Workspace::of(root, config) {
            Ok(service) => services.push(service),
            Err(report) => errors.push(printed(&report)),
        }
    }
    if errors.is_empty() { Ok(services) } else { Err(Outcome::failed(2, errors.join("\n"))) }
}

/// Reads the services and generates their files.
fn generated(root: &Path) -> Result<Vec<(Workspace, Output)>, Outcome> {
    let services = services(root)?.into_iter();
    let outputs = services.map(|one| one.generate().map(|output| (one, output)));
    Ok(outputs.collect::<io::Result<_>>()?)
}

fn printed(report: &Report) -> String {
    format!("{}\n{}\n", report.text, report.summary())
}

/// The output and the exit code of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
    /// The exit code: 0 for success, 1 if a check failed or a file could not be read or written, 2 if
    /// the spec or the command line is invalid.
    pub code: u8,
}

impl Outcome {
    /// Creates the outcome of a command that succeeded.
    pub fn fine(stdout: impl Into<String>) -> Self {
        Self { stdout: stdout.into(), ..Self::default() }
    }

    /// Creates the outcome of a command that failed.
    pub fn failed(code: u8, stderr: impl Into<String>) -> Self {
        Self { stderr: stderr.into(), code, ..Self::default() }
    }
}

/// The outcome of a command that reads an invalid file.
impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::failed(2, printed(&report))
    }
}

/// The outcome of a command that could not read or write a file.
impl From<io::Error> for Outcome {
    fn from(error: io::Error) -> Self {
        Self::failed(1, format!("error: {error}\n"))
    }
}

/// Returns the outcome of an invalid command line.
pub fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\n`--help` lists the commands.\n"))
}

/// Returns the usage error for an unexpected word: an unknown command, with a suggestion if a known one is similar, or
/// too many arguments if the word itself is known.
pub fn unknown(word: &str, known: &[&str]) -> Outcome {
    usage(&match suggestion(word, known) {
        _ if known.contains(&word) => format!("too many arguments for `{word}`"),
        Some(hint) => format!("unknown command `{word}`; {hint}"),
        None => format!("unknown command `{word}`"),
    })
}

/// Runs `spec diff`.
fn diff(root: &Path, paths: &[&str]) -> Result<Outcome, Outcome> {
    let configs = config::read_all(root)?;
    match (configs.as_slice(), paths) {
        ([config], _) | ([config, ..], [_, _]) => return diff::command(root, config, paths),
        (_, [_, ..]) => {
            return Err(usage("the workspace has several services; pass the old and the new spec"));
        }
        _ => {}
    }
    let mut all = Outcome::default();
    for config in &configs {
        let one = match diff::released(root, config) {
            None => Outcome::fine("no spec was released\n"),
            Some(_) => diff::command(root, config, &[]).unwrap_or_else(|failure| failure),
        };
        let gap = if all.stdout.is_empty() { "" } else { "\n" };
        _ = write!(all.stdout, "{gap}# {}\n{}", config.service(), one.stdout);
        all.stderr.push_str(&one.stderr);
        all.code = all.code.max(one.code);
    }
    if all.code == 0 { Ok(all) } else { Err(all) }
}

/// Runs `generate`.
fn write(root: &Path) -> Result<Outcome, Outcome> {
    // Write no file unless all can be generated.
    let outputs = generated(root)?;
    let (mut stdout, mut changed) = (String::new(), 0);
    for (_, output) in &outputs {
        for (path, drift) in output.write(root)? {
            let what = match drift {
                Drift::Missing => "new    ",
                Drift::Outdated => "changed",
                Drift::Orphan => "removed",
            };
            changed += 1;
            _ = writeln!(stdout, "  {what}  {path}");
        }
    }
    let count = number(&outputs);
    _ = match changed {
        0 => writeln!(stdout, "{count} generated files, all up to date"),
        _ => writeln!(stdout, "{count} generated files; {changed} written or removed"),
    };
    Ok(Outcome::fine(stdout))
}

/// Runs `generate --check`.
fn check_files(root: &Path) -> Result<Outcome, Outcome> {
    let outputs = generated(root)?;
    let mut report = String::new();
    for (Workspace { config: Config { spec, command, .. }, .. }, output) in &outputs {
        let drifts = output.compare(root)?;
        if drifts.is_empty() {
            continue;
        }
        _ = writeln!(report, "error: generated files do not match {spec}:");
        for (path, drift) in &drifts {
            _ = writeln!(report, "  {path}: {drift}");
        }
        _ = writeln!(report, "\nTo update them, run: {command}");
    }
    if !report.is_empty() {
        return Err(Outcome::failed(1, report));
    }
    Ok(Outcome::fine(format!("{} generated files, all up to date\n", number(&outputs))))
}

/// Returns the number of files.
fn number(outputs: &[(Workspace, Output)]) -> usize {
    outputs.iter().map(|(_, output)| output.files().len()).sum()
}

/// Runs `init NAME`.
fn init(init: &Init<'_>, runtime: Option<Runtime<'_>>) -> Result<Outcome, Outcome> {
    let runtime = runtime.ok_or_else(|| usage(NO_RUNTIME))?;
    let name = init.name;
    started_with(init.workspace(runtime), &format!("created {name}/"), |command| {
        format!(
            "  cd {name}\n  cargo run --example demo\n  cargo run -- --demo {command}\n  cargo test\n"
        )
    })
}

/// Runs `add NAME` in the workspace at a root.
fn add(init: &Init<'_>, root: &Path, runtime: Option<Runtime<'_>>) -> Result<Outcome, Outcome> {
    if runtime.is_some() {
        return Err(usage("`add` uses the runtime crates of the workspace; omit `--runtime-…`"));
    }
    let name = init.name;
    started_with(init.add(root), &format!("added {name}"), |command| {
        format!(
            "  cargo run --bin {name} -- --demo {command}\n  cargo test --package {name}-client\n"
        )
    })
}

/// Returns the outcome of a command that starts a service, with the commands to run next.
fn started_with(
    started: Result<Started, Outcome>,
    what: &str,
    next: impl Fn(&str) -> String,
) -> Result<Outcome, Outcome> {
    let Started { workspace, own, generated, command } = started?;
    let (next, Config { spec, command, .. }) = (next(&command), &workspace.config);
    Ok(Outcome::fine(format!(
        "{what} with {own} files of yours and {generated} generated files\n\n\
         Next:\n{next}\nThen edit {spec}, and run: {command}\n"
    )))
}

const NO_RUNTIME: &str = "`init` needs the runtime crates, which are not on crates.io yet; pass \
    `--runtime-path DIR` with a checkout of their workspace, or `--runtime-git URL`";
