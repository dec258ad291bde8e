//! The pager: a program that shows long output one screen at a time.

use std::io::{self, IsTerminal as _, Write};
use std::process::{Child, Command, Stdio};
use std::{env, mem};

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
    let child = command.spawn().ok()?;
    // Ctrl-C belongs to the pager from now on.
    interrupt::leave_to_pager(true);
    Some(Paged { child, is_over: false })
}

/// Output to a pager that runs. Dropping it waits until the person quits it.
#[derive(Debug)]
pub(crate) struct Paged {
    child: Child,
    is_over: bool,
}

impl Paged {
    /// Ends the output, and waits for the end of the pager. Fails if it failed, because the person may not have seen the output.
    fn wait(&mut self) -> io::Result<()> {
        if mem::replace(&mut self.is_over, true) {
            return Ok(());
        }
        drop(self.child.stdin.take());
        let status = self.child.wait();
        interrupt::leave_to_pager(false);
        match status? {
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
    /// Writes to the pager. Fails with a broken pipe if the person quit it.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(input) = &mut self.child.stdin else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
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
