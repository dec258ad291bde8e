//! The command line of the generator, for its own program and for the tasks of a workspace.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use crate::config::{self, Workspace};
use crate::diag::{Report, suggestion};
use crate::output::{Drift, Output};
use crate::text::list;
use crate::{diff, init};

/// Runs the command that the arguments name. They do not include the name of the program. The workspace is the nearest
/// one that contains `folder`.
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
    let runtime = option(&mut words, "--runtime")?;
    if words.iter().any(|word| matches!(*word, "-h" | "--help" | "help")) {
        return Ok(Outcome::fine(HELP));
    }
    let is_root = |folder: &&Path| config::files(folder).is_ok_and(|files| !files.is_empty());
    let root = folder.ancestors().find(is_root).unwrap_or(folder);
    match (words.as_slice(), runtime) {
        (["init", name], Some(runtime)) => init::workspace(name, folder, runtime),
        (["init", _], None) => Err(usage(NO_RUNTIME)),
        (["init", ..], _) => Err(usage("`init` needs one name, such as `init photos`")),
        (_, Some(_)) => Err(usage("only `init` has the option `--runtime`")),
        (["add", name], _) => init::add(name, root),
        (["add", ..], _) => Err(usage("`add` needs one name, such as `add albums`")),
        (["generate"], _) => write(root),
        (["generate", "--check"], _) => check_files(root),
        (["spec", "diff", rest @ ..], _) if rest.len() <= 2 => diff(root, rest),
        ([], _) => Err(usage("a command is missing")),
        (["spec", other, ..], _) => Err(unknown(other, &["diff"])),
        (["spec"], _) => Err(usage("`spec` needs a command: `diff`")),
        (["generate", other, ..], _) => Err(unknown(other, &["--check"])),
        ([other, ..], _) => Err(unknown(other, &["init", "add", "generate", "spec", "help"])),
    }
}

/// Removes an option and its value from the arguments and returns the value; `None` if the option is not given. The two
/// may be separate arguments, or one argument with `=`.
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

  init NAME --runtime SOURCE
                          start a workspace for an API in the folder NAME: spec, model, client,
                          mocks, program and tests; SOURCE has the runtime crates: a checkout of
                          their workspace, or the URL of its Git repository
  add NAME                add another service to a workspace: its spec in spec/NAME/, and the crates
                          NAME-model, NAME-client, NAME-testkit and NAME-cli
  generate                check the spec and write the generated files
  generate --check        check the spec and compare the generated files; write nothing

  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), and
                          the versions that they require; fail if the version of the spec is
                          too low

  help, -h, --help        print this help

The workspace is the nearest one that contains the current folder.

Exit codes: 0 success; 1 a check failed or a file could not be read or written; 2 the spec, its
configuration or the command line is invalid, and no file was changed.
";

/// Reads the services and generates their files. If a configuration or a spec is invalid, returns the outcome of the
/// command as the error, with the mistakes in all specs.
fn generated(root: &Path) -> Result<(Vec<Workspace>, Output), Outcome> {
    let (mut services, mut errors) = (Vec::new(), Vec::new());
    for config in config::read_all(root)? {
        match Workspace::of(root, config) {
            Ok(service) => services.push(service),
            Err(report) => errors.push(report.text),
        }
    }
    if !errors.is_empty() {
        return Err(Outcome::failed(2, errors.join("\n")));
    }
    let outputs = services.iter().map(Workspace::generate).collect::<io::Result<Vec<_>>>()?;
    Ok((services, Output::merged(outputs)?))
}

/// The output and the exit code of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The text for standard output.
    pub stdout: String,
    /// The text for standard error.
    pub stderr: String,
    /// The exit code: 0 for success, 1 if a check failed or a file could not be read or written, 2 if the spec, its
    /// configuration or the command line is invalid.
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
        Self::failed(2, report.text)
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
    if let ([config], _) | ([config, ..], [_, _]) = (configs.as_slice(), paths) {
        return diff::command(root, config, paths);
    }
    if !paths.is_empty() {
        return Err(usage("the workspace has several services; pass the old and the new spec"));
    }
    let mut all = Outcome::default();
    for config in &configs {
        let one = diff::command(root, config, &[]).unwrap_or_else(|failure| failure);
        let gap = if all.stdout.is_empty() { "" } else { "\n" };
        _ = write!(all.stdout, "{gap}# {}\n{}", config.service(), one.stdout);
        all.stderr.push_str(&one.stderr);
        all.code = all.code.max(one.code);
    }
    Ok(all)
}

/// Runs `generate`.
fn write(root: &Path) -> Result<Outcome, Outcome> {
    // Write no file unless all can be generated.
    let (_, output) = generated(root)?;
    let (mut stdout, drifts) = (String::new(), output.write(root)?);
    for (path, drift) in &drifts {
        let what = match drift {
            Drift::Missing => "new    ",
            Drift::Outdated => "changed",
            Drift::Orphan => "removed",
        };
        _ = writeln!(stdout, "  {what}  {path}");
    }
    let count = output.files().len();
    _ = match drifts.len() {
        0 => writeln!(stdout, "{count} generated files, all up to date"),
        changed => writeln!(stdout, "{count} generated files; {changed} written or removed"),
    };
    Ok(Outcome::fine(stdout))
}

/// Runs `generate --check`.
fn check_files(root: &Path) -> Result<Outcome, Outcome> {
    let (services, output) = generated(root)?;
    let drifts = output.compare(root)?;
    if drifts.is_empty() {
        let count = output.files().len();
        return Ok(Outcome::fine(format!("{count} generated files, all up to date\n")));
    }
    let specs: Vec<_> = services.iter().map(|one| one.config.spec.clone()).collect();
    let mut report = format!("error: generated files do not match {}:\n", list(&specs, " or "));
    for (path, drift) in &drifts {
        _ = writeln!(report, "  {path}: {drift}");
    }
    if let Some(Workspace { config, .. }) = services.first() {
        _ = writeln!(report, "\nTo update them, run: {}", config.command);
    }
    Err(Outcome::failed(1, report))
}

const NO_RUNTIME: &str = "`init` needs the runtime crates, which are not on crates.io yet; pass \
    `--runtime` with a checkout of their workspace, or the URL of its Git repository";
