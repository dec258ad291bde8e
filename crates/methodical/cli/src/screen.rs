//! Standard output and standard error: whether each is a terminal, its width, its colors, and messages to the user.

use std::borrow::Cow;
use std::env;
use std::io::{self, IsTerminal, Write as _};
#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;

use crate::connect::without_secrets;
use crate::program::Program;

/// The width and colors of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct View {
    /// The columns of the terminal; `None` if the output is not a terminal.
    pub(crate) width: Option<u16>,
    /// Whether the output is colored.
    pub(crate) color: bool,
}

impl View {
    /// Returns whether the output is a terminal.
    pub(crate) fn is_terminal(self) -> bool {
        self.width.is_some()
    }
}

/// The state of standard output and standard error.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "they are independent")]
pub(crate) struct Screen {
    /// The view of standard output.
    pub(crate) output: View,
    /// Whether standard output is a terminal with a known size, so that a pager can show it.
    pub(crate) can_page: bool,
    /// Whether standard error is a terminal.
    pub(crate) errors_seen: bool,
    /// Whether terminals are colored: `NO_COLOR` is not set.
    pub(crate) has_colors: bool,
    pub(crate) quiet: bool,
    /// The columns that the variable `FORCE_TTY` sets.
    forced: Option<u16>,
}

impl Screen {
    /// Examines the two streams, and the environment variables about terminals.
    pub(crate) fn look(program: &Program, quiet: bool) -> Self {
        let forced =
            variable(&program.variable("FORCE_TTY")).and_then(|columns| columns.parse().ok());
        let width = forced.or_else(|| columns(&io::stdout()));
        let is_sized = terminal_size::terminal_size_of(io::stdout()).is_some();
        let has_colors =
            variable("NO_COLOR").is_none() && variable("TERM").as_deref() != Some("dumb");
        Self {
            output: View { width, color: width.is_some() && has_colors },
            can_page: forced.is_none() && is_sized && io::stdout().is_terminal(),
            errors_seen: forced.is_some() || io::stderr().is_terminal(),
            has_colors,
            quiet,
            forced,
        }
    }

    /// Returns the current width of standard error, which the user may change at any time.
    pub(crate) fn errors_width(self) -> u16 {
        self.forced.or_else(|| columns(&io::stderr())).unwrap_or(COLUMNS)
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
        let label = paint(self.errors_seen && self.has_colors, tone, label);
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
        let color = self.errors_seen && self.has_colors;
        let line = paint(color, Tone::Dim, &printable(&without_secrets(text)));
        drop(writeln!(io::stderr(), "{line}"));
    }
}

/// The role of a piece of text, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Error,
    Warning,
    Hint,
    Bold,
    Dim,
}

/// Adds the color of a tone to the text.
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

/// Returns the width of a stream; `None` if it is not a terminal.
pub(crate) fn columns<S: IsTerminal + Stream>(stream: &S) -> Option<u16> {
    // Some terminals do not know their size, such as a serial line or another program's pseudoterminal.
    let known = || terminal_size::terminal_size_of(stream).map_or(COLUMNS, |(width, _)| width.0);
    stream.is_terminal().then(known)
}

/// Returns the value of an environment variable; `None` if it is unset or empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Width of a terminal of unknown size, in columns.
const COLUMNS: u16 = 80;

/// Escapes control characters, direction marks and most invisible characters as `\u{…}`, so that a name cannot move the
/// cursor, change colors or reverse a line.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if is_hostile(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Returns whether a terminal acts on a character or hides it: a control, a line or paragraph separator, a direction mark,
/// or an invisible character, which makes two different names look equal. Joiners are not among them: emoji and several
/// scripts need them.
pub(crate) fn is_hostile(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{ad}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{3164}'
                | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// Returns the closest known word, if it is similar enough.
pub(crate) fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |other: &str| strsim::jaro_winkler(word, other);
    known
        .into_iter()
        .filter(|other| likeness(other) > CLOSE)
        .max_by(|a, b| likeness(a).total_cmp(&likeness(b)))
}

/// Minimum similarity of a suggestion, the same as in clap.
const CLOSE: f64 = 0.7;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{is_hostile, printable};

    #[test]
    fn characters_that_a_terminal_acts_on_are_escaped() {
        assert_eq!(printable("Ada \u{1b}[2J\u{7}"), "Ada \\u{1b}[2J\\u{7}");
        assert_eq!(printable("a\nb\tc\r"), "a\\u{a}b\\u{9}c\\u{d}");
        assert_eq!(printable("\u{9b}31m\u{202e}gnp"), "\\u{9b}31m\\u{202e}gnp");
        assert_eq!(
            printable("a\u{200b}\u{feff}\u{ad}\u{3164}\u{e0041}"),
            "a\\u{200b}\\u{feff}\\u{ad}\\u{3164}\\u{e0041}"
        );
        assert_eq!(printable("Zoë 王 😀 עברית"), "Zoë 王 😀 עברית");
    }

    proptest! {
        #[test]
        fn escaped_text_contains_no_such_character(text in any::<String>()) {
            prop_assert!(!printable(&text).contains(is_hostile));
        }
    }
}
