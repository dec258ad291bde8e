//! `help`: the long help of the program or a command, for people who try this name, and the common options.

use clap::builder::StyledStr;
use clap::{Args as Flags, Command};

use crate::command::find::find;
use crate::command::groups::grouped;
use crate::command::print::print;
use crate::failure::Failure;
use crate::help::{environment, exit_codes};
use crate::invocation::Invocation;

/// The arguments of `help`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Topics:
  options      the options of every command
  environment  environment variables
  exit-codes   exit codes")]
pub(crate) struct HelpFlags {
    /// Command, such as `{command}`, or a topic [default: the whole program].
    command: Vec<String>,
}

/// Prints the help.
pub(crate) fn run(
    flags: &HelpFlags,
    definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let help = match flags.command.as_slice() {
        [] => grouped(definition).render_long_help(),
        [topic] if definition.find_subcommand(topic).is_none() => match topic.as_str() {
            "options" => options(&definition),
            "environment" => {
                format!("{}\n", environment(invocation.program.name).trim_end()).into()
            }
            "exit-codes" => format!("{}\n", exit_codes()).into(),
            _ => find(definition, &flags.command)?.render_long_help(),
        },
        words => find(definition, words)?.render_long_help(),
    };
    let colored = invocation.screen.output.color && invocation.output.file().is_none();
    let text = if colored { help.ansi().to_string() } else { help.to_string() };
    print(invocation, text.as_bytes())
}

/// Returns the short descriptions of the options that every command has.
fn options(definition: &Command) -> StyledStr {
    let program = definition.get_name();
    let has = |id: &str| id != "help" && id != "version";
    let options = definition.get_arguments().filter(|one| has(one.get_id().as_str()));
    let options = options.map(|one| one.clone().hide_short_help(false));
    Command::new("options")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .max_term_width(100)
        .args(options)
        .help_template("{all-args}{after-help}")
        .after_help(format!("Details: `{program} --help`"))
        .render_help()
}
