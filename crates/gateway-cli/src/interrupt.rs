//! Ctrl-C: nothing half is left behind, and the exit code is 130.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::exit::Exit;
use crate::screen::Screen;

/// What is to be put away when the person has had enough.
#[derive(Debug, Default)]
struct Unfinished {
    file: Option<PathBuf>,
    #[cfg(feature = "demo")]
    demo: Option<gateway_server::demo::Demo>,
}

static UNFINISHED: Mutex<Option<Unfinished>> = Mutex::new(None);

/// From now on, Ctrl-C puts away what is unfinished and ends the program.
pub(crate) fn watch(screen: Screen) {
    let end = move || {
        let left = unfinished().take().unwrap_or_default();
        screen.clear_line();
        if let Some(file) = left.file {
            drop(fs::remove_file(file));
            screen.warn("interrupted; nothing was written");
        } else {
            screen.warn("interrupted");
        }
        #[cfg(feature = "demo")]
        drop(left.demo);
        #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
        process::exit(Exit::Interrupted.code().into());
    };
    // Without a handler, the signal ends the program all the same.
    drop(ctrlc::set_handler(end));
}

/// Remembers a file that is being written.
pub(crate) fn begin(file: &Path) {
    unfinished().get_or_insert_default().file = Some(file.to_owned());
}

/// Ends a file that was being written, so that Ctrl-C comes before or after this, never between.
pub(crate) fn finish<T>(end: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut left = unfinished();
    let ended = end();
    if let Some(left) = left.as_mut() {
        left.file = None;
    }
    ended
}

/// Keeps the sample service for as long as the program runs.
#[cfg(feature = "demo")]
pub(crate) fn keep(demo: gateway_server::demo::Demo) {
    unfinished().get_or_insert_default().demo = Some(demo);
}

/// Ends the sample service. Call it before the program ends: nothing is dropped by itself here.
pub(crate) fn put_away() {
    drop(unfinished().take());
}

fn unfinished() -> MutexGuard<'static, Option<Unfinished>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
