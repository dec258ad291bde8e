//! The command line.

use std::io::{self, Write as _};

use clap::error::{ContextKind, ContextValue};
use clap::{
    Arg, ArgAction, Args as _, ColorChoice, FromArgMatches as _, Subcommand, ValueEnum as _,
};

use crate::command::Command;
use crate::command::extras::Extras;
use crate::command::groups::{MAX_WIDTH, grouped};
use crate::config::flags::{CallFlags, ServiceFlags};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::name::Variable;
use crate::operation_commands::OperationCommands;
use crate::output::flags::OutputFlags;
use crate::output::format_parser::FormatParser;
use crate::output::since::{Since, start_of_day};
use crate::program::Program;
use crate::screen::Color;
use crate::{fill, help};

/// A parsed command line.
#[derive(Debug)]
pub(crate) struct Args<C: Subcommand> {
    pub(crate) output: OutputFlags,
    pub(crate) service: ServiceFlags,
    pub(crate) call: CallFlags,
    pub(crate) command: Command<C>,
}

/// Returns the commands and flags of a program, for the parser, help and completions.
pub(crate) fn definition<C: OperationCommands>(program: &Program, extras: Extras) -> clap::Command {
    let fill = |text: &str| help::fill(text, program, C::EXAMPLE);
    let flags = OutputFlags::augment_args(clap::Command::new(program.name.as_str()));
    let flags = if C::DATES.is_empty() { flags } else { flags.arg(Since::flag()) };
    let flags = ServiceFlags::augment_args(flags);
    let flags = if program.demo.is_some() { flags.arg(demo_flag()) } else { flags };
    let flags = CallFlags::augment_args(flags);
    let flags =
        if extras.has_mirror() { flags.args([from_flag(), new_since_flag()]) } else { flags };
    let flags = flags
        .mut_arg("output", |one| one.value_parser(FormatParser(program.formats)))
        .mut_args(|one| one.hide_short_help(true));
    fill::command(flags, &fill)
        .version(program.version)
        .propagate_version(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .next_help_heading(None)
        .args(own_flags())
        .about(program.about)
        .after_help(help::short(program, C::EXAMPLE))
        .after_long_help(help::long(program, C::EXAMPLE))
        .disable_help_subcommand(true)
        .max_term_width(MAX_WIDTH)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands::<C>(program, extras, &fill))
}

/// The flags of the parser itself. The short help of a command has only the flags of the command.
fn own_flags() -> [Arg; 2] {
    let flag = |name: &'static str, short, action| {
        let arg = Arg::new(name).short(short).long(name).action(action);
        arg.global(true).hide_short_help(true)
    };
    [
        flag("help", 'h', ArgAction::Help).help("Print help; -h prints a summary"),
        flag("version", 'V', ArgAction::Version).help("Print version"),
    ]
}

/// Returns the commands of the program. Placeholders are filled in texts of the frame only: those of the service are free
/// to contain them.
fn subcommands<C: OperationCommands>(
    program: &Program,
    extras: Extras,
    fill: &dyn Fn(&str) -> String,
) -> Vec<clap::Command> {
    let all = Command::<C>::augment_subcommands(clap::Command::new(""));
    let has = |name: &str| match name {
        "check" => program.contract.is_some(),
        "board" | "dashboard" | "mirror" | "tap" | "watch" if !C::has_subcommand(name) => {
            extras.has_mirror()
        }
        _ => true,
    };
    let shown = all.get_subcommands().filter(|one| has(one.get_name())).cloned();
    shown
        .map(|one| {
            if C::has_subcommand(one.get_name()) {
                help::with_examples(one, program.name)
            } else {
                fill::command(one, fill)
            }
        })
        .map(|one| help::with_common_options(one, program.name))
        .collect()
}

/// The flag of programs with a sample service.
fn demo_flag() -> Arg {
    Arg::new(DEMO)
        .long("demo")
        .help("Use a sample service that runs only for this command")
        .help_heading("Service")
        .action(ArgAction::SetTrue)
        .global(true)
}

/// The flag of programs that can have a mirror.
fn from_flag() -> Arg {
    Arg::new(FROM)
        .long("from")
        .help("Read from a mirror: a file, or `mirror` for the mirror of the profile")
        .long_help(
            "Read from a mirror instead of the service: a file, postgres://…, or `mirror` for the mirror of the profile.\n\n\
             `{program} mirror sync` creates it. Commands that need a mirror, such as `board`, use the mirror of the profile by \
             default: the file or URL in `{PROGRAM}_MIRROR`, in the setting `mirror`, or else the file \
             `{program}/mirrors/PROFILE.db` in `XDG_DATA_HOME` or `~/.local/share`.",
        )
        .help_heading("Mirror")
        .value_name("MIRROR")
        .global(true)
}

/// The flag for new records of a mirror.
fn new_since_flag() -> Arg {
    Arg::new(NEW_SINCE)
        .long("new-since")
        .help("With --from, print only records that the mirror first saw on DATE or later")
        .long_help(
            "With --from, print only records that the mirror first saw on DATE or later: YYYY-MM-DD, or a day as in --since.\n\n\
             The day begins at midnight on this machine. This date is unrelated to the dates in the records.",
        )
        .help_heading("Mirror")
        .value_name("DATE")
        .value_parser(start_of_day)
        .requires(FROM)
        .global(true)
}

