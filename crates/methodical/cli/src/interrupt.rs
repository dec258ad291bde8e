//! Signals that end the program: they undo unfinished work first, and the exit code names the signal.
//!
//! One lock orders everything. Each step that begins or ends unfinished work runs under it; the signal thread takes it
//! and keeps it until the process has exited. So a signal takes effect before such a step or after it, never halfway, and
//! no work begins after the signal.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{mem, process};

use crate::exit::Exit;
use crate::lock::lock;
use crate::screen::Screen;

#[cfg_attr(not(unix), path = "interrupt/signals_windows.rs")]
mod signals;

/// How to undo unfinished work.
pub(crate) struct Undo {
    run: Box<dyn FnOnce() + Send>,
    result: Option<&'static str>,
    slow: bool,
}

impl Undo {
    /// Creates an undo from a function that does not block.
    pub(crate) fn new(run: impl FnOnce() + Send + 'static) -> Self {
        Self { run: Box::new(run), result: None, slow: false }
    }

    /// Adds a result to the message about the signal, such as `nothing was written`.
    pub(crate) fn result(mut self, text: &'static str) -> Self {
        self.result = Some(text);
        self
    }

    /// Runs the function after the message about the signal, because it may take time.
    pub(crate) fn slow(mut self) -> Self {
        self.slow = true;
        self
    }
}

/// Guard of unfinished work. Dropping it undoes the work, as a signal does.
#[derive(Debug)]
pub(crate) struct Unfinished(u64);

impl Unfinished {
    /// Ends the work with this step. Its undo will not run.
    pub(crate) fn finish<T>(self, step: impl FnOnce() -> T) -> T {
        let mut registry = lock(&REGISTRY);
        registry.undos.remove(&self.0);
        step()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut registry = lock(&REGISTRY);
        if let Some(undo) = registry.undos.remove(&self.0) {
            (undo.run)();
        }
    }
}

/// Begins work with this step, which also returns how to undo the work.
pub(crate) fn begin<T, E>(
    step: impl FnOnce() -> Result<(T, Undo), E>,
) -> Result<(T, Unfinished), E> {
    let mut registry = lock(&REGISTRY);
    let (value, undo) = step()?;
    let id = registry.next;
    registry.next += 1;
    registry.undos.insert(id, undo);
    Ok((value, Unfinished(id)))
}

/// Starts to handle the signals that end a program, such as Ctrl-C.
pub(crate) fn watch(screen: Screen) {
    // Without a handler, a signal still ends the program.
    drop(signals::watch(move |exit| {
        if exit != Exit::Interrupted || !PAGING.load(Ordering::Acquire) {
            end(exit, screen);
        }
    }));
}

/// Leaves Ctrl-C to a pager until the guard is dropped, which the pager uses to stop a search, for example.
pub(crate) fn leave_to_pager() -> Paging {
    PAGING.store(true, Ordering::Release);
    Paging
}

/// Guard of a running pager.
#[derive(Debug)]
pub(crate) struct Paging;

impl Drop for Paging {
    fn drop(&mut self) {
        PAGING.store(false, Ordering::Release);
    }
}

/// From now on, a signal ends the program with success: it is a service, which others stop.
#[cfg(feature = "mirror")]
pub(crate) fn end_with_success() {
    SERVING.store(true, Ordering::Release);
}

/// Ends the program with success, because a person quit the pager. Undoes unfinished work first.
pub(crate) fn quit() {
    let mut registry = lock(&REGISTRY);
    for undo in mem::take(&mut registry.undos).into_values().rev() {
        (undo.run)();
    }
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(Exit::Done.code().into());
}

fn end(exit: Exit, screen: Screen) {
    let mut registry = lock(&REGISTRY);
    let mut message = match exit {
        Exit::HungUp => "hung up",
        Exit::Terminated => "terminated",
        _ => "interrupted",
    }
    .to_owned();
    let (slow, quick): (Vec<_>, Vec<_>) =
        mem::take(&mut registry.undos).into_values().rev().partition(|undo| undo.slow);
    for undo in quick {
        (undo.run)();
        if let Some(result) = undo.result {
            message.push_str("; ");
            message.push_str(result);
        }
    }
    // This can block on the reader of standard error, so it comes after the quick undos.
    screen.clear_line();
    screen.warn(&message);
    for undo in slow {
        (undo.run)();
    }
    let exit = if SERVING.load(Ordering::Acquire) { Exit::Done } else { exit };
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(exit.code().into());
}

/// The undos of all unfinished work, oldest first.
struct Registry {
    next: u64,
    undos: BTreeMap<u64, Undo>,
}

/// Whether a signal ends the program with success.
static SERVING: AtomicBool = AtomicBool::new(false);

/// Whether a pager is running.
static PAGING: AtomicBool = AtomicBool::new(false);

static REGISTRY: Mutex<Registry> = Mutex::new(Registry { next: 0, undos: BTreeMap::new() });

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::mpsc::channel;

    use super::{REGISTRY, Undo, Unfinished, begin};

    fn assert_locked() {
        assert!(REGISTRY.try_lock().is_err());
    }

    fn begun(undo: impl FnOnce() + Send + 'static) -> Unfinished {
        let step = || {
            assert_locked();
            Ok(((), Undo::new(undo)))
        };
        let Ok::<_, Infallible>(((), unfinished)) = begin(step);
        unfinished
    }

    #[test]
    fn every_step_runs_under_the_lock() {
        begun(|| ()).finish(assert_locked);
        drop(begun(assert_locked));
    }

    #[test]
    fn dropped_work_is_undone_and_finished_work_is_not() {
        let (sender, undone) = channel();
        let of = |name| {
            let sender = sender.clone();
            begun(move || sender.send(name).unwrap())
        };
        of("finished").finish(|| ());
        drop(of("dropped"));
        drop(sender);
        assert_eq!(undone.iter().collect::<Vec<_>>(), ["dropped"]);
    }
}
