//! The course of one invocation.

use std::env;
use std::process::ExitCode;

use crate::args::{self, Args};
use crate::command::extras::Extras;
use crate::exit::Exit;
use crate::invocation::Invocation;
use crate::operation_commands::OperationCommands;
use crate::program::Program;
use crate::screen::Screen;
use crate::{command, interrupt};

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
    run_all::<C>(program, Extras::default())
}

/// Runs a program as [`run`] does, with the commands of a mirror: `mirror`, `board`, `watch` and `tap`.
///
/// # Examples
///
/// ```no_run
/// use std::process::ExitCode;
///
/// use methodical_cli::client::model::Mirrored;
/// use methodical_cli::{OperationCommands, Program, run_with_mirror};
///
/// fn run_photos<C: OperationCommands<Service: Mirrored>>() -> ExitCode {
///     run_with_mirror::<C>(&Program::new("photos", env!("CARGO_PKG_VERSION")))
/// }
/// ```
#[cfg(feature = "mirror")]
pub fn run_with_mirror<C>(program: &Program) -> ExitCode
where
    C: OperationCommands<Service: methodical_client::model::Mirrored>,
{
    let extras = Extras {
        mirror: Some(crate::mirror::Mirroring::of::<C::Service>()),
        connectors: Some(crate::connector::Connecting::of::<C>()),
    };
    run_all::<C>(program, extras)
}

fn run_all<C: OperationCommands>(program: &Program, extras: Extras) -> ExitCode {
    // Arguments that are not UTF-8 are refused later, by the parser.
    let color = args::color(env::args_os().map(|arg| arg.to_string_lossy().into_owned()));
    let definition = args::definition::<C>(program, extras);
    let (screen, done) = match args::parse::<C>(program, definition.clone(), color) {
        Ok(Args { output, service, call, command }) => {
            let screen = Screen::look(program.name, output.color, output.quiet);
            interrupt::watch(screen);
            let invocation = Invocation {
                program: *program,
                service,
                call,
                output,
                screen,
                #[cfg(feature = "mirror")]
                select: extras.mirror.map(|mirror| mirror.select),
            };
            (screen, command::run(command, &invocation, extras, definition))
        }
        Err(failure) => (Screen::look(program.name, color, false), Err(failure)),
    };
    match done {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            failure.print(screen);
            failure.code()
        }
    }
}
