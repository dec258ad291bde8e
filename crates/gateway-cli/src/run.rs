//! The course of one invocation.

use std::env;
use std::process::ExitCode;

use crate::args::{self, Args};
use crate::exit::Exit;
use crate::invocation::Invocation;
use crate::operation_commands::OperationCommands;
use crate::program::Program;
use crate::screen::Screen;
use crate::{command, interrupt};

/// Runs the program with the command line of the process.
pub(crate) fn run<C: OperationCommands>(program: &Program) -> ExitCode {
    // Arguments that are not UTF-8 are refused later, by the parser.
    let color = args::color(env::args_os().map(|arg| arg.to_string_lossy().into_owned()));
    let definition = args::definition::<C>(program);
    let (screen, done) = match args::parse::<C>(program.name, definition.clone(), color) {
        Ok(Args { output, service, call, command }) => {
            let screen = Screen::look(program.name, output.color, output.quiet);
            interrupt::watch(screen);
            let invocation = Invocation { program: *program, service, call, output, screen };
            (screen, command::run(command, &invocation, definition))
        }
        Err(failure) => (Screen::look(program.name, color, false), Err(failure)),
    };
    match done {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().into()
        }
    }
}
