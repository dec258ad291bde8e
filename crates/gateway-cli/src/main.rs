//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::process::ExitCode;

use clap::Parser as _;

mod args;
mod exit;
mod failure;
mod generated;
mod output;
mod session;
mod settings;

use crate::args::Args;
use crate::failure::Failure;
use crate::session::Session;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.print();
            failure.exit().into()
        }
    }
}

fn run(args: Args) -> Result<(), Failure> {
    Session::open(&args.settings)?.run(args.command)
}
