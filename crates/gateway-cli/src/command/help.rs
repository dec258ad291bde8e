//! `gateway help`: the long help of the program or a command, for people who try this name.

use clap::{Args as Flags, Command};

use crate::command::find::find;
use crate::command::print::print;
use crate::failure::Failure;
use crate::output::flags::OutputFlags;
use crate::screen::Screen;

/// The arguments of `gateway help`.
#[derive(Debug, Flags)]
pub(crate) struct HelpFlags {
    /// Command, such as `candidates list` [default: the whole program].
    command: Vec<String>,
}

/// Prints the help.
pub(crate) fn run(
    flags: &HelpFlags,
    program: Command,
    output: &OutputFlags,
    screen: Screen,
) -> Result<(), Failure> {
    let help = find(program, &flags.command)?.render_long_help();
    let colored = screen.output.color && output.file().is_none();
    let text = if colored { help.ansi().to_string() } else { help.to_string() };
    print(output, text.as_bytes())
}
