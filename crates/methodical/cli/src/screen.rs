//! Standard output and standard error: whether each is a terminal, its width, its colours, and messages to the person.

use std::env;
use std::fs::File;
use std::io::{self, IsTerminal, Write as _};
#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;

use clap::ValueEnum;

use crate::escape::printable;
use crate::name::{Name, Variable};
use crate::secrets::without_secrets;

/// When to print in colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Even in files and pipes.
    Always,
    /// Never.
    Never,
}

/// The width and colours of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// The columns of the terminal; `None` if the output is not a terminal.
    pub(crate) width: Option<u16>,
    /// Whether the output is coloured.
    pub(crate) color: bool,
}

impl View {
    /// Returns whether the output is a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        self.width.is_some()
    }
}

/// The size of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TerminalSize {
    pub(crate) columns: u16,
    pub(crate) rows: u16,
}

/// The state of standard output and standard error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// The view of standard output.
    pub(crate) output: View,
    /// The size of standard output if it is a terminal with a known size.
    pub(crate) size: Option<TerminalSize>,
    /// Whether standard error is a terminal.
    pub(crate) errors_seen: bool,
    /// Whether standard error is coloured.
    errors_color: bool,
    color: Color,
    pub(crate) quiet: bool,
    /// The columns that `Variable::ForceTty` sets.
    forced: Option<u16>,
}

impl Screen {
    /// Examines the two streams, and the environment variables about terminals.
    pub(crate) fn look(program: Name, color: Color, quiet: bool) -> Self {
        let forced =
            variable(&Variable::ForceTty.of(program)).and_then(|columns| columns.parse().ok());
        let width = forced.or_else(|| columns(&io::stdout()));
        let size = if forced.is_none() { size(&io::stdout()) } else { None };
        let errors_seen = forced.is_some() || io::stderr().is_terminal();
        Self {
            output: View { width, color: wants(color, width.is_some()) },
            size,
            errors_seen,
            errors_color: wants(color, errors_seen),
            color,
            quiet,
            forced,
        }
    }

    /// Returns the current width of standard error, which a person may change at any time.
    pub(crate) fn errors_width(self) -> u16 {
        self.forced.or_else(|| columns(&io::stderr())).unwrap_or(COLUMNS)
    }

    /// Returns the view of a device, which may be a terminal.
    pub(crate) fn view_of(self, device: &File) -> View {
        let width = columns(device);
        View { width, color: width.is_some() && wants(self.color, true) }
    }

    /// Prints a note to standard error, unless `-q` is given.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.say(Tone::Dim, "note", text);
        }
    }

    /// Prints a warning to standard error, unless `-q` is given.
    pub(crate) fn warn(self, text: &str) {
        if !self.quiet {
            self.say(Tone::Warning, "warning", text);
        }
    }

    /// Prints a message with a label to standard error.
    pub(crate) fn say(self, tone: Tone, label: &str, text: &str) {
        let label = paint(self.errors_color, tone, label);
        // If standard error is closed, this cannot be reported anywhere.
        drop(writeln!(io::stderr(), "{label}: {}", printable(&without_secrets(text))));
    }

    /// Clears the last line of standard error on a terminal: `^C`, or the progress line.
    pub(crate) fn clear_line(self) {
        if self.errors_seen {
            drop(write!(io::stderr(), "\r\u{1b}[K"));
        }
    }

    /// Prints a line of `-v` to standard error.
    pub(crate) fn trace(self, text: &str) {
        // The progress line may be there.
        self.clear_line();
        let line = paint(self.errors_color, Tone::Dim, &printable(&without_secrets(text)));
        drop(writeln!(io::stderr(), "{line}"));
    }
}

/// The role of a piece of text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Error,
    Warning,
    Hint,
    Bold,
    Dim,
    /// The name of a field in JSON.
    Name,
    /// A string in JSON.
    Text,
}

/// Adds the colour of a tone to the text.
pub(crate) fn paint(color: bool, tone: Tone, text: &str) -> String {
    if !color {
        return text.to_owned();
    }
    let code = match tone {
        Tone::Error => "1;31",
        Tone::Warning => "1;33",
        Tone::Hint => "1;36",
        Tone::Bold => "1",
        Tone::Dim => "2",
        Tone::Name => "1;34",
        Tone::Text => "32",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Returns the width of a stream; `None` if it is not a terminal.
fn columns<S: IsTerminal + Stream>(stream: &S) -> Option<u16> {
    // Some terminals do not know their size, such as a serial line or a pseudoterminal of another program.
    let known = || terminal_size::terminal_size_of(stream).map_or(COLUMNS, |(width, _)| width.0);
    stream.is_terminal().then(known)
}

/// Returns the width of standard output; `None` if it is not a terminal.
pub(crate) fn output_columns() -> Option<u16> {
    columns(&io::stdout())
}

/// Returns the size of a stream; `None` if it is not a terminal, or its size is unknown.
fn size<S: IsTerminal + Stream>(stream: &S) -> Option<TerminalSize> {
    let (columns, rows) = terminal_size::terminal_size_of(stream)?;
    stream.is_terminal().then_some(TerminalSize { columns: columns.0, rows: rows.0 })
}

fn wants(color: Color, terminal: bool) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => {
            terminal
                && variable("NO_COLOR").is_none()
                && variable("TERM").as_deref() != Some("dumb")
        }
    }
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Width of a terminal of unknown size, in columns.
const COLUMNS: u16 = 80;
