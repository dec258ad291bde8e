//! The commands that describe the program: `help`, `man`, `completions` and `version`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::builder::StyledStr;
use clap::{Arg, Args as Flags, Command, ValueHint};
use clap_complete::Shell;
use clap_mangen::Man;
use methodical_client::model::Service;
use serde_json::json;

use crate::args::{MAX_WIDTH, environment, grouped};
use crate::failure::{EXIT_CODES, Exit, Failure};
use crate::output::print;
use crate::output::printer::Schema;
use crate::program::Program;
use crate::run::Invocation;
use crate::screen::closest;

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
            "exit-codes" => format!("{EXIT_CODES}\n").into(),
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
        .max_term_width(MAX_WIDTH)
        .args(options)
        .help_template("{all-args}{after-help}")
        .after_help(format!("Details: `{program} --help`"))
        .render_help()
}

/// Returns the command that these words name; without words, the program itself.
fn find(mut definition: Command, words: &[String]) -> Result<Command, Failure> {
    definition.build();
    let mut found = &definition;
    let mut name = found.get_name().to_owned();
    for word in words {
        let Some(next) = found.find_subcommand(word) else {
            let failure = Failure::usage(format!("unknown command `{name} {word}`"));
            return Err(match closest(word, found.get_subcommands().map(Command::get_name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            });
        };
        found = next;
        name = format!("{name} {word}");
    }
    Ok(found.clone())
}

/// The arguments of `man`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} man | man -l -
  {program} man {command} > {program}-{page}.1
  {program} man --all ~/.local/share/man/man1")]
pub(crate) struct ManFlags {
    /// Command, such as `{command}` [default: the whole program].
    command: Vec<String>,

    /// Write the pages of the program and of each command to this folder.
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with = "command")]
    all: Option<PathBuf>,
}

/// Prints the page in the format of `man`, or writes all pages.
pub(crate) fn print_page(
    flags: &ManFlags,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let program = &invocation.program;
    let Some(folder) = &flags.all else {
        return print(invocation, &page(&find(definition, &flags.command)?, program)?);
    };
    definition.build();
    let mut all = Vec::new();
    pages(&definition, program, &mut all)?;
    let (count, shown) = (all.len(), folder.display());
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would write {count} pages to `{shown}`"));
        return Ok(());
    }
    write(&all, folder).map_err(|error| {
        Failure::new(Exit::Unwritten, format!("cannot write the pages to `{shown}`"))
            .because(error.to_string())
    })?;
    invocation.screen.note(&format!("wrote {count} pages to `{shown}`"));
    Ok(())
}

/// Collects the page of a command and of those below it, with their file names. The built-in `help` repeats the others.
fn pages(command: &Command, program: &Program, all: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    all.push((format!("{name}.1"), page(command, program)?));
    let below = command.get_subcommands().filter(|one| !one.is_hide_set());
    below.filter(|one| one.get_name() != "help").try_for_each(|one| pages(one, program, all))
}

fn write(pages: &[(String, Vec<u8>)], folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    pages.iter().try_for_each(|(name, page)| fs::write(folder.join(name), page))
}

/// Returns the page. Each paragraph at the end of the help, such as the examples, becomes a section.
fn page(command: &Command, program: &Program) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    // Beside options with a long text, the library prints no short one.
    let with_text = |one: Arg| match (one.get_long_help(), one.get_help().cloned()) {
        (None, Some(text)) => one.long_help(text),
        _ => one,
    };
    let man = Man::new(command.clone().mut_args(with_text))
        .source(format!("{} {}", program.name, program.version));
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    let below = command.get_after_long_help().or_else(|| command.get_after_help());
    let below = below.map(ToString::to_string).unwrap_or_default();
    for section in below.split("\n\n") {
        page.extend_from_slice(self::section(section).as_bytes());
    }
    Ok(bold_code(&String::from_utf8_lossy(&page)).into_bytes())
}

/// Prints code in bold type, where the help has backticks.
fn bold_code(page: &str) -> String {
    let line = |line: &str| {
        let mut parts = line.split('`');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for (part, font) in parts.zip(["\\fB", "\\fR"].iter().cycle()) {
            out.push_str(font);
            out.push_str(part);
        }
        out
    };
    page.split_inclusive('\n').map(line).collect()
}

/// Returns a section: its heading up to a comma is the title; the rest of the heading and the lines follow unchanged.
fn section(text: &str) -> String {
    let Some((heading, lines)) = text.split_once('\n') else { return String::new() };
    let heading = heading.trim_end_matches(':');
    let (title, rest) = heading.split_once(", ").unwrap_or((heading, ""));
    let mut section = format!(".SH {}\n", title.to_uppercase());
    let mut letters = rest.chars();
    if let Some(first) = letters.next() {
        // Writing to a string cannot fail.
        _ = writeln!(section, "{}{}:\n.br", first.to_uppercase(), plain(letters.as_str()));
    }
    section.push_str(".nf\n");
    for line in lines.lines() {
        _ = writeln!(section, "{}", plain(line));
    }
    section.push_str(".fi\n");
    section
}

/// Escapes the characters of a line that have a meaning for `man`.
fn plain(line: &str) -> String {
    // A full stop or an apostrophe has a meaning only at the beginning of a line, where there is a `\&` now.
    format!("\\&{}", line.replace('\\', "\\e").replace('-', "\\-"))
}

/// The flags of `completions`.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  {program} completions bash > ~/.local/share/bash-completion/completions/{program}
  {program} completions zsh > ~/.zfunc/_{program}
  {program} completions fish > ~/.config/fish/completions/{program}.fish

For zsh, above compinit in ~/.zshrc:
  fpath+=(~/.zfunc)")]
pub(crate) struct CompletionsFlags {
    /// The shell.
    shell: Shell,
}

pub(crate) fn completions(
    flags: &CompletionsFlags,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    let name = invocation.program.name.as_str();
    clap_complete::generate(flags.shell, &mut definition, name, &mut script);
    print(invocation, &script)
}

/// Prints the facts that belong in a bug report: text for a person, or a record if any flag asks for one.
pub(crate) fn version<S: Service>(invocation: &Invocation) -> Result<(), Failure> {
    let Invocation { program, output, .. } = invocation;
    let (name, version, api) = (program.name.as_str(), program.version, S::API_VERSION);
    let (demo, keyring) = (program.demo.is_some(), cfg!(feature = "keyring"));
    if output.format()?.is_none() && output.selection().is_none() {
        let with = |there| if there { "with" } else { "without" };
        let (demo, keyring) = (with(demo), with(keyring));
        let text = format!(
            "{name} {version}\nAPI {api}, {demo} sample data, {keyring} the keyring of the operating system\n"
        );
        return print(invocation, text.as_bytes());
    }
    let fields = &["name", "version", "api", "demo", "keyring"];
    let values = [json!(name), json!(version), json!(api), json!(demo), json!(keyring)];
    Schema::of_program(fields, true).print_rows(invocation, [values])
}
