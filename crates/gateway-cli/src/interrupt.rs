//! Signals that end the program: nothing half is left behind, the terminal is as it was, and the exit code says why.
//!
//! One lock puts everything in order. Whoever makes, names or removes what a signal would have to put away does so under
//! it; the thread that a signal wakes takes it, and keeps it until the process has ended. So a signal comes before such a
//! step or after it, never between, and nothing more is begun after it.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{fs, io, process};

use tempfile::NamedTempFile;

use crate::exit::Exit;
use crate::screen::Screen;
#[cfg(unix)]
use crate::terminal::Modes;

#[cfg_attr(not(unix), path = "interrupt/console.rs")]
mod signals;

/// What is to be put away when the person has had enough.
#[derive(Debug)]
struct Unfinished {
    /// The terminal as it was before it was told not to show what is typed.
    #[cfg(unix)]
    terminal: Option<Modes>,
    /// The file that has not got its name yet.
    file: Option<PathBuf>,
    #[cfg(feature = "demo")]
    demo: Option<gateway_server::demo::Demo>,
}

static UNFINISHED: Mutex<Unfinished> = Mutex::new(Unfinished {
    #[cfg(unix)]
    terminal: None,
    file: None,
    #[cfg(feature = "demo")]
    demo: None,
});

/// From now on, Ctrl-C and the like put away what is unfinished and end the program.
pub(crate) fn watch(screen: Screen) {
    // Without a handler, the signal ends the program all the same.
    drop(signals::watch(move |exit| end(exit, screen)));
}

fn end(exit: Exit, screen: Screen) {
    let mut left = unfinished();
    #[cfg(unix)]
    drop(left.terminal.take());
    let file = left.file.take();
    let written = match &file {
        Some(file) => {
            drop(fs::remove_file(file));
            "; nothing was written"
        }
        None => "",
    };
    let what = match exit {
        Exit::HungUp => "hung up",
        Exit::Terminated => "terminated",
        _ => "interrupted",
    };
    // What comes last may wait: for whoever reads standard error, and for the sample service.
    screen.clear_line();
    screen.warn(&format!("{what}{written}"));
    #[cfg(feature = "demo")]
    drop(left.demo.take());
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(exit.code().into());
}

/// Makes a file that has not got its name yet, and remembers it.
pub(crate) fn begin(make: impl FnOnce() -> io::Result<NamedTempFile>) -> io::Result<NamedTempFile> {
    let mut left = unfinished();
    let file = make()?;
    left.file = Some(file.path().to_owned());
    Ok(file)
}

/// Gives a file its name.
pub(crate) fn finish<T>(name: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut left = unfinished();
    left.file = None;
    name()
}

/// Changes the terminal, and keeps what it was before for [`show`] or a signal, whichever comes first.
#[cfg(unix)]
pub(crate) fn hide(change: impl FnOnce() -> io::Result<Modes>) -> io::Result<()> {
    let mut left = unfinished();
    left.terminal = Some(change()?);
    Ok(())
}

/// Makes the terminal what it was before.
#[cfg(unix)]
pub(crate) fn show() {
    drop(unfinished().terminal.take());
}

/// Starts the sample service, and keeps it for as long as the program runs. Returns what `look` sees of it.
#[cfg(feature = "demo")]
pub(crate) fn keep<T>(
    start: impl FnOnce() -> Result<gateway_server::demo::Demo, gateway_server::Error>,
    look: impl FnOnce(&gateway_server::demo::Demo) -> T,
) -> Result<T, gateway_server::Error> {
    let mut left = unfinished();
    let demo = start()?;
    Ok(look(left.demo.insert(demo)))
}

/// Ends the sample service. Call it before the program ends: nothing is dropped by itself here.
pub(crate) fn put_away() {
    #[cfg(feature = "demo")]
    drop(unfinished().demo.take());
}

fn unfinished() -> MutexGuard<'static, Unfinished> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::{UNFINISHED, begin, finish};

    /// Nobody else can be in the middle of what is begun or ended here.
    #[test]
    fn every_step_is_taken_under_the_lock() -> io::Result<()> {
        let locked = || assert!(UNFINISHED.try_lock().is_err());
        let file = begin(|| {
            locked();
            tempfile::NamedTempFile::new()
        })?;
        finish(|| {
            locked();
            file.close()
        })
    }
}
