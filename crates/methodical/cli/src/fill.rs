//! Replaces placeholders such as `{program}` in the help of commands and flags.

use clap::{Arg, Command};

/// Returns the command with all texts of its help changed, those of its flags and subcommands included.
pub(crate) fn command(mut command: Command, fill: &dyn Fn(&str) -> String) -> Command {
    if let Some(text) = command.get_about().map(|text| fill(&text.to_string())) {
        command = command.about(text);
    }
    if let Some(text) = command.get_long_about().map(|text| fill(&text.to_string())) {
        command = command.long_about(text);
    }
    if let Some(text) = command.get_after_help().map(|text| fill(&text.to_string())) {
        command = command.after_help(text);
    }
    command.mut_args(|one| arg(one, fill)).mut_subcommands(|one| self::command(one, fill))
}

fn arg(mut arg: Arg, fill: &dyn Fn(&str) -> String) -> Arg {
    if let Some(text) = arg.get_help().map(|text| fill(&text.to_string())) {
        arg = arg.help(text);
    }
    if let Some(text) = arg.get_long_help().map(|text| fill(&text.to_string())) {
        arg = arg.long_help(text);
    }
    arg
}
