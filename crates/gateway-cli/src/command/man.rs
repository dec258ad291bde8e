//! `gateway man`: the manual page, for the program or one command.

use clap::{Args as Flags, CommandFactory as _};

use crate::args::Args;
use crate::command::print;
use crate::failure::Failure;
use crate::flags::OutputFlags;
use crate::suggest::closest;

/// Of what.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  gateway man | man -l -
  gateway man candidates list > gateway-candidates-list.1")]
pub(crate) struct ManFlags {
    /// A command, such as `candidates list`; without one, the program.
    command: Vec<String>,
}

/// Prints the page, to be read by `man`.
pub(crate) fn run(flags: &ManFlags, output: &OutputFlags) -> Result<(), Failure> {
    let mut program = Args::command();
    program.build();
    let mut command = &program;
    let mut name = "gateway".to_owned();
    for word in &flags.command {
        let unknown = || {
            let failure = Failure::usage(format!("there is no command `{name} {word}`"));
            let known = command.get_subcommands().map(clap::Command::get_name);
            match closest(word, known) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        };
        command = command.find_subcommand(word).ok_or_else(unknown)?;
        name = format!("{name} {word}");
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    print(output, &page)
}
