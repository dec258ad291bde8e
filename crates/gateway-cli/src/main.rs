//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::env;
use std::process::ExitCode;

mod args;
mod atomic_file;
mod command;
mod config;
mod connect;
#[cfg(feature = "demo")]
mod demo;
mod dry_run;
mod escape;
mod exit;
mod explain;
mod failure;

mod generated;
mod help;
mod interrupt;
mod lock;
mod number;
mod operation;
mod output;
#[cfg_attr(not(unix), path = "prompt_windows.rs")]
mod prompt;
mod proxy;
mod screen;
mod session;
mod suggest;
mod trace;

use crate::args::Args;
use crate::exit::Exit;
use crate::screen::Screen;

fn main() -> ExitCode {
    // Arguments that are not UTF-8 are refused later, by the parser.
    let color = args::color(env::args_os().map(|arg| arg.to_string_lossy().into_owned()));
    let (screen, done) = match args::parse(color) {
        Ok(args) => {
            let screen = Screen::look(args.output.color, args.output.quiet);
            interrupt::watch(screen);
            let Args { output, service, command } = args;
            (screen, command::run(command, &service, &output, screen, args::program()))
        }
        Err(failure) => (Screen::look(color, false), Err(failure)),
    };
    match done {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().into()
        }
    }
}
