//! One invocation of the program.

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use crate::args::{self, Flags};
use crate::failure::{Exit, Failure};
use crate::output::flags::OutputFlags;
use crate::program::{OperationCommands, Program};
use crate::screen::Screen;
use crate::settings::{MirrorFlags, ServiceFlags, redacted};
use crate::{commands, interrupt};

/// Runs a program with the command line of the process. `C` are the commands that call the operations of its service.
///
/// Call it once, in `main`, which must not be `async`: it handles the signals of the process, and runs a tokio runtime. It
/// exits the process itself after a usage error or a signal. Otherwise it returns the exit code, which scripts may rely on;
/// `--help` lists all of them.
///
/// # Examples
///
/// ```no_run
#[doc = include_str!("../doctests/photos.txt")]
/// use std::process::ExitCode;
///
/// use methodical_cli::{Program, run};
///
/// fn main() -> ExitCode {
///     run::<Commands>(&Program::new("photos", env!("CARGO_PKG_VERSION")))
/// }
/// ```
pub fn run<C: OperationCommands>(program: &Program) -> ExitCode {
    run_embedded::<C>(program, &env::args_os().collect::<Vec<_>>()).into()
}

/// Runs a program like [`run`], but inside another process, such as Python's, with these arguments. The first one is
/// the name of the program. Returns the exit code.
pub fn run_embedded<C: OperationCommands>(program: &Program, arguments: &[OsString]) -> u8 {
    let definition = args::definition::<C>(program);
    let parsed = args::parse::<C>(program, definition.clone(), arguments);
    let (screen, done) = match parsed {
        Ok((Flags { output, service, mirror }, mut command)) => {
            let screen = Screen::look(program, output.quiet);
            interrupt::watch(screen);
            let mut invocation = Invocation { program: *program, service, mirror, output, screen };
            let resolved = || {
                if args::look_up_titles::<C::Service>(&invocation)? {
                    let again = args::parse::<C>(program, definition.clone(), arguments)?;
                    (command, invocation.mirror) = (again.1, again.0.mirror);
                }
                commands::run(command, &invocation, definition)
            };
            (screen, resolved())
        }
        Err(failure) => (Screen::look(program, false), Err(failure)),
    };
    match done {
        Ok(()) => Exit::Done.code(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().code()
        }
    }
}

/// One invocation of the program: its description, the flags that every command takes, and the streams of its output.
#[derive(Clone, Debug)]
pub(crate) struct Invocation {
    pub(crate) program: Program,
    pub(crate) service: ServiceFlags,
    pub(crate) mirror: MirrorFlags,
    pub(crate) output: OutputFlags,
    pub(crate) screen: Screen,
}

/// Quotes a word for a shell, if necessary.
pub(crate) fn quoted(word: &str) -> String {
    // Only a NUL cannot be quoted, and no argument can contain one.
    shlex::try_quote(word).map_or_else(|_nul| word.to_owned(), std::borrow::Cow::into_owned)
}

impl Invocation {
    /// Returns a command of the program for a message. It repeats the flags that chose the profile, the service and the
    /// token: without them, the command could act on another account.
    pub(crate) fn command(&self, arguments: &str) -> String {
        let ServiceFlags { base_url, profile, token_file, .. } = &self.service;
        let switches = [
            ("--demo", self.service.demo),
            ("--allow-insecure-http", self.service.allow_insecure_http),
            ("--token-stdin", self.service.token_stdin),
        ];
        let values = [
            ("--profile", profile.clone()),
            ("--base-url", base_url.as_deref().map(redacted)),
            ("--token-file", token_file.as_ref().map(|path| path.display().to_string())),
        ];
        let switches =
            switches.iter().filter(|(_, is_on)| *is_on).map(|(flag, _)| format!("{flag} "));
        let values = values.iter().filter_map(|(flag, value)| {
            value.as_ref().map(|value| format!("{flag} {} ", quoted(value)))
        });
        let flags: String = switches.chain(values).collect();
        self.program.command(&(flags + arguments))
    }

    /// Fails if this is a dry run of a command that changes the files of the program.
    pub(crate) fn refuse_dry_run(&self) -> Result<(), Failure> {
        if self.service.dry_run {
            let text = "cannot use --dry-run: it prints requests, but this command changes files";
            return Err(Failure::usage(text));
        }
        Ok(())
    }

    /// Notes what the command would do, and ends it, if this is a dry run.
    pub(crate) fn end_dry_run(&self, would: &str) -> Result<(), Failure> {
        if self.service.dry_run {
            self.screen.note(would);
            return Err(Failure::ended(Exit::Done));
        }
        Ok(())
    }
}
