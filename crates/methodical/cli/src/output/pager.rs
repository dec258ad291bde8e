//! The pager: a program that shows long output one screen at a time.

use std::io::{self, IsTerminal as _, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::{env, thread};

use crate::interrupt;
use crate::output::destination::Upload;
use crate::run::Invocation;
use crate::screen::variable;

/// Starts the pager for a list; `None` if the output is not a terminal, if the pager is turned off, or if it does not start.
pub(crate) fn start(invocation: &Invocation) -> Option<Paged> {
    let Invocation { program, output, call, screen, .. } = invocation;
    let unwanted =
        !screen.can_page || output.no_pager || output.file().is_some() || call.verbose > 0;
    let is_dumb = variable("TERM").is_none_or(|name| name == "dumb");
    if unwanted || is_dumb || variable("CI").is_some() || !io::stdin().is_terminal() {
        return None;
    }
    let own = program.name.variable("PAGER");
    let chosen = [&*own, "PAGER"].into_iter().find_map(env::var_os).map(|text| {
        let text = text.to_string_lossy();
        // Text with an unclosed quotation mark does not start, which is reported.
        shlex::split(&text).unwrap_or_else(|| vec![text.into_owned()])
    });
    let is_chosen = chosen.is_some();
    let words = chosen.or_else(|| cfg!(unix).then(|| vec!["less".to_owned()]))?;
    let (name, arguments) = words.split_first().filter(|(name, _)| *name != "cat")?;
    let advice = format!("set {own} or use --no-pager");
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped());
    if variable("LESS").is_none() {
        // Quits if the output fits, shows colors, and leaves the output on the screen. Wide lines are not wrapped.
        command.env("LESS", if output.wide { "FRSX" } else { "FRX" });
    }
    let started = spawn(command, name, &advice).inspect_err(|error| {
        if is_chosen || error.kind() != io::ErrorKind::NotFound {
            screen.warn(&format!("cannot start the pager `{name}`: {error}; {advice}"));
        }
    });
    started.ok()
}

fn spawn(mut command: Command, name: &str, advice: &str) -> io::Result<Paged> {
    let mut child = command.spawn()?;
    let input = child.stdin.take();
    // Ctrl-C belongs to the pager from now on.
    interrupt::leave_to_pager(true);
    let finished = Arc::new(AtomicBool::new(false));
    let is_finished = Arc::clone(&finished);
    let watch = move || {
        let status = child.wait();
        interrupt::leave_to_pager(false);
        let quits = status.as_ref().is_ok_and(ExitStatus::success);
        if quits && !is_finished.load(Ordering::Acquire) {
            // The person has seen enough. The program may be waiting for the network.
            interrupt::quit();
        }
        status
    };
    let ended = Some(thread::Builder::new().name("pager".to_owned()).spawn(watch)?);
    Ok(Paged { input, ended, finished, name: name.to_owned(), advice: advice.to_owned() })
}

/// Output to a pager that runs. Dropping it waits until the person quits it.
#[derive(Debug)]
pub(crate) struct Paged {
    /// `None` after the end of the output.
    input: Option<ChildStdin>,
    /// Returns how the pager ended.
    ended: Option<JoinHandle<io::Result<ExitStatus>>>,
    /// Whether the program has written everything.
    finished: Arc<AtomicBool>,
    name: String,
    /// The action after a failure.
    advice: String,
}

impl Paged {
    /// Ends the output, and waits for the end of the pager. Fails if it failed, because the person may not have seen the output.
    fn wait(&mut self) -> io::Result<()> {
        self.finished.store(true, Ordering::Release);
        drop(self.input.take());
        let Some(ended) = self.ended.take() else { return Ok(()) };
        let status = ended.join().unwrap_or_else(|_gone| Err(io::ErrorKind::BrokenPipe.into()))?;
        if status.success() {
            return Ok(());
        }
        let Self { name, advice, .. } = self;
        Err(io::Error::other(format!("the pager `{name}` failed ({status}); {advice}")))
    }
}

impl Upload for Paged {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.wait()
    }
}

impl Write for Paged {
    /// Writes to the pager. Fails with a broken pipe if the person quit it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.input else { return Err(io::ErrorKind::BrokenPipe.into()) };
        match input.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.wait()?;
                Err(error)
            }
            done => done,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Paged {
    fn drop(&mut self) {
        // The failure that is about to be reported matters more than an error here.
        drop(self.wait());
    }
}
