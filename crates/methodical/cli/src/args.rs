//! The command line and its help, and the commands that describe the program: `help`, `man` and `completions`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::num::{IntErrorKind, NonZeroU64, ParseIntError};
use std::path::Path;
use std::sync::Mutex;

use clap::builder::{Resettable, StyledStr};
use clap::error::{ContextKind, ErrorKind};
use clap::{Arg, ArgAction, Args as _, FromArgMatches as _, Subcommand as _};
use clap_complete::Shell;
use clap_mangen::Man;
use methodical_client::model::tables::FieldType;

use crate::commands::{Command, Invocation};
use crate::failure::{EXIT_CODES, Exit, Failure};
use crate::mirror::placements::group_of_title;
use crate::mirror::{Found, Recovered, found};
use crate::output::destination::print;
use crate::output::{Formats, OutputFlags};
use crate::program::{Example, OperationCommands, Program, RecordType, capitals};
use crate::screen::{closest, lock, printable};
use crate::settings::{KEYS, MirrorFlags, ServiceFlags};

/// A parsed command line.
type Parsed<C> = (Flags, Command<C>);

/// The flags that every command takes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Flags {
    #[command(flatten)]
    pub(crate) output: OutputFlags,
    #[command(flatten)]
    pub(crate) service: ServiceFlags,
    #[command(flatten)]
    pub(crate) mirror: MirrorFlags,
}

/// Returns the parser's own flags, `--help` and `--version`. A command's short help hides them and lists only its own.
fn own_flags() -> [Arg; 2] {
    let flag = |name: &'static str, short, action| {
        Arg::new(name).short(short).long(name).action(action).global(true).hide_short_help(true)
    };
    [
        flag("help", 'h', ArgAction::Help).help("Print help; -h prints a summary"),
        flag("version", 'V', ArgAction::Version).help("Print version"),
    ]
}

fn read<C: OperationCommands>(
    program: &Program,
    matches: &clap::ArgMatches,
) -> Result<Parsed<C>, clap::Error> {
    let mut flags = Flags::from_arg_matches(matches)?;
    if flags.service.demo && program.demo.is_none() {
        let text = "unexpected argument '--demo': this program has no sample service\n";
        return Err(clap::Error::raw(ErrorKind::UnknownArgument, text));
    }
    let leaf = leaf(matches);
    flags.output.formats = Formats(program.formats);
    if let Some(of) = found::<C::Service>().recovered.first() {
        let values = leaf.try_get_many::<String>(&format!("param:{}", of.value)).ok().flatten();
        // The command itself reads the first one.
        flags.mirror.more_values = values.into_iter().flatten().skip(1).cloned().collect();
    }
    let command = match leaf.try_get_one::<String>(SHOWN) {
        Ok(Some(id)) => Command::Show(id.clone()),
        _ => Command::from_arg_matches(matches)?,
    };
    Ok((flags, command))
}

fn leaf(matches: &clap::ArgMatches) -> &clap::ArgMatches {
    matches.subcommand().map_or(matches, |(_, below)| leaf(below))
}

