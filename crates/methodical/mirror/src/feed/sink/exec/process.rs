//! One run of a program on Unix: a process group that is killed as a whole.

use std::io::{self, ErrorKind, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{ioctl_fionbio, retry_on_intr};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

/// Runs a program with this input. Returns its status, or `None` if it was killed at the deadline. The rest of its group is
/// killed, too.
pub(crate) fn run(
    command: &mut Command,
    input: &[u8],
    deadline: Instant,
) -> io::Result<Option<ExitStatus>> {
    let mut child = command.process_group(0).spawn()?;
    let (stdin, id) = (child.stdin.take(), Pid::from_child(&child));
    let (announce, end) = sync_channel::<()>(0);
    let mut group = Group { child: Some(child), end };
    thread::Builder::new().name("methodical-mirror-exec".to_owned()).spawn(move || {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        let _failed = retry_on_intr(|| waitid(WaitId::Pid(id), options));
        drop(announce);
    })?;
    if let Some(stdin) = stdin {
        group.write(stdin, input, deadline)?;
    }
    if group.has_ended(deadline) { group.end().map(Some) } else { Ok(None) }
}

/// A program and its process group, which is killed when it is dropped.
struct Group {
    /// `None` once the program has been reaped: then its id may belong to another process.
    child: Option<Child>,
    /// Disconnected when the program has ended.
    end: Receiver<()>,
}

impl Group {
    /// Writes the input until the program has read it, closes its input, or ends.
    fn write(&self, mut stdin: ChildStdin, mut input: &[u8], deadline: Instant) -> io::Result<()> {
        ioctl_fionbio(&stdin, true)?;
        while !input.is_empty() {
            match stdin.write(input) {
                Ok(count) => input = input.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::BrokenPipe => break,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    // A process that the program has started may keep the pipe open after its end.
                    let now = Instant::now();
                    if now >= deadline || self.has_ended(now) {
                        break;
                    }
                    let mut writable = [PollFd::new(&stdin, PollFlags::OUT)];
                    retry_on_intr(|| poll(&mut writable, Some(&CHECK_INTERVAL)))?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the program ends, or until the deadline. Returns whether it has ended. Does not reap it.
    fn has_ended(&self, deadline: Instant) -> bool {
        let left = deadline.saturating_duration_since(Instant::now());
        self.end.recv_timeout(left) != Err(RecvTimeoutError::Timeout)
    }

    /// Kills the group and reaps the program.
    fn end(&mut self) -> io::Result<ExitStatus> {
        let mut child = self.child.take().ok_or(ErrorKind::NotFound)?;
        // A failure means that the group has no processes any more.
        let _ended = kill_process_group(Pid::from_child(&child), Signal::KILL);
        // The other thread must not wait for an id that is free again.
        let _disconnected = self.end.recv();
        child.wait()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _failed = self.end();
    }
}

/// Time between two checks whether a program that does not read its input has ended.
const CHECK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };

#[cfg(test)]
mod tests {
    use std::io::{Read as _, pipe};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_program_beyond_its_time_is_killed_with_its_children() {
        let (mut reader, writer) = pipe().unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 600 & sleep 600"]).stdout(writer);
        let ended = run(&mut command, b"", Instant::now() + Duration::from_millis(50)).unwrap();
        assert!(ended.is_none());
        drop(command);
        // The pipe ends when no process has its other end.
        let (closed, end) = channel();
        thread::spawn(move || closed.send(reader.read_to_end(&mut Vec::new()).unwrap()));
        assert_eq!(end.recv_timeout(Duration::from_secs(30)), Ok(0), "a process still runs");
    }
}
