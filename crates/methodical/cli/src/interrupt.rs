//! Signals that end the program: they undo unfinished work first, and the exit code names the signal.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, mem, process};

use crate::failure::Exit;
use crate::screen::Screen;

/// Unfinished work: how to undo it, and the result for the message about the signal, such as `nothing was written`.
type Undo = (Box<dyn FnOnce() + Send>, &'static str);

/// The undos of all unfinished work, the oldest first. The signal thread keeps the lock until the process has exited.
static UNDOS: Mutex<BTreeMap<u64, Undo>> = Mutex::new(BTreeMap::new());

/// The number of the next work.
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Guard of unfinished work. Dropping it undoes the work, as a signal does.
#[derive(Debug)]
pub(crate) struct Unfinished(u64);

impl Unfinished {
    /// Creates the guard of work that this function undoes. Without a text for a signal, it prints nothing.
    pub(crate) fn new(result: &'static str, undo: impl FnOnce() + Send + 'static) -> Self {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        lock(&UNDOS).insert(id, (Box::new(undo), result));
        Self(id)
    }

    /// Ends the work with this step, before or after a signal takes effect. Its undo will not run.
    pub(crate) fn finish<T>(self, step: impl FnOnce() -> T) -> T {
        let mut undos = lock(&UNDOS);
        undos.remove(&self.0);
        step()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        let mut undos = lock(&UNDOS);
        if let Some((undo, _)) = undos.remove(&self.0) {
            undo();
        }
    }
}

/// Starts to handle the signals that end a program, such as Ctrl-C.
pub(crate) fn watch(screen: Screen) {
    // Without a handler, a signal still ends the program.
    drop(signals(move |exit| {
        // A pager uses Ctrl-C to stop a search, for example.
        if exit != Exit::Interrupted || !PAGING.load(Ordering::Acquire) {
            let what = match exit {
                Exit::HungUp => "hung up",
                Exit::Terminated => "terminated",
                _ => "interrupted",
            };
            let exit = if SERVING.load(Ordering::Acquire) { Exit::Done } else { exit };
            end(exit, Some((screen, what)));
        }
    }));
}

/// Leaves Ctrl-C to a pager. `false` takes it back.
pub(crate) fn leave_to_pager(is_running: bool) {
    PAGING.store(is_running, Ordering::Release);
}

/// From now on, a signal ends the program with success: it is a service, which others stop.
pub(crate) fn end_with_success() {
    SERVING.store(true, Ordering::Release);
}

/// Ends the program with success, because a person quit the pager.
pub(crate) fn quit() {
    end(Exit::Done, None);
}

/// Undoes unfinished work, the newest first, and ends the program, with a message about the signal.
fn end(exit: Exit, signal: Option<(Screen, &str)>) {
    let mut undos = lock(&UNDOS);
    let mut said: Vec<&str> = signal.iter().map(|(_, what)| *what).collect();
    for (undo, result) in mem::take(&mut *undos).into_values().rev() {
        undo();
        said.push(result);
    }
    said.retain(|text| !text.is_empty());
    if let Some((screen, _)) = signal {
        // This can block on the reader of standard error, so it comes last.
        screen.clear_line();
        screen.warn(&said.join("; "));
    }
    #[expect(clippy::exit, reason = "the main thread may be waiting for the network")]
    process::exit(exit.code().into());
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
    let before = tcgetattr(&hidden)?;
    let mut modes = before.clone();
    // In line mode, a terminal takes at most 4096 bytes: too few for some tokens.
    modes.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ICANON;
    modes.special_codes[SpecialCodeIndex::VMIN] = 1;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&hidden, OptionalActions::Now, &modes)?;
    // Nothing can be done about an error here.
    let undo = move || _ = tcsetattr(&hidden, OptionalActions::Now, &before);
    let unfinished = Unfinished::new("", undo);
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::{UNDOS, Unfinished};

    #[test]
    fn dropped_work_is_undone_and_finished_work_is_not() {
        let (sender, undone) = channel();
        let of = |name| {
            let sender = sender.clone();
            Unfinished::new("", move || sender.send(name).unwrap())
        };
        // A signal waits until then.
        of("finished").finish(|| assert!(UNDOS.try_lock().is_err()));
        drop(of("dropped"));
        drop(sender);
        assert_eq!(undone.iter().collect::<Vec<_>>(), ["dropped"]);
    }
}
