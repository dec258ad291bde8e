//! The `gateway` program: candidates, vacancies and credits in a terminal or a file.

use std::process::ExitCode;

mod args;
mod atomic_file;
mod command;
mod config;
mod connect;
mod contract;
mod demo;
mod dry_run;
mod escape;
mod exit;
mod explain;
mod failure;
mod fill;
mod gateway;
mod generated;
mod help;
mod interrupt;
mod invocation;
mod lock;
mod name;
mod number;
mod operation;
mod operation_commands;
mod output;
mod program;
#[cfg_attr(not(unix), path = "prompt_windows.rs")]
mod prompt;
mod proxy;
mod run;
#[cfg(feature = "demo")]
mod sample;
mod screen;
mod session;
mod suggest;
mod token_command;
mod trace;

fn main() -> ExitCode {
    run::run::<generated::commands::OperationCommand>(&gateway::PROGRAM)
}
