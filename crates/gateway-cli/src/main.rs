//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::env;
use std::process::ExitCode;

mod args;
mod command;
mod config;
mod connect;
mod escape;
mod exit;
mod failure;

mod generated;
mod help;
mod interrupt;
mod number;
mod output;
mod screen;
mod session;
mod suggest;
#[cfg_attr(not(unix), path = "console.rs")]
mod terminal;
mod trace;

use crate::exit::Exit;
use crate::screen::Screen;

fn main() -> ExitCode {
    // What is no text is no colour, and is refused where it is read.
    let color = args::color(env::args_os().map(|arg| arg.to_string_lossy().into_owned()));
    let (screen, done) = match args::parse(color) {
        Ok(args) => {
            let screen = Screen::look(args.output.color, args.output.quiet);
            interrupt::watch(screen);
            (screen, command::run(args, screen))
        }
        Err(failure) => (Screen::look(color, false), Err(failure)),
    };
    interrupt::put_away();
    match done {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().into()
        }
    }
}
