//! `gateway man`: the manual page, for the program or one command.

use std::fmt::Write as _;
use std::io;

use clap::{Args as Flags, Command};
use clap_mangen::Man;

use crate::command::find::find;
use crate::command::print::print;
use crate::failure::Failure;
use crate::output::flags::OutputFlags;

/// Of what.
#[derive(Debug, Flags)]
#[command(after_help = "\
Examples:
  gateway man | man -l -
  gateway man candidates list > gateway-candidates-list.1")]
pub(crate) struct ManFlags {
    /// A command, such as `candidates list`; without one, the program.
    command: Vec<String>,
}

/// Prints the page, to be read by `man`.
pub(crate) fn run(flags: &ManFlags, program: Command, output: &OutputFlags) -> Result<(), Failure> {
    print(output, &page(&find(program, &flags.command)?)?)
}

/// Writes the page in the language of `man`. What stands below the help, such as examples, gets sections of its own.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).source(concat!("gateway ", env!("CARGO_PKG_VERSION")));
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
    Ok(page)
}

/// Writes a section: the lines stand as they are, below the first words of their heading.
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

/// Takes from a line what `man` would act on.
fn plain(line: &str) -> String {
    // A full stop or an apostrophe acts at the beginning of a line only.
    format!("\\&{}", line.replace('\\', "\\e").replace('-', "\\-"))
}
