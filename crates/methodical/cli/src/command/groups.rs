//! The help of the program with its commands in groups, by what people do.

use std::fmt::Write as _;

use clap::Command;

use crate::screen::output_columns;
use crate::wrap::wrap;

/// Returns the program with its commands in groups in the help.
pub(crate) fn grouped(program: Command) -> Command {
    let name = program.get_name().to_owned();
    let template = template(&program);
    // The groups list the commands, so the parser does not.
    program
        .mut_subcommands(|command| command.hide(true))
        .override_usage(format!("{name} [OPTIONS] <COMMAND>"))
        .help_template(template)
        .before_long_help("\n\nEvery command has these options:")
}

fn template(program: &Command) -> String {
    let styles = program.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let commands = || program.get_subcommands().filter(|command| !command.is_hide_set());
    let width = commands().map(|command| command.get_name().len()).max().unwrap_or(0);
    let room = usize::from(output_columns().unwrap_or(u16::MAX)).min(MAX_WIDTH);
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for group in Group::ALL {
        let mut members = commands().filter(|one| Group::of(one.get_name()) == group).peekable();
        if members.peek().is_none() {
            continue;
        }
        // Writing to a string cannot fail.
        _ = writeln!(text, "\n{header}{}:{header:#}", group.title());
        for command in members {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let indent = width + 4;
            let about = wrap(&about, room.saturating_sub(indent), 0);
            let about = about.replace('\n', &format!("\n{:indent$}", ""));
            let gap = indent - 2 - name.len();
            _ = writeln!(text, "  {literal}{name}{literal:#}{:gap$}{about}", "");
        }
    }
    text.truncate(text.trim_end().len());
    // Only the long help has options, and with them the text before.
    text + "{before-help}{all-args}{after-help}"
}

/// A group of commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Read,
    SetUp,
    Help,
    /// Commands that other programs run.
    Machines,
}

impl Group {
    const ALL: [Self; 4] = [Self::Read, Self::SetUp, Self::Help, Self::Machines];

    /// Returns the group of a command. The commands of the service read data.
    fn of(command: &str) -> Self {
        match command {
            "auth" | "check" | "config" | "mirror" | "profile" => Self::SetUp,
            "tap" => Self::Machines,
            "completions" | "help" | "man" | "version" => Self::Help,
            _ => Self::Read,
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Read => "Read data",
            Self::SetUp => "Set up and check",
            Self::Help => "Help",
            Self::Machines => "For loaders of data warehouses",
        }
    }
}

/// Maximum width of the help, in columns.
pub(crate) const MAX_WIDTH: usize = 100;