/// Parses the command line. Prints help or a usage error, and then exits, if there is nothing else to do.
pub(crate) fn parse<C: OperationCommands>(
    program: &Program,
    definition: clap::Command,
    color: Color,
) -> Result<Args<C>, Failure> {
    let color = match color {
        Color::Auto => ColorChoice::Auto,
        Color::Always => ColorChoice::Always,
        Color::Never => ColorChoice::Never,
    };
    let matches = grouped(definition).color(color).try_get_matches();
    matches.and_then(|matches| read(program, &matches)).map_err(|error| {
        // People try it because other programs have such a flag. If it were defined here, shells would complete it.
        if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--token".to_owned())) {
            return Failure::usage(
                "cannot take a token from the command line: other programs can read it there",
            )
            .hint(format!(
                "set {}, or use --token-file, --token-stdin or {}",
                Variable::Token.of(program.name),
                program.name.command("auth login")
            ));
        }
        if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--to".to_owned())) {
            let hint =
                "--from MIRROR names the mirror to read; only commands that write one have --to";
            return Failure::usage("unexpected argument `--to`").hint(hint);
        }
        if error.get(ContextKind::InvalidArg) == Some(&ContextValue::String("--excel".to_owned())) {
            let hint = "-o xlsx writes a workbook; --separator ';' sets the separator of CSV";
            return Failure::usage("unexpected argument `--excel`").hint(hint);
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

fn read<C: OperationCommands>(
    program: &Program,
    matches: &clap::ArgMatches,
) -> Result<Args<C>, clap::Error> {
    let output = OutputFlags::from_arg_matches(matches)?;
    let call = CallFlags::from_arg_matches(matches)?;
    // A program without a sample service has no such flag.
    let demo = matches.try_get_one(DEMO).ok().flatten().copied().unwrap_or_default();
    let from: Option<&String> = matches.try_get_one(FROM).ok().flatten();
    let from = from.cloned();
    let new_since = matches.try_get_one(NEW_SINCE).ok().flatten().copied();
    Ok(Args {
        output: OutputFlags {
            since: Since::of(matches, C::DATES),
            new_since,
            formats: program.formats,
            ..output
        },
        service: ServiceFlags { from, ..ServiceFlags::from_arg_matches(matches)? },
        call: CallFlags { demo, ..call },
        command: Command::from_arg_matches(matches)?,
    })
}

/// Identifier of the flag `--new-since`.
const NEW_SINCE: &str = "frame:new-since";

/// Identifier of the flag `--from`.
const FROM: &str = "frame:from";

/// Identifier of the flag `--demo`.
const DEMO: &str = "demo";

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
    use super::{Args, color, definition, read};
    use crate::command::extras::Extras;
    use crate::photos::{Commands, LARGE, SMALL};
    use crate::program::Program;
    use crate::screen::Color;

    /// Returns the short and the long help of a command and its subcommands.
    fn help(command: &mut clap::Command) -> String {
        command.build();
        let own = [command.render_help(), command.render_long_help()];
        let below = command.get_subcommands_mut().map(help);
        own.iter().map(ToString::to_string).chain(below).collect()
    }

    fn parsed(program: &Program, line: &str) -> Result<Args<Commands>, clap::Error> {
        read(
            program,
            &definition::<Commands>(program, Extras::default())
                .try_get_matches_from(line.split(' '))?,
        )
    }

    #[test]
    fn the_help_of_a_program_names_only_what_it_has() {
        let small = help(&mut definition::<Commands>(&SMALL, Extras::default()));
        assert!(!small.contains("demo") && !small.contains("Check the service"), "{small}");
        for text in [
            "photos auth login --base-url https://photos.example.com\n  photos totals\n",
            "photos api totals/get --include\n",
            "PHOTOS_TOKEN_FILE  file that contains the access token\n",
            "such as `photos,albums`",
        ] {
            assert!(small.contains(text), "{text}:\n{small}");
        }
        let large = help(&mut definition::<Commands>(&LARGE, Extras::default()));
        for text in [
            "Photos and albums\n",
            "Examples:\n  photos --demo totals\n",
            "With sample data:\n  photos --demo totals -o csv\n",
            "photos totals -o json\n",
            "photos api totals/get -f year=2024",
            "with about 7 read-only requests",
            "what photos-server does",
        ] {
            assert!(large.contains(text), "{text}:\n{large}");
        }
        // Only the text of the service still contains one.
        for text in [small, large] {
            let text = text.replace("Print the totals of {program}", "");
            assert!(!text.contains('{'), "{text}");
        }
    }

    #[test]
    fn a_flag_and_a_command_exist_only_in_programs_that_have_them() {
        assert!(parsed(&LARGE, "photos --demo totals").unwrap().call.demo);
        assert!(!parsed(&LARGE, "photos totals").unwrap().call.demo);
        assert!(!parsed(&SMALL, "photos totals").unwrap().call.demo);
        assert!(parsed(&SMALL, "photos --demo totals").is_err());
        assert!(parsed(&LARGE, "photos check --strict").is_ok());
        assert!(parsed(&SMALL, "photos check --strict").is_err());
    }

    #[test]
    fn the_colour_is_found_before_the_command_line_is_parsed() {
        for (args, expected) in [
            ("photos albums list", Color::Auto),
            ("photos --color never -h", Color::Never),
            ("photos -h --color=always", Color::Always),
            ("photos --color", Color::Auto),
            ("photos --color purple --color never", Color::Auto),
            ("photos --colors never", Color::Auto),
            ("photos api -- --color never", Color::Auto),
        ] {
            assert_eq!(color(args.split(' ').map(str::to_owned)), expected, "{args}");
        }
    }
}
