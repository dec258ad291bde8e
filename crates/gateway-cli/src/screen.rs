//! What the program knows of the two streams it writes to: terminal or not, how wide, and in colour or not.

use std::env;
use std::io::{self, IsTerminal as _, Write as _};

use clap::ValueEnum;

use crate::output::escape::printable;

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

/// Standard output and standard error, as a person sees them.
#[expect(clippy::struct_excessive_bools, reason = "four facts, each about a stream of its own")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// The width of the terminal that shows standard output; `None` if something else reads it.
    pub(crate) width: Option<u16>,
    /// Whether standard output is coloured.
    pub(crate) color: bool,
    /// Whether standard error is a terminal.
    pub(crate) errors_seen: bool,
    /// Whether standard error is coloured.
    errors_color: bool,
    quiet: bool,
}

impl Screen {
    /// Looks at the two streams, and at the variables that people set for all programs.
    pub(crate) fn look(color: Color, quiet: bool) -> Self {
        // For screenshots and tests: a terminal of so many columns.
        let forced = variable("GATEWAY_FORCE_TTY").and_then(|columns| columns.parse().ok());
        let width = forced.or_else(|| {
            let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
            Some(width.0)
        });
        let errors_seen = forced.is_some() || io::stderr().is_terminal();
        Self {
            width,
            color: wants(color, width.is_some()),
            errors_seen,
            errors_color: wants(color, errors_seen),
            quiet,
        }
    }

    /// Returns whether a person looks at standard output.
    pub(crate) fn is_terminal(self) -> bool {
        self.width.is_some()
    }

    /// Says something beside the data, on standard error. `-q` keeps it back.
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
