//! The command line of the generator, for its own program and for the tasks of a workspace.

use std::fmt::Write as _;
use std::path::Path;

use crate::config;
use crate::config::Config;
use crate::diag::{CODES, Report, suggestion};
use crate::text::wrapped;
use crate::workspace::Workspace;

mod commands;
mod specs;

/// Runs the command in the arguments, which do not include the name of the program. Messages name
/// the program as `program`. The workspace is the nearest one that contains `folder`.
///
/// ```
/// let here = std::path::Path::new(".");
/// let outcome = methodical_codegen::cli::run("cargo codegen", &["explain".to_owned()], here);
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
    let is_root = |folder: &&Path| config::files(folder).is_ok_and(|files| !files.is_empty());
    let root = parents.find(is_root).unwrap_or(folder);
    let cx = Context { program, root, service };
    match words.as_slice() {
        ["init", name] if !name.starts_with('-') => commands::init(&cx, name, &init, folder),
        ["init", ..] => Err(usage("`init` needs one name, such as `init photos`")),
        ["add", name] if !name.starts_with('-') => commands::add(&cx, name, &init, folder),
        ["add", ..] => Err(usage("`add` needs one name, such as `add albums`")),
        _ if init != InitOptions::default() => {
            Err(usage("only `init` and `add` have these options"))
        }
        ["generate"] => commands::write(&cx),
        ["generate", "--check"] => commands::check_files(&cx),
        ["spec", "check"] => specs::check(&cx),
        ["spec", "diff", rest @ ..] if rest.len() <= 2 => specs::diff(&cx, rest),
        ["spec", "show", rest @ ..] if rest.len() <= 1 => specs::show(&cx, rest.first().copied()),
        ["explain"] => Ok(explain_all()),
        ["explain", code] => Ok(explain_one(&cx, code)),
        [] => Err(usage("a command is missing")),
        ["spec"] => Err(usage("`spec` needs a command: `check`, `diff` or `show`")),
        ["spec", other, ..] => Err(unknown(other, &["check", "diff", "show"])),
        ["generate", other, ..] => Err(unknown(other, &["--check"])),
        [other, ..] => Err(unknown(other, &["init", "add", "generate", "spec", "explain", "help"])),
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

  spec check              check only the spec
  spec diff [OLD [NEW]]   list the changes since OLD (default: the last released spec), the
                          crates that they affect, and the versions that they require; fail
                          if the version of the spec is too low
  spec show [OPERATION]   describe an operation on one screen; without a name, list all
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

/// The arguments, sorted out.
#[derive(Default)]
pub(super) struct Args<'a> {
    /// Everything except options with a value.
    pub(super) words: Vec<&'a str>,
    pub(super) help: bool,
    pub(super) root: Option<&'a str>,
    pub(super) service: Option<&'a str>,
    pub(super) init: InitOptions<'a>,
}

/// The options of `init`.
#[derive(Default, PartialEq, Eq)]
pub(super) struct InitOptions<'a> {
    pub(super) spec: Option<&'a str>,
    pub(super) runtime_path: Option<&'a str>,
    pub(super) runtime_git: Option<&'a str>,
}

impl<'a> Args<'a> {
    /// Sorts out the arguments. An option and its value are two arguments, or one with `=`.
    pub(super) fn parse(args: &'a [String]) -> Result<Self, Outcome> {
        let mut parsed = Self::default();
        let mut rest = args.iter().map(String::as_str);
        while let Some(arg) = rest.next() {
            let (name, value) = match arg.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (arg, None),
            };
            let slot = match name {
                "--root" => &mut parsed.root,
                "--service" => &mut parsed.service,
                "--spec" => &mut parsed.init.spec,
                "--runtime-path" => &mut parsed.init.runtime_path,
                "--runtime-git" => &mut parsed.init.runtime_git,
                _ => {
                    parsed.help |= matches!(arg, "-h" | "--help" | "help");
                    parsed.words.push(arg);
                    continue;
                }
            };
            *slot = value.or_else(|| rest.next());
            if slot.is_none() {
                return Err(usage(&format!("`{name}` needs a value")));
            }
        }
        Ok(parsed)
    }
}

/// The program and the workspace of a run.
pub(super) struct Context<'a> {
    /// The name of the program, as users type it: `methodical-codegen`.
    pub(super) program: &'a str,
    /// The root of the workspace.
    pub(super) root: &'a Path,
    /// The only service to read, from `--service`.
    pub(super) service: Option<&'a str>,
}

