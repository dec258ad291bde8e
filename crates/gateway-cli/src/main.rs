//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::process::ExitCode;

use clap::Parser as _;

mod args;
mod command;
mod config;
mod connect;
mod exit;
mod failure;
mod flags;
mod generated;
mod interrupt;
mod output;
mod screen;
mod session;
mod suggest;
#[cfg_attr(not(unix), path = "console.rs")]
mod terminal;
mod trace;

use crate::args::Args;
use crate::exit::Exit;
use crate::screen::Screen;

fn main() -> ExitCode {
    let args = Args::parse();
    let screen = Screen::look(args.output.color, args.output.quiet);
    interrupt::watch(screen);
    let done = command::run(args, screen);
    interrupt::put_away();
    match done {
        Ok(()) => Exit::Done.into(),
        Err(failure) => {
            failure.print(screen);
            failure.exit().into()
        }
    }
}
