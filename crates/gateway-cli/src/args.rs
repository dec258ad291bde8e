//! The command line.

use std::io::{self, Write as _};

use clap::error::{ContextKind, ContextValue};
use clap::{ColorChoice, CommandFactory as _, FromArgMatches as _, Parser, ValueEnum as _};

use crate::command::Command;
use crate::config::flags::ServiceFlags;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::help;
use crate::output::flags::OutputFlags;
use crate::screen::Color;

/// Candidates, vacancies and SMS credits of a recruitment gateway.
#[derive(Debug, Parser)]
#[command(
    name = "gateway",
    version,
    propagate_version = true,
    after_help = help::short(),
    after_long_help = help::long(),
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(flatten)]
    pub(crate) service: ServiceFlags,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Returns the commands and flags of the program, for help and completions.
pub(crate) fn program() -> clap::Command {
    Args::command()
}

/// Parses the command line. Prints help or a usage error, and then exits, if there is nothing else to do.
pub(crate) fn parse(color: Color) -> Result<Args, Failure> {
    let color = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let matches = program().color(color).try_get_matches();
    matches.and_then(|matches| Args::from_arg_matches(&matches)).map_err(|error| {
        // People try it because other programs have such a flag. If it were defined here, shells would complete it.
        if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--token".to_owned())) {
            return Failure::usage(
                "cannot take a token from the command line: other programs can read it there",
            )
            .hint("set GATEWAY_TOKEN, or use --token-file, --token-stdin or `gateway auth login`");
        }
        if error.use_stderr() {
            error.exit()
        }
        // Help or the version, whose reader may be gone, or whose disk may be full.
        match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) => Failure::new(Exit::Done, "printed"),
            Err(error) => Failure::from(error),
        }
    })
}

/// Finds `--color` before the command line is parsed: help and usage errors have colours too.
pub(crate) fn color(args: impl Iterator<Item = String>) -> Color {
    let mut args = args.take_while(|arg| arg != "--");
    while let Some(arg) = args.next() {
        let value = match arg.strip_prefix("--color") {
            Some("") => args.next(),
            Some(value) => value.strip_prefix('=').map(str::to_owned),
            None => continue,
        };
        // An invalid value is refused when the command line is parsed.
        return value.and_then(|word| Color::from_str(&word, false).ok()).unwrap_or_default();
    }
    Color::Auto
}

#[cfg(test)]
mod tests {
    use super::color;
    use crate::screen::Color;

    #[test]
    fn the_colour_is_found_before_the_command_line_is_parsed() {
        for (args, expected) in [
            ("gateway credits get", Color::Auto),
            ("gateway --color never -h", Color::Never),
            ("gateway -h --color=always", Color::Always),
            ("gateway --color", Color::Auto),
            ("gateway --color purple --color never", Color::Auto),
            ("gateway --colors never", Color::Auto),
            ("gateway api -- --color never", Color::Auto),
        ] {
            assert_eq!(color(args.split(' ').map(str::to_owned)), expected, "{args}");
        }
    }
}
