//! Signals that end the program: they undo unfinished work first, and the exit code names the signal.
//!
//! One lock orders everything. Each step that begins or ends unfinished work runs under it; the signal thread takes it
//! and keeps it until the process has exited. So a signal takes effect before such a step or after it, never halfway, and
//! no work begins after the signal.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem, process};

use crate::failure::Exit;
use crate::screen::Screen;

/// Unfinished work: how to undo it, and the result for the message about the signal, such as `nothing was written`.
type Undo = (Box<dyn FnOnce() + Send>, &'static str);

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
        if let Some((undo, _)) = registry.undos.remove(&self.0) {
            undo();
        }
    }
}

/// Begins work with this step, which also returns how to undo the work. The text for a signal is empty if there is none.
pub(crate) fn begin<T, U: FnOnce() + Send + 'static, E>(
    result: &'static str,
    step: impl FnOnce() -> Result<(T, U), E>,
) -> Result<(T, Unfinished), E> {
    let mut registry = lock(&REGISTRY);
    let (value, undo) = step()?;
    let id = registry.next;
    registry.next += 1;
    registry.undos.insert(id, (Box::new(undo), result));
    Ok((value, Unfinished(id)))
}

/// Starts to handle the signals that end a program, such as Ctrl-C.
pub(crate) fn watch(screen: Screen) {
    // Without a handler, a signal still ends the program.
    drop(signals(move |exit| {
        if exit != Exit::Interrupted || !PAGING.load(Ordering::Acquire) {
            end(exit, screen);
        }
    }));
}

/// Leaves Ctrl-C to a pager, which uses it to stop a search, for example. `false` takes it back.
pub(crate) fn leave_to_pager(is_running: bool) {
    PAGING.store(is_running, Ordering::Release);
}

/// From now on, a signal ends the program with success: it is a service, which others stop.
#[cfg(feature = "mirror")]
pub(crate) fn end_with_success() {
    SERVING.store(true, Ordering::Release);
}

/// Ends the program with success, because a person quit the pager. Undoes unfinished work first.
pub(crate) fn quit() {
    let mut registry = lock(&REGISTRY);
    registry.undo_all();
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(Exit::Done.code().into());
}

fn end(exit: Exit, screen: Screen) {
    let mut registry = lock(&REGISTRY);
    let what = match exit {
        Exit::HungUp => "hung up",
        Exit::Terminated => "terminated",
        _ => "interrupted",
    };
    let results = registry.undo_all();
    // This can block on the reader of standard error, so it comes last.
    screen.clear_line();
    screen.warn(&[what].into_iter().chain(results).collect::<Vec<_>>().join("; "));
    let exit = if SERVING.load(Ordering::Acquire) { Exit::Done } else { exit };
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(exit.code().into());
}

/// The undos of all unfinished work, oldest first.
struct Registry {
    next: u64,
    undos: BTreeMap<u64, Undo>,
}

impl Registry {
    /// Undoes all unfinished work, the newest first, and returns the results that have a text.
    fn undo_all(&mut self) -> Vec<&'static str> {
        let undos = mem::take(&mut self.undos).into_values().rev();
        let results = undos.map(|(undo, result)| {
            undo();
            result
        });
        results.filter(|result| !result.is_empty()).collect()
    }
}

/// Locks a mutex, even if a thread panicked while it held the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `end` on a signal.
#[cfg(unix)]
fn signals(end: impl Fn(Exit) + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    let ends = [(SIGHUP, Exit::HungUp), (SIGINT, Exit::Interrupted), (SIGTERM, Exit::Terminated)];
    let ignored = ignored().unwrap_or(1 << (SIGHUP - 1));
    // A signal that was ignored at the start stays ignored, as `nohup` intends.
    let watched =
        ends.iter().map(|(signal, _)| *signal).filter(|one| ignored & (1 << (one - 1)) == 0);
    let mut signals = Signals::new(watched)?;
    let wait = move || {
        for signal in signals.forever() {
            if let Some((_, exit)) = ends.iter().find(|(known, _)| *known == signal) {
                end(*exit);
            }
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(wait)?;
    Ok(())
}

/// Returns the signals that were ignored when the program started, as a bit mask. `None` outside of Linux, where only unsafe
/// code can find out: SIGHUP stays unhandled there, because a leftover file does less harm than ending what `nohup` protects.
#[cfg(unix)]
fn ignored() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

/// Calls `end` on Ctrl-C, Ctrl-Break or a closed window.
#[cfg(windows)]
fn signals(end: impl Fn(Exit) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || end(Exit::Interrupted))
}

/// Asks for a secret on the terminal of the program, without showing it.
#[cfg(unix)]
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    use std::fs::File;
    use std::io::Write as _;

    use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

    let open = || File::options().read(true).write(true).open("/dev/tty");
    let (mut terminal, hidden) = (open()?, open()?);
    let config = rpassword::ConfigBuilder::new()
        .input_reader(terminal.try_clone()?)
        .output_writer(terminal.try_clone()?)
        .build();
    // Done here, so that a signal can undo it, and not by the library. Keys for signals still work.
    let ((), unfinished) = begin("", || {
        let before = tcgetattr(&hidden)?;
        let mut modes = before.clone();
        // In line mode, a terminal takes at most 4096 bytes: too few for some tokens.
        modes.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON;
        modes.special_codes[SpecialCodeIndex::VMIN] = 1;
        modes.special_codes[SpecialCodeIndex::VTIME] = 0;
        tcsetattr(&hidden, OptionalActions::Now, &modes)?;
        // Nothing can be done about an error here.
        io::Result::Ok(((), move || _ = tcsetattr(&hidden, OptionalActions::Now, &before)))
    })?;
    let secret = rpassword::prompt_password_with_config(question, config);
    drop(unfinished);
    // The end of the line was not shown either.
    writeln!(terminal)?;
    secret
}

/// Asks for a secret on the console, which hides what is typed and recovers by itself.
#[cfg(windows)]
pub(crate) fn ask_for_secret(question: &str) -> io::Result<String> {
    rpassword::prompt_password(question)
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

    use super::{REGISTRY, Unfinished, begin};

    fn assert_locked() {
        assert!(REGISTRY.try_lock().is_err());
    }

    fn begun(undo: impl FnOnce() + Send + 'static) -> Unfinished {
        let step = || {
            assert_locked();
            Ok(((), undo))
        };
        let Ok::<_, Infallible>(((), unfinished)) = begin("", step);
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
