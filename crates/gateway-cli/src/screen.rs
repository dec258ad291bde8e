//! What the program knows of the two streams it writes to: terminal or not, how wide, and in colour or not.

use std::env;
use std::fs::File;
use std::io::{self, IsTerminal, Write as _};
#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;

use clap::ValueEnum;

use crate::escape::printable;

/// When to print in colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Into files and pipes too.
    Always,
    /// Not at all.
    Never,
}

/// How an output looks where it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// The columns of the terminal that shows it; `None` if something else reads it.
    pub(crate) width: Option<u16>,
    /// Whether it is coloured.
    pub(crate) color: bool,
}

impl View {
    /// Returns whether a person looks at it.
    pub(crate) fn is_terminal(self) -> bool {
        self.width.is_some()
    }
}

/// Standard output and standard error, as a person sees them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// How standard output looks.
    pub(crate) output: View,
    /// Whether standard error is a terminal.
    pub(crate) errors_seen: bool,
    /// Whether standard error is coloured.
    errors_color: bool,
    color: Color,
    quiet: bool,
    /// The columns that the terminal is said to have.
    forced: Option<u16>,
}

impl Screen {
    /// Looks at the two streams, and at the variables that people set for all programs.
    pub(crate) fn look(color: Color, quiet: bool) -> Self {
        // For screenshots and tests: a terminal of so many columns.
        let forced = variable("GATEWAY_FORCE_TTY").and_then(|columns| columns.parse().ok());
        let width = forced.or_else(|| columns(&io::stdout()));
        let errors_seen = forced.is_some() || io::stderr().is_terminal();
        Self {
            output: View { width, color: wants(color, width.is_some()) },
            errors_seen,
            errors_color: wants(color, errors_seen),
            color,
            quiet,
            forced,
        }
    }

    /// Returns the width of the terminal that shows standard error: a person may change it at any time.
    pub(crate) fn errors_width(self) -> u16 {
        self.forced.or_else(|| columns(&io::stderr())).unwrap_or(COLUMNS)
    }

    /// Returns how an output looks that goes to a device: it may be a terminal too.
    pub(crate) fn view_of(self, device: &File) -> View {
        let width = columns(device);
        View { width, color: width.is_some() && wants(self.color, true) }
    }

    /// Says something besides the data, on standard error. `-q` keeps it back.
    pub(crate) fn note(self, text: &str) {
        if !self.quiet {
            self.say(Tone::Dim, "note", text);
        }
    }

    /// Says that something was left out of the data, on standard error.
    pub(crate) fn warn(self, text: &str) {
        self.say(Tone::Warning, "warning", text);
    }

    /// Says something of this kind, on standard error.
    pub(crate) fn say(self, tone: Tone, label: &str, text: &str) {
        let label = paint(self.errors_color, tone, label);
        // There is nowhere to report that standard error is closed.
        drop(writeln!(io::stderr(), "{label}: {}", printable(text)));
    }

    /// Takes away what stands in the last line of standard error: `^C`, or how far a list is.
    pub(crate) fn clear_line(self) {
        if self.errors_seen {
            drop(write!(io::stderr(), "\r\u{1b}[K"));
        }
    }

    /// Writes what `-v` asks for, on standard error.
    pub(crate) fn trace(self, text: &str) {
        // It may come in the middle of a long list.
        self.clear_line();
        let line = paint(self.errors_color, Tone::Dim, &printable(text));
        drop(writeln!(io::stderr(), "{line}"));
    }
}

/// What a piece of text is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Error,
    Warning,
    Hint,
    Bold,
    Dim,
}

/// Puts the text into the colour of its tone.
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
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Returns the width of a terminal; `None` if it is none.
fn columns<S: IsTerminal + Stream>(stream: &S) -> Option<u16> {
    // Some terminals do not know their size: a serial line, or one that a program has made for another.
    let known = || terminal_size::terminal_size_of(stream).map_or(COLUMNS, |(width, _)| width.0);
    stream.is_terminal().then(known)
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

/// Returns the value of a variable that is set to something.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// How wide a terminal is that does not say it.
const COLUMNS: u16 = 80;
