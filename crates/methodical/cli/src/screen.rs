//! Standard output and standard error: whether each is a terminal, its width, its colors, and messages to the user.
//! Also the signals that end the program: the terminal is restored, and the exit code names the signal.
//!
//! Unfinished files stay: they never get their final name, and the next run that writes to their folder removes them.

use std::borrow::Cow;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, IsTerminal, Write as _};
#[cfg(unix)]
use std::os::fd::AsFd as Stream;
#[cfg(windows)]
use std::os::windows::io::AsHandle as Stream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{env, process};

use clap::builder::styling::{AnsiColor, Style};
#[cfg(unix)]
use rustix::termios::Termios;

use crate::connect::without_secrets;
use crate::failure::Exit;
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
    /// Whether terminals are colored: `NO_COLOR` is not set, and `TERM` is not `dumb`.
    pub(crate) has_colors: bool,
    pub(crate) quiet: bool,
    /// The width that the program's variable `FORCE_TTY` sets, in columns.
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
            self.say(DIM, "note", text);
        }
    }

    /// Prints a warning to standard error, unless `-q` is given.
    pub(crate) fn warn(self, text: &str) {
        if !self.quiet {
            self.say(WARNING, "warning", text);
        }
    }

    /// Prints a message with a label to standard error.
    pub(crate) fn say(self, style: Style, label: &str, text: &str) {
        let label = paint(self.errors_seen && self.has_colors, style, label);
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
        // The progress line may still be shown.
        self.clear_line();
        let color = self.errors_seen && self.has_colors;
        let line = paint(color, DIM, &printable(&without_secrets(text)));
        drop(writeln!(io::stderr(), "{line}"));
    }
}

// The styles of text, by its role.
pub(crate) const ERROR: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Adds a style to the text.
pub(crate) fn paint(color: bool, style: Style, text: &str) -> String {
    if color { format!("{style}{text}{style:#}") } else { text.to_owned() }
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

/// Returns whether a terminal acts on a character or hides it: a control, a line or paragraph separator, a direction
/// mark, or an invisible character, which makes two different names look equal. Joiners are not among them: emoji and
/// several scripts need them.
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

/// Installs handlers for the signals that end a program, such as Ctrl-C. They restore the terminal and print a message.
pub(crate) fn watch(screen: Screen) {
    // Without a handler, a signal still ends the program.
    drop(signals(move |exit| {
        // A pager uses Ctrl-C to stop a search, for example.
        if exit == Exit::Interrupted && PAGING.load(Ordering::Acquire) {
            return;
        }
        #[cfg(unix)]
        show_input();
        // This can block on the reader of standard error, so it comes last.
        screen.clear_line();
        screen.warn(if exit == Exit::Terminated { "terminated" } else { "interrupted" });
        let exit = if SERVING.load(Ordering::Acquire) { Exit::Done } else { exit };
        #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
        process::exit(exit.code().into());
    }));
}

/// Leaves Ctrl-C to a pager, until called with `false`.
pub(crate) fn leave_to_pager(is_running: bool) {
    PAGING.store(is_running, Ordering::Release);
}

/// From now on, a signal ends the program with success: the program is a service, and being stopped is its normal end.
pub(crate) fn end_with_success() {
    SERVING.store(true, Ordering::Release);
}

/// Locks a mutex, even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `end` on a signal.
#[cfg(unix)]
fn signals(end: impl Fn(Exit) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};

    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM])?;
    let wait = move || {
        for signal in signals.forever() {
            end(if signal == SIGTERM { Exit::Terminated } else { Exit::Interrupted });
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Calls `end` on Ctrl-C, Ctrl-Break or a closed window.
#[cfg(windows)]
fn signals(end: impl Fn(Exit) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || end(Exit::Interrupted))
}

/// Asks for a secret on the program's terminal, without showing it. A signal during the prompt restores the terminal.
#[cfg(unix)]
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    use std::io::{BufRead as _, Write as _};

    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

    let mut terminal = File::options().read(true).write(true).open("/dev/tty")?;
    let usual = tcgetattr(&terminal)?;
    let mut modes = usual.clone();
    modes.local_modes -= LocalModes::ECHO | LocalModes::ECHONL;
    let own = terminal.try_clone()?;
    // A signal handler waits for the lock, so it restores a terminal that was changed.
    let mut hidden = lock(&HIDDEN);
    tcsetattr(&terminal, OptionalActions::Now, &modes)?;
    *hidden = Some((own, usual));
    drop(hidden);
    let mut secret = String::new();
    let read = write!(terminal, "{question}")
        .and_then(|()| io::BufReader::new(&terminal).read_line(&mut secret));
    show_input();
    // The line break was not shown either.
    writeln!(terminal)?;
    read?;
    // The terminal drops the rest of a longer line.
    if secret.len() > MAX_LINE {
        return Err(io::Error::other(
            "it is longer than a terminal line can be; pipe it in instead",
        ));
    }
    secret.truncate(secret.trim_end_matches(['\r', '\n']).len());
    Ok(secret)
}

/// Asks for a secret on the console, which hides it and recovers on its own.
#[cfg(windows)]
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    rpassword::prompt_password(question)
}

/// Maximum length of a line that a terminal accepts, without its end.
#[cfg(unix)]
const MAX_LINE: usize = 4094;

/// Turns the echo of the terminal back on.
#[cfg(unix)]
fn show_input() {
    use rustix::termios::{OptionalActions, tcsetattr};

    if let Some((terminal, usual)) = lock(&HIDDEN).take() {
        // Errors cannot be handled here.
        _ = tcsetattr(terminal, OptionalActions::Now, &usual);
    }
}

/// The terminal that hides what is typed, with its usual modes.
#[cfg(unix)]
static HIDDEN: Mutex<Option<(File, Termios)>> = Mutex::new(None);

/// Whether a signal ends the program with success.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Whether a pager is running.
static PAGING: AtomicBool = AtomicBool::new(false);

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
