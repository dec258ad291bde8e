//! A token command on Unix: a process group that is killed as a whole.

use std::io::{self, ErrorKind, Read};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, ExitStatus};
use std::sync::Mutex;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, retry_on_intr};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus, kill_process_group, waitid,
};

use crate::unpoisoned;

/// A running command and its process group.
pub(super) struct Process {
    /// The id of the command and of its group.
    id: Pid,
    /// `None` once the command has been reaped: then its id may belong to another process.
    child: Mutex<Option<Child>>,
}

impl Process {
    /// Starts a command in its own process group.
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        Ok(Self { id: Pid::from_child(&child), child: Mutex::new(Some(child)) })
    }

    /// Returns the output of the command. It ends with the command, even if a child keeps it open.
    pub(super) fn output(&self) -> io::Result<impl Read> {
        let stdout = unpoisoned(self.child.lock()).as_mut().and_then(|child| child.stdout.take());
        let stdout = stdout.ok_or(Errno::BADF)?;
        ioctl_fionbio(&stdout, true)?;
        Ok(Output { process: self, stdout })
    }

    /// Waits until the command ends, then kills the rest of its group.
    pub(super) fn wait(&self) -> io::Result<ExitStatus> {
        self.has_ended(WaitIdOptions::empty())?;
        self.end()
    }

    /// Kills the group and reaps the command.
    pub(super) fn end(&self) -> io::Result<ExitStatus> {
        self.kill();
        let child = unpoisoned(self.child.lock()).take();
        child.ok_or(Errno::CHILD)?.wait()
    }

    /// Kills the group, unless the command has been reaped.
    pub(super) fn kill(&self) {
        let child = unpoisoned(self.child.lock());
        if child.is_some() {
            // A failure cannot be reported to anyone.
            let _failed = kill_process_group(self.id, Signal::KILL);
        }
    }

    /// Returns whether the command has ended, without reaping it. Without `NOHANG`, waits for its end.
    fn has_ended(&self, options: WaitIdOptions) -> io::Result<bool> {
        let options = options | WaitIdOptions::EXITED | WaitIdOptions::STOPPED;
        let options = options | WaitIdOptions::NOWAIT;
        let status = retry_on_intr(|| waitid(WaitId::Pid(self.id), options))?;
        if status.as_ref().is_some_and(WaitIdStatus::stopped) {
            // The command would never continue: only the foreground group may read from the terminal.
            return Err(io::Error::other("it was stopped; it must not read from the terminal"));
        }
        Ok(status.is_some())
    }
}

/// The output of a command.
struct Output<'a> {
    process: &'a Process,
    stdout: ChildStdout,
}

impl Read for Output<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            // Checked before reading: all that the command has printed is read after its end.
            let has_ended = self.process.has_ended(WaitIdOptions::NOHANG)?;
            match self.stdout.read(buffer) {
                Err(error) if error.kind() == ErrorKind::WouldBlock && !has_ended => {
                    let mut readable = [PollFd::new(&self.stdout, PollFlags::IN)];
                    retry_on_intr(|| poll(&mut readable, Some(&CHECK_INTERVAL)))?;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(0),
                result => return result,
            }
        }
    }
}

/// Time between two checks whether a command that prints nothing has ended.
///
/// Normally the end of the command ends its output immediately. This is the delay if a child keeps the output open.
const CHECK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

#[cfg(test)]
impl Process {
    /// Returns whether a process of the group is left.
    pub(super) fn is_running(&self) -> bool {
        rustix::process::test_kill_process_group(self.id).is_ok()
    }
}
