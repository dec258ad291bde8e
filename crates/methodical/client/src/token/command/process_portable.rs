//! A token command outside Unix, where its children cannot be killed with it.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus};
use std::sync::Mutex;
use std::time::Duration;

use crate::time::sleep_blocking;
use crate::unpoisoned;

/// A running command.
pub(super) struct Process(Mutex<Child>);

impl Process {
    /// Starts a command.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        Ok(Self(Mutex::new(command.spawn()?)))
    }

    /// Returns the output of the command. It ends when the command and its children have closed it.
    pub(super) fn output(&self) -> io::Result<impl Read + use<>> {
        unpoisoned(self.0.lock()).stdout.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Waits until the command ends.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        loop {
            // The lock is not held between the checks, so that `kill` can take it.
            let status = unpoisoned(self.0.lock()).try_wait()?;
            if let Some(status) = status {
                return Ok(status);
            }
            sleep_blocking(CHECK_INTERVAL);
        }
    }

    /// Kills and reaps the command.
    pub(super) fn end(&self) -> io::Result<ExitStatus> {
        self.kill();
        self.wait()
    }

    /// Kills the command.
    pub(super) fn kill(&self) {
        // A failure cannot be reported to anyone.
        let _failed = unpoisoned(self.0.lock()).kill();
    }
}

/// Time between two checks whether a command has ended that has closed its output.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