impl Context<'_> {
    /// Reads the configurations of the services.
    pub(super) fn configs(&self) -> Result<Vec<Config>, Outcome> {
        let mut configs = config::read_all(self.root).map_err(|report| self.rejected(&report))?;
        let Some(name) = self.service else { return Ok(configs) };
        if let Some(index) = configs.iter().position(|config| config.service() == name) {
            return Ok(vec![configs.swap_remove(index)]);
        }
        let known: Vec<_> = configs.iter().map(Config::service).collect();
        let hint = suggestion(name, &known)
            .unwrap_or_else(|| format!("the workspace has {}", known.join(", ")));
        Err(usage(&format!("unknown service `{name}`; {hint}")))
    }

    /// Reads the services. Returns them with their printed warnings. The error is the outcome of the
    /// command if a configuration or a spec is invalid; all specs are read first.
    pub(super) fn services(&self) -> Result<(Vec<Workspace>, String), Outcome> {
        let (mut services, mut warnings, mut errors) = (Vec::new(), String::new(), String::new());
        for config in self.configs()? {
            match Workspace::of(self.root, config) {
                Ok(service) => {
                    warnings.push_str(&self.printed(&service.warnings));
                    services.push(service);
                }
                Err(report) => {
                    let gap = if errors.is_empty() { "" } else { "\n" };
                    errors = errors + gap + &self.printed(&report);
                }
            }
        }
        if errors.is_empty() { Ok((services, warnings)) } else { Err(Outcome::failed(2, errors)) }
    }

    /// Returns the outcome of a command that reads an invalid file.
    pub(super) fn rejected(&self, report: &Report) -> Outcome {
        Outcome::failed(2, self.printed(report))
    }

    pub(super) fn printed(&self, report: &Report) -> String {
        let mut text = report.text.clone();
        if let Some(summary) = report.summary() {
            _ = writeln!(text, "\n{summary}; `{} explain CODE` explains a code", self.program);
        }
        text
    }
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

/// Returns the outcome of an invalid command line.
pub fn usage(message: &str) -> Outcome {
    Outcome::failed(2, format!("error: {message}\n\n`--help` lists the commands.\n"))
}

/// Returns the outcome of an unknown command, with a suggestion.
pub fn unknown(word: &str, known: &[&str]) -> Outcome {
    usage(&match suggestion(word, known) {
        _ if known.contains(&word) => format!("too many arguments for `{word}`"),
        Some(hint) => format!("unknown command `{word}`; {hint}"),
        None => format!("unknown command `{word}`"),
    })
}

fn explain_one(cx: &Context<'_>, code: &str) -> Outcome {
    let ids: Vec<_> = CODES.iter().map(|code| code.id).collect();
    let Some(code) = CODES.iter().find(|known| known.id.eq_ignore_ascii_case(code)) else {
        let list = || format!("`{} explain` lists all codes", cx.program);
        let hint = suggestion(code, &ids).unwrap_or_else(list);
        return usage(&format!("unknown code `{code}`; {hint}"));
    };
    let paragraphs = code.explanation.split("\n\n");
    let paragraphs = paragraphs.map(|one| wrapped(one.split_whitespace(), WIDTH).join("\n"));
    let text = paragraphs.collect::<Vec<_>>().join("\n\n");
    Outcome::fine(format!("{}[{}]: {}\n\n{text}\n", code.level, code.id, code.title))
}

fn explain_all() -> Outcome {
    let lines = CODES.iter().map(|code| format!("{}  {}\n", code.id, code.title));
    Outcome::fine(lines.collect::<String>())
}

const WIDTH: usize = 80;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CODES, Context, WIDTH, explain_all, explain_one};

    #[test]
    fn every_code_is_listed_and_explained_in_short_lines() {
        let cx = Context { program: "methodical-codegen", root: Path::new("."), service: None };
        let listed = explain_all().stdout;
        assert_eq!(listed.lines().count(), CODES.len());
        for code in CODES {
            assert!(listed.contains(&format!("{}  {}\n", code.id, code.title)), "{}", code.id);
            let explained = explain_one(&cx, &code.id.to_lowercase());
            assert_eq!(explained.code, 0);
            let (title, text) = explained.stdout.split_once("\n\n").unwrap();
            assert_eq!(title, format!("{}[{}]: {}", code.level, code.id, code.title));
            assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
            // Only white space differs.
            assert!(text.split_whitespace().eq(code.explanation.split_whitespace()));
        }
    }

    #[test]
    fn an_unknown_code_gets_a_hint() {
        let cx = Context { program: "methodical-codegen", root: Path::new("."), service: None };
        let wrong = explain_one(&cx, "GW01");
        assert_eq!((wrong.code, &*wrong.stdout), (2, ""));
        assert!(wrong.stderr.starts_with("error: unknown code `GW01`; "), "{}", wrong.stderr);
        let far = explain_one(&cx, "surprise").stderr;
        assert!(far.contains("`methodical-codegen explain` lists all codes"), "{far}");
    }
}
