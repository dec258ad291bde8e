//! `help`: the long help of the program or a command, for people who try this name.

use clap::{Args as Flags, Command};

use crate::command::find::find;
use crate::command::print::print;
use crate::failure::Failure;
use crate::invocation::Invocation;

/// The arguments of `help`.
#[derive(Debug, Flags)]
pub(crate) struct HelpFlags {
    /// Command, such as `{command}` [default: the whole program].
    command: Vec<String>,
}

/// Prints the help.
pub(crate) fn run(
    flags: &HelpFlags,
    definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let help = find(definition, &flags.command)?.render_long_help();
    let colored = invocation.screen.output.color && invocation.output.file().is_none();
    let text = if colored { help.ansi().to_string() } else { help.to_string() };
    print(invocation, text.as_bytes())
}
