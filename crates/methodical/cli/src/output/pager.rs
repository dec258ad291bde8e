//! The pager: a program that shows long output one screen at a time.

use std::env;
use std::io::{self, IsTerminal as _, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::thread::{self, JoinHandle};

use crate::interrupt;
use crate::output::destination::Upload;
use crate::run::Invocation;
use crate::screen::variable;

/// Starts the pager for a list; `None` if the output is not a terminal, if the pager is turned off, or if it does not start.
pub(crate) fn start(invocation: &Invocation) -> Option<Paged> {
    let Invocation { output, call, screen, .. } = invocation;
    let unwanted =
        !screen.can_page || output.no_pager || output.file().is_some() || call.verbose > 0;
    let is_dumb = variable("TERM").is_none_or(|name| name == "dumb");
    if unwanted || is_dumb || variable("CI").is_some() || !io::stdin().is_terminal() {
        return None;
    }
    let words = match env::var_os("PAGER") {
        Some(chosen) => shlex::split(&chosen.to_string_lossy())?,
        None => vec!["less".to_owned()],
    };
    let (name, arguments) = words.split_first().filter(|(name, _)| *name != "cat")?;
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped());
    if variable("LESS").is_none() {
        // Quits if the output fits, shows colors, and leaves the output on the screen. Wide lines are not wrapped.
        command.env("LESS", if output.wide { "FRSX" } else { "FRX" });
    }
    let mut child = command.spawn().ok()?;
    let input = child.stdin.take();
    // Ctrl-C belongs to the pager until the user quits it, even while the program waits for the service.
    interrupt::leave_to_pager(true);
    let wait = move || {
        let status = child.wait();
        interrupt::leave_to_pager(false);
        status
    };
    let ended = thread::Builder::new().name("pager".to_owned()).spawn(wait).ok();
    Some(Paged { input, ended })
}

/// Output to a running pager. Dropping it waits until the user quits the pager.
#[derive(Debug)]
pub(crate) struct Paged {
    /// `None` after the end of the output.
    input: Option<ChildStdin>,
    /// Returns how the pager ended.
    ended: Option<JoinHandle<io::Result<ExitStatus>>>,
}

impl Paged {
    /// Ends the output and waits for the pager to exit. Fails if the pager failed, because the user may not have seen
    /// the output.
    fn wait(&mut self) -> io::Result<()> {
        drop(self.input.take());
        let Some(ended) = self.ended.take() else { return Ok(()) };
        match ended.join().unwrap_or_else(|_panic| Err(io::ErrorKind::BrokenPipe.into()))? {
            status if status.success() => Ok(()),
            status => {
                let text = format!("the pager failed ({status}); set PAGER or use --no-pager");
                Err(io::Error::other(text))
            }
        }
    }
}

impl Upload for Paged {
    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.wait()
    }
}

impl Write for Paged {
    /// Writes to the pager. Fails with a broken pipe if the user quit it.
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
        // The failure about to be reported matters more than an error here.
        drop(self.wait());
    }
}
