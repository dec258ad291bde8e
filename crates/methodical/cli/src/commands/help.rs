//! The commands that describe the program: `help`, `man` and `completions`.

use std::fs;
use std::path::Path;

use clap::builder::StyledStr;
use clap::{Arg, Command};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{MAX_WIDTH, environment, grouped};
use crate::failure::{EXIT_CODES, Exit, Failure};
use crate::output::destination::print;
use crate::run::Invocation;
use crate::screen::closest;

pub(crate) fn run(
    command: &[String],
    definition: Command,
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
    let found = words.iter().try_fold(&definition, |found, word| {
        found.find_subcommand(word).ok_or_else(|| {
            let name = found.get_bin_name().unwrap_or_else(|| found.get_name());
            let failure = Failure::usage(format!("unknown command `{name} {word}`"));
            match closest(word, found.get_subcommands().map(Command::get_name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    });
    found.cloned()
}

/// Prints the page in the format of `man`, or writes all pages.
pub(crate) fn print_page(
    command: &[String],
    all: Option<&Path>,
    definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let Some(folder) = all else {
        let mut page = Vec::new();
        Man::new(with_texts(find(definition, command)?)).render(&mut page)?;
        return print(invocation, &page);
    };
    invocation.refuse_dry_run()?;
    let shown = folder.display();
    let pages = || clap_mangen::generate_to(with_texts(definition), folder);
    fs::create_dir_all(folder).and_then(|()| pages()).map_err(|error| {
        Failure::new(Exit::Unwritten, format!("cannot write the pages to `{shown}`")).because(error)
    })?;
    invocation.screen.note(&format!("wrote the pages to `{shown}`"));
    Ok(())
}

/// Copies the short text of each option without a long one: if some options have a long text, clap omits the short text
/// of others.
fn with_texts(command: Command) -> Command {
    let with_text = |one: Arg| match (one.get_long_help(), one.get_help().cloned()) {
        (None, Some(text)) => one.long_help(text),
        _ => one,
    };
    command.mut_args(with_text).mut_subcommands(with_texts)
}

pub(crate) fn completions(
    shell: Shell,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let mut script = Vec::new();
    let name = invocation.program.name;
    clap_complete::generate(shell, &mut definition, name, &mut script);
    print(invocation, &script)
}
