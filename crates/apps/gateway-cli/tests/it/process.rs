//! Processes started by tests: none runs longer than a time limit, and none outlives its test.

use std::io::{Read, Write as _};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use shared_child::SharedChild;

/// A running program. It is killed when this is dropped or at the time limit, so every wait for it ends.
pub(crate) struct Process {
    child: Arc<SharedChild>,
    _running: SyncSender<()>,
}

impl Process {
    /// Starts the command.
    pub(crate) fn start(mut command: Command) -> Self {
        let child = Arc::new(SharedChild::spawn(&mut command).unwrap());
        let (running, dropped) = sync_channel(0);
        let watched = Arc::clone(&child);
        thread::spawn(move || {
            if dropped.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
                kill(&watched);
            }
        });
        Self { child, _running: running }
    }

    /// Starts the command, with pipes for standard output and standard error.
    pub(crate) fn start_piped(mut command: Command) -> Self {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::start(command)
    }

    /// Returns the process, for its pipes and its id.
    pub(crate) fn child(&self) -> &SharedChild {
        &self.child
    }

    /// Sends a signal.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(pid(&self.child), signal).unwrap();
    }

    /// Waits until the program ends.
    pub(crate) fn wait(&self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Writes the input, closes it, and waits until the program ends. Returns what is left in the pipes.
    pub(crate) fn end_with(self, input: &[u8]) -> Output {
        let (stdout, stderr) = (read(self.child.take_stdout()), read(self.child.take_stderr()));
        if let Some(mut stdin) = self.child.take_stdin() {
            // The program may have ended without reading anything.
            drop(stdin.write_all(input));
        }
        let (stdout, stderr) = (stdout.join().unwrap(), stderr.join().unwrap());
        Output { status: self.wait(), stdout, stderr }
    }

    /// Waits until the program ends. Returns what is left in the pipes.
    pub(crate) fn end(self) -> Output {
        self.end_with(b"")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill(&self.child);
        self.child.wait().unwrap();
    }
}

/// Reads a pipe to its end, in a thread.
fn read(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}

/// Kills a program unless it has ended. If the program leads a process group, kills the whole group.
fn kill(child: &SharedChild) {
    if !matches!(child.try_wait(), Ok(None)) {
        return;
    }
    #[cfg(unix)]
    {
        use rustix::process::{Signal, kill_process_group};

        // This fails for a program in the group of the tests.
        _ = kill_process_group(pid(child), Signal::KILL);
    }
    drop(child.kill());
}

/// Returns the id of a process.
#[cfg(unix)]
fn pid(child: &SharedChild) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(child.id().try_into().unwrap()).unwrap()
}

/// Time limit of a process: more than any test needs on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);
