//! Signals that end the program: the terminal is restored, and the exit code names the signal.
//!
//! Unfinished files are not removed: they never get their final name, and the next run that writes to their folder
//! removes them.

#[cfg(unix)]
use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, process};

#[cfg(unix)]
use rustix::termios::Termios;

use crate::failure::Exit;
use crate::screen::Screen;

/// Installs handlers for the signals that end a program, such as Ctrl-C. They restore the terminal, and end the program
/// with a message.
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

/// From now on, a signal ends the program with success: it is a service, and being stopped is its normal end.
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
    // The terminal drops what follows.
    if secret.len() > MAX_LINE {
        return Err(io::Error::other("it is longer than a terminal line can be; use a file"));
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
