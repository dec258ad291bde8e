//! What the program can do; the commands of the service's operations are generated.

use std::io::Write as _;

use clap::CommandFactory as _;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;
use crate::screen::Screen;
use crate::session::Session;
use crate::suggest::closest;

pub(crate) mod api;
pub(crate) mod auth;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod help;
pub(crate) mod man;
pub(crate) mod version;

/// Does what was asked for.
pub(crate) fn run(args: Args, screen: Screen) -> Result<(), Failure> {
    let Args { output, service, command } = args;
    let session = || Session::open(&service, &output, screen);
    match command {
        Command::Operation(operation) => operation.run(&session()?),
        Command::Api(flags) => api::run(&session()?, flags),
        Command::Check(flags) => check::run(&session()?, &flags),
        Command::Auth(command) => auth::run(command, &service, &output, screen),
        Command::Config(command) => config::run(command, &service, &output, screen),
        Command::Completions(flags) => completions::run(&flags, &output),
        Command::Help(flags) => help::run(&flags, &output, screen),
        Command::Man(flags) => man::run(&flags, &output),
        Command::Version => version::run(&output, screen),
    }
}

/// Finds a command by its words; without any, it is the program.
fn find(words: &[String]) -> Result<clap::Command, Failure> {
    let mut program = Args::command();
    program.build();
    let mut found = &program;
    let mut name = "gateway".to_owned();
    for word in words {
        let unknown = || {
            let failure = Failure::usage(format!("there is no command `{name} {word}`"));
            let known = found.get_subcommands().map(clap::Command::get_name);
            match closest(word, known) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        };
        found = found.find_subcommand(word).ok_or_else(unknown)?;
        name = format!("{name} {word}");
    }
    Ok(found.clone())
}

/// Writes text that is no record: a page, a script, one value.
fn print(output: &OutputFlags, text: &[u8]) -> Result<(), Failure> {
    let mut out = Destination::open(output.file())?;
    out.write_all(text)?;
    Ok(out.finish()?)
}