/// Returns the commands and flags of a program, for the parser, help and completions.
pub(crate) fn definition<C: OperationCommands>(program: &Program) -> clap::Command {
    let found = found::<C::Service>();
    let of = found.recovered.first().copied();
    let fill = |text: &str| fill(text, program, C::EXAMPLE, of);
    let mut types = C::RECORDS.iter().flat_map(|(_, record)| record.types);
    let hidden = [
        ("since", !types.any(|(_, ty)| *ty == FieldType::DateTime)),
        ("demo", program.demo.is_none()),
        ("from", found.tables.is_empty()),
        ("new_since", found.tables.is_empty()),
    ];
    let flags = Flags::augment_args(clap::Command::new(program.name))
        .mut_arg("output", |one| one.value_parser(Formats(program.formats).parser()))
        .mut_args(|one| {
            let hides = hidden.iter().any(|(id, hides)| one.get_id() == *id && *hides);
            one.hide_short_help(true).hide(hides)
        });
    filled(flags, &fill)
        .version(program.version)
        .propagate_version(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .next_help_heading(None)
        .args(own_flags())
        .about(program.about)
        .after_help(short_help(program, C::EXAMPLE))
        .after_long_help(long_help(program, C::EXAMPLE))
        .disable_help_subcommand(true)
        .max_term_width(MAX_WIDTH)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(subcommands::<C>(program, &found, &fill))
}

/// Names the flags for groups and values as the service does, and lets the service's own list accept a group's title
/// and several values. Adds the command that shows a member.
fn with_groups(
    command: clap::Command,
    of: Recovered,
    records: &[(&str, RecordType<'_>)],
) -> clap::Command {
    let group_flag = format!("param:{}", of.group_field());
    let value_flag = format!("param:{}", of.value);
    let arg = |arg: Arg| match arg.get_id().as_str() {
        "frame:group" => arg.long(of.groups.name()),
        "frame:value" => arg.long(of.value),
        id if id == group_flag => {
            let arg = arg.visible_alias(of.groups.name()).value_name("ID or TITLE");
            arg.value_parser(group)
        }
        id if id == value_flag => {
            let help = arg.get_help().map(|help| format!("{help}. Repeat the flag for several"));
            arg.action(ArgAction::Append).help(Resettable::from(help.map(StyledStr::from)))
        }
        _ => arg,
    };
    let words = records.iter().find(|(_, one)| one.noun.of(1) == of.members.name());
    let list = words.and_then(|(words, _)| words.split_once(' ')).unwrap_or_default();
    let is_list = command.get_name() == list.0;
    let is_own = command.get_name() == "placements";
    let command = command.mut_subcommands(|one| {
        if is_own || (is_list && one.get_name() == list.1) { one.mut_args(arg) } else { one }
    });
    if is_list { command.subcommand(shown_member(of)) } else { command }
}

/// Returns the command `show`, which shows a member. It is beside the service's command that lists the members.
fn shown_member(of: Recovered) -> clap::Command {
    let id = Arg::new(SHOWN).value_name("ID").required(true).help("Id of the record");
    clap::Command::new("show")
        .about("Show a record of the mirror with its history")
        .long_about(format!(
            "Show a record of the mirror with its history.\n\nPrints its fields, its {} in each {}, and when they \
             changed. In JSON, this is one object.",
            of.value,
            of.groups.name()
        ))
        .arg(id)
}

/// The argument id of the command `show`.
const SHOWN: &str = "frame:shown";

/// Parses a group's identity or title. For a title not yet looked up, returns 0 and stores it for [`look_up_titles`].
fn group(text: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Err("expected an id, such as 101, or a title".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return whole_number(text);
    }
    Ok(lock(&TITLES).entry(text.to_owned()).or_default().unwrap_or_default())
}

/// The titles on the command line, each with its group's identity; `None` until [`look_up_titles`] has found it.
static TITLES: Mutex<BTreeMap<String, Option<u64>>> = Mutex::new(BTreeMap::new());

/// Looks up the group titles on the command line. Returns whether there are any; if so, the line must be parsed again.
pub(crate) fn look_up_titles<C: OperationCommands>(
    invocation: &Invocation,
) -> Result<bool, Failure> {
    let titles: Vec<String> = lock(&TITLES).keys().cloned().collect();
    for title in &titles {
        let id = group_of_title::<C>(title, invocation)?;
        let id = id.parse().map_err(|_not_a_number| {
            Failure::usage(format!("cannot use the title `{title}`: its id {id} is not a number"))
        })?;
        lock(&TITLES).insert(title.clone(), Some(id));
    }
    Ok(!titles.is_empty())
}

fn subcommands<C: OperationCommands>(
    program: &Program,
    found: &Found,
    fill: &dyn Fn(&str) -> String,
) -> Vec<clap::Command> {
    let all = Command::<C>::augment_subcommands(clap::Command::new(""));
    let has = |one: &&clap::Command| match one.get_name() {
        "check" => program.contract.is_some(),
        "board" | "duplicates" | "mcp" | "placements" | "report" => !found.recovered.is_empty(),
        "dashboard" | "mirror" | "tap" | "watch" => !found.tables.is_empty(),
        _ => true,
    };
    let shown = all.get_subcommands().filter(has).cloned().map(|one| {
        let (is_service, words) = (C::has_subcommand(one.get_name()), one.get_name().to_owned());
        let one = match found.recovered.first() {
            Some(of) => with_groups(one, *of, C::RECORDS),
            None => one,
        };
        // Text from the service may contain placeholders.
        with_ends::<C>(one, &words, program, Some(fill).filter(|_| !is_service))
    });
    shown.collect()
}

/// Completes the help of a command and its subcommands. Fills in placeholders, or names the program in the service's
/// examples. Adds to the short help where the common options are explained and, for a list, which are most used.
fn with_ends<C: OperationCommands>(
    command: clap::Command,
    words: &str,
    program: &Program,
    fill: Option<&dyn Fn(&str) -> String>,
) -> clap::Command {
    let command = match fill {
        Some(fill) => filled(command, fill),
        None => command,
    };
    let mut own = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    if fill.is_none() && !own.is_empty() {
        own = format!("Examples:\n{}", lines(program, own.lines()));
    }
    let is_list = words.ends_with(" list") && C::RECORDS.iter().any(|(list, _)| *list == words)
        || ["duplicates", "mirror search", "placements list"].contains(&words);
    let parts = [if is_list { MOST_USED } else { "" }, &own, &common_options(program)];
    let short: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    command.after_help(short.join("\n\n")).after_long_help(own).mut_subcommands(|one| {
        let words = format!("{words} {}", one.get_name());
        with_ends::<C>(one, &words, program, fill)
    })
}

/// Parses the command line. If there is nothing else to do, prints the help, the version or a usage error, and fails
/// with the exit code but without a message.
pub(crate) fn parse<C: OperationCommands>(
    program: &Program,
    definition: clap::Command,
    arguments: &[OsString],
) -> Result<Parsed<C>, Failure> {
    let mut parser = grouped(definition);
    let matches = parser.try_get_matches_from_mut(arguments);
    matches.and_then(|matches| read(program, &matches)).map_err(|error| {
        let command = error.get(ContextKind::InvalidSubcommand);
        let given = command.or_else(|| error.get(ContextKind::InvalidArg)).map(ToString::to_string);
        let is_flag = command.is_none();
        let mut others = OTHERS.iter().filter(|(word, _)| word.starts_with('-') == is_flag);
        if let Some((word, hint)) = others.find(|(word, _)| Some(*word) == given.as_deref()) {
            let what = if is_flag { "unexpected argument" } else { "unknown command" };
            return Failure::usage(format!("{what} `{word}`")).hint(*hint);
        }
        if error.use_stderr() {
            // The message repeats parts of the arguments, whose control characters must not reach the terminal.
            for line in error.render().to_string().lines() {
                drop(writeln!(io::stderr(), "{}", printable(line)));
            }
            return Failure::ended(Exit::Usage);
        }
        // Printing help or the version may fail: the reader may be gone, or the disk full.
        match error.print().and_then(|()| io::stdout().flush()) {
            Ok(()) => Failure::ended(Exit::Done),
            Err(error) => Failure::from(error),
        }
    })
}

/// Flags that only other commands or programs have, and removed flags and commands, with what to use instead.
const OTHERS: [(&str, &str); 13] = [
    ("--token", "use --token-file, --token-stdin or a login: others can see the command line"),
    ("--to", "--from MIRROR names the mirror to read; only commands that write one have --to"),
    ("--excel", "-o xlsx writes a workbook; --separator ';' sets the CSV separator"),
    ("--keyring", "to use a keyring, set `token-command` to a program that prints the token"),
    ("--color", "set NO_COLOR to turn colors off; only terminals show them"),
    ("--account", "a profile names an account: instead of --account NAME, use --profile NAME"),
    ("--access-log", "with readers, pages are logged to standard error: redirect it with 2>>FILE"),
    ("--repair", "`mirror rebuild` corrects what `mirror check` reports"),
    ("--report", "`check -o json` prints all checks, and the exit code is 5 if one fails"),
    ("--cache", "a mirror answers without the service: add --from mirror after `mirror sync`"),
    ("cache", "a mirror answers without the service, and has no cache to clear"),
    ("export", "`mirror copy --to URL` copies the mirror; for a list, use --output-file FILE"),
    ("airbyte", "Airbyte reads a copy in PostgreSQL: use `mirror copy --to postgres://…`"),
];

/// Replaces placeholders in the help of a command and its flags.
fn filled(command: clap::Command, fill: &dyn Fn(&str) -> String) -> clap::Command {
    let text = |text: Option<&StyledStr>| {
        Resettable::from(text.map(|text| StyledStr::from(fill(&text.to_string()))))
    };
    let [about, long, after] =
        [command.get_about(), command.get_long_about(), command.get_after_help()].map(text);
    command.about(about).long_about(long).after_help(after).mut_args(|arg| {
        let [help, long] = [arg.get_help(), arg.get_long_help()].map(text);
        arg.help(help).long_help(long)
    })
}

/// Replaces the placeholders in help text with the service's names for members, groups and values.
fn fill(text: &str, program: &Program, example: Example, of: Option<Recovered>) -> String {
    let Example { command, method, fields } = example;
    let width = KEYS.iter().map(|key| key.name.len()).max().unwrap_or(0);
    let settings = KEYS.iter().map(|key| format!("  {:width$}  {}", key.name, key.about));
    let settings = settings.collect::<Vec<_>>().join("\n");
    let extensions = Formats(program.formats).extensions();
    let (capitals, page) = (capitals(program.name), command.replace(' ', "-"));
    let (member, group) =
        of.map_or(("record", "group"), |of| (of.members.name(), of.groups.name()));
    let placeholders = [
        ("{settings}", &*settings),
        ("{PROGRAM}", &*capitals),
        ("{program}", program.name),
        ("{command}", command),
        ("{page}", &*page),
        ("{method}", method),
        ("{extensions}", &*extensions),
        ("{fields}", fields),
        ("{reference}", program.contract.map_or("", |(_, reference)| reference)),
        ("{member}", member),
        ("{group}", group),
        ("{value}", of.map_or("value", |of| of.value)),
    ];
    placeholders.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
}

/// Returns a program's examples: first the ones with sample data, then the others.
fn examples(program: &Program, example: Example) -> [Vec<String>; 2] {
    let own = [example.command];
    let given = |given: &'static [&'static str]| {
        if given.is_empty() { own.to_vec() } else { given.to_vec() }
    };
    let sample = program.demo.map(|demo| given(demo.examples)).unwrap_or_default();
    let login = format!("auth login --base-url https://{}.example.com", program.name);
    let others = given(program.examples).into_iter().map(str::to_owned);
    [
        sample.iter().map(|one| format!("--demo {one}")).collect(),
        [login].into_iter().chain(others).collect(),
    ]
}

fn short_help(program: &Program, example: Example) -> String {
    let name = program.name;
    let [sample, others] = examples(program, example);
    format!(
        "Examples:\n{}\n\n{}Flags of a command: `{name} COMMAND -h`. Everything: `{name} --help`",
        lines(program, sample.iter().take(1).chain(others.iter().take(2))),
        common_options(program)
    )
}

/// The most used options of the commands that print lists.
const MOST_USED: &str = "\
Most used:
      --fields <FIELDS>      Print only these fields
      --filter <FIELD=TEXT>  Print only records where FIELD equals TEXT; also `~` `<` `>`
      --sort <FIELDS>        Sort by these fields; prefix `-` for descending order
      --limit <N>            Stop after N records
      --output-file <FILE>   Write to FILE: its extension, such as .xlsx or .csv, selects the format";

fn common_options(program: &Program) -> String {
    format!("Common options: {}\n", program.command("help options"))
}

fn lines<T: AsRef<str>>(program: &Program, examples: impl Iterator<Item = T>) -> String {
    let lines = examples.map(|one| format!("  {} {}", program.name, one.as_ref()));
    lines.collect::<Vec<_>>().join("\n")
}

fn long_help(program: &Program, example: Example) -> String {
    format!(
        "\
Examples:
{}

Access token, first source found wins; {} shows the sources of other settings:
  --token-file FILE, --token-stdin
  {}, {}
  token-command, then token-file of the profile
  the token stored by {}, in a file that only you can read

{}
{EXIT_CODES}",
        lines(program, examples(program, example).iter().flatten()),
        program.command("config list"),
        program.variable("TOKEN"),
        program.variable("TOKEN_FILE"),
        program.command("auth login"),
        environment(program),
    )
}

fn environment(program: &Program) -> String {
    let mut own: Vec<_> = KEYS.iter().filter_map(|key| Some((key.variable?, key.about))).collect();
    own.splice(1..1, [("PROFILE", "profile"), ("TOKEN", "access token")]);
    own.push(("FORCE_TTY", "format output as on a terminal with this many columns"));
    let own = own.into_iter().map(|(variable, text)| (program.variable(variable), text));
    let others = [
        ("HTTPS_PROXY", "proxy for https; HTTP_PROXY and ALL_PROXY for others"),
        ("NO_PROXY", "hosts to call directly"),
        ("PAGER", "pager for long output on a terminal [default: less]"),
        ("NO_COLOR", "no colors"),
        ("CI", "no progress line and no pager"),
    ];
    let others = others.map(|(variable, text)| (variable.to_owned(), text));
    let width = program.variable("TOKEN_FILE").len();
    let line = |(variable, text)| format!("  {variable:width$}  {text}\n");
    format!("Environment:\n{}", own.chain(others).map(line).collect::<String>())
}

/// Returns the program with its commands grouped by purpose in the help.
fn grouped(program: clap::Command) -> clap::Command {
    let name = program.get_name().to_owned();
    let template = template(&program);
    // The groups list the commands, so the parser need not.
    program
        .mut_subcommands(|command| command.hide(true))
        .override_usage(format!("{name} [OPTIONS] <COMMAND>"))
        .help_template(template)
        .before_long_help("\n\nEvery command has these options:")
}

fn template(program: &clap::Command) -> String {
    let header = program.get_styles().get_header();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for group in ["Read data", MIRROR, "Set up and check", "Help"] {
        let is_shown =
            |one: &&clap::Command| !one.is_hide_set() && group_of(one.get_name()) == group;
        let members: Vec<_> = program.get_subcommands().filter(is_shown).cloned().collect();
        if !members.is_empty() {
            let list = clap::Command::new("").max_term_width(MAX_WIDTH).subcommands(members);
            let mut list = list.disable_help_subcommand(true).help_template("{subcommands}");
            let list = list.render_help().ansi().to_string();
            // Writing to a string cannot fail.
            _ = writeln!(text, "\n{header}{group}:{header:#}\n{}", list.trim_end());
        }
    }
    text.truncate(text.trim_end().len());
    // Only the long help has options, and the text before them.
    text + "{before-help}{all-args}{after-help}"
}

/// Returns a command's group in the help. A service's own commands read data.
fn group_of(command: &str) -> &'static str {
    match command {
        "board" | "dashboard" | "duplicates" | "mcp" | "placements" | "report" | "tap"
        | "watch" => MIRROR,
        "auth" | "check" | "config" | "mirror" | "profile" => "Set up and check",
        "completions" | "help" | "man" => "Help",
        _ => "Read data",
    }
}

/// The help group of the commands that need a mirror.
const MIRROR: &str = "Read a mirror (`mirror sync` creates it)";

const MAX_WIDTH: usize = 100;

/// Parses a number from the command line.
///
/// # Errors
///
/// Fails with a readable message unless the text is an unsigned 64-bit integer.
pub fn whole_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| match error.kind() {
        IntErrorKind::PosOverflow => format!("the maximum is {}", u64::MAX),
        _ => "expected a whole number, such as 101".to_owned(),
    })
}

