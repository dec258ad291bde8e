//! `man`: the manual page of the program or a command, or all pages.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args as Flags, Command, ValueHint};
use clap_mangen::Man;

use crate::command::find::find;
use crate::command::print::print;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::program::Program;

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
pub(crate) fn run(
    flags: &ManFlags,
    mut definition: Command,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let program = &invocation.program;
    if let Some(folder) = &flags.all {
        definition.build();
        let mut all = Vec::new();
        pages(&definition, program, &mut all)?;
        return write(&all, folder, invocation);
    }
    print(invocation, &page(&find(definition, &flags.command)?, program)?)
}

/// Collects the page of a command and of those below it, with their file names. The built-in `help` repeats the others.
fn pages(command: &Command, program: &Program, all: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    all.push((format!("{name}.1"), page(command, program)?));
    let below = command.get_subcommands().filter(|one| !one.is_hide_set());
    below.filter(|one| one.get_name() != "help").try_for_each(|one| pages(one, program, all))
}

fn write(
    pages: &[(String, Vec<u8>)],
    folder: &Path,
    invocation: &Invocation,
) -> Result<(), Failure> {
    let (count, shown) = (pages.len(), folder.display());
    if invocation.call.dry_run {
        invocation.screen.note(&format!("would write {count} pages to `{shown}`"));
        return Ok(());
    }
    let written = fs::create_dir_all(folder).and_then(|()| {
        pages.iter().try_for_each(|(name, page)| fs::write(folder.join(name), page))
    });
    written.map_err(|error| {
        Failure::new(Exit::Unwritten, format!("cannot write the pages to `{shown}`"))
            .because(error.to_string())
    })?;
    invocation.screen.note(&format!("wrote {count} pages to `{shown}`"));
    Ok(())
}

/// Returns the page. Each paragraph at the end of the help, such as the examples, becomes a section.
fn page(command: &Command, program: &Program) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(format!("{} {}", program.name, program.version));
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