/// Parses a whole number of at least 1.
pub(crate) fn positive<T: TryFrom<NonZeroU64>>(text: &str) -> Result<T, &'static str> {
    let number = text.parse::<NonZeroU64>().ok().and_then(|number| number.try_into().ok());
    number.ok_or("expected a whole number of 1 or more")
}

pub(crate) fn seconds(text: &str) -> Result<u64, &'static str> {
    positive(text)
        .map_err(|_without_unit| "expected a whole number of seconds, 1 or more, such as 30")
}

pub(crate) fn print_help(
    command: &[String],
    definition: clap::Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let words: Vec<&str> = command.iter().map(String::as_str).collect();
    let help = match *words {
        [] => grouped(definition).render_long_help(),
        ["options"] => options(&definition),
        ["environment"] => environment(&invocation.program).into(),
        ["exit-codes"] => format!("{EXIT_CODES}\n").into(),
        _ => find(definition, command)?.render_long_help(),
    };
    let colored = invocation.screen.output.color && invocation.output.file().is_none();
    let text = if colored { help.ansi().to_string() } else { help.to_string() };
    print(invocation, text.as_bytes())
}

/// Returns the short descriptions of the options that every command has.
fn options(definition: &clap::Command) -> StyledStr {
    let program = definition.get_name();
    let has = |id: &str| id != "help" && id != "version";
    let options = definition.get_arguments().filter(|one| has(one.get_id().as_str()));
    let options = options.map(|one| one.clone().hide_short_help(false));
    clap::Command::new("options")
        .disable_help_flag(true)
        .disable_version_flag(true)
        .max_term_width(MAX_WIDTH)
        .args(options)
        .help_template("{all-args}{after-help}")
        .after_help(format!("Details: `{program} --help`"))
        .render_help()
}

/// Returns the command that these words name; without words, the program itself.
fn find(mut definition: clap::Command, words: &[String]) -> Result<clap::Command, Failure> {
    definition.build();
    let found = words.iter().try_fold(&definition, |found, word| {
        found.find_subcommand(word).ok_or_else(|| {
            let name = found.get_bin_name().unwrap_or_else(|| found.get_name());
            let failure = Failure::usage(format!("unknown command `{name} {word}`"));
            match closest(word, found.get_subcommands().map(clap::Command::get_name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    });
    found.cloned()
}

/// Prints a command's manual page in the format of `man`. If `all` names a folder, writes all pages to it instead.
pub(crate) fn print_page(
    command: &[String],
    all: Option<&Path>,
    definition: clap::Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Program { name, version, .. } = invocation.program;
    let page = |command: clap::Command| {
        // Otherwise, the page omits the texts of options that the short help hides.
        let command = command.mut_args(|one| one.hide_short_help(false));
        Man::new(command).source(format!("{name} {version}"))
    };
    let command = find(definition, command)?;
    let Some(folder) = all else {
        let mut text = Vec::new();
        page(command).render(&mut text)?;
        return print(invocation, &text);
    };
    invocation.refuse_dry_run()?;
    let shown = folder.display();
    let mut left = vec![command];
    let mut pages = || {
        fs::create_dir_all(folder)?;
        while let Some(command) = left.pop() {
            left.extend(command.get_subcommands().cloned());
            page(command).generate_to(folder)?;
        }
        Ok(())
    };
    pages().map_err(|error: io::Error| {
        Failure::new(Exit::Unwritten, format!("cannot write the pages to `{shown}`")).because(error)
    })?;
    invocation.screen.note(&format!("wrote the pages to `{shown}`"));
    Ok(())
}

pub(crate) fn completions(
    shell: Shell,
    mut definition: clap::Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut definition, invocation.program.name, &mut script);
    print(invocation, &script)
}

#[cfg(test)]
mod tests {
    use super::definition;
    use crate::tests::{Commands, LARGE, SMALL};

    /// Returns the short and the long help of a command and its subcommands.
    fn help(command: &mut clap::Command) -> String {
        command.build();
        let own = [command.render_help(), command.render_long_help()];
        let below = command.get_subcommands_mut().map(help);
        own.iter().map(ToString::to_string).chain(below).collect()
    }

    #[test]
    fn the_help_of_a_program_names_only_what_it_has() {
        let small = help(&mut definition::<Commands>(&SMALL));
        assert!(!small.contains("demo") && !small.contains("Check the service"), "{small}");
        for text in [
            "photos auth login --base-url https://photos.example.com\n  photos totals\n",
            "photos api totals/get --jq .\n",
            "PHOTOS_TOKEN_FILE  file with the access token, which only you can read\n",
            "such as `photos,albums`",
        ] {
            assert!(small.contains(text), "{text}:\n{small}");
        }
        let large = help(&mut definition::<Commands>(&LARGE));
        for text in [
            "Photos and albums\n",
            "Examples:\n  photos --demo totals\n",
            "photos totals -o json\n",
            "what photos-server does",
        ] {
            assert!(large.contains(text), "{text}:\n{large}");
        }
        // Only the service's own text still contains a placeholder.
        for text in [small, large] {
            let text = text.replace("Print the totals of {program}", "");
            assert!(!text.contains('{'), "{text}");
        }
    }
}
