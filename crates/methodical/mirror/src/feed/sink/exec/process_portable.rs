//! One run of a program outside Unix, where its children cannot be killed with it.

use std::io::{self, Write as _};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Runs a program with this input. Returns its status, or `None` if it was killed at the deadline.
pub(crate) fn run(
    command: &mut Command,
    input: &[u8],
    deadline: Instant,
) -> io::Result<Option<ExitStatus>> {
    let mut running = Running(command.spawn()?);
    if let Some(mut stdin) = running.0.stdin.take() {
        let input = input.to_vec();
        // The thread ends when the program has read the input or has ended, which closes the pipe.
        thread::Builder::new().name("methodical-mirror-exec".to_owned()).spawn(move || {
            let _closed = stdin.write_all(&input);
        })?;
    }
    loop {
        if let Some(status) = running.0.try_wait()? {
            return Ok(Some(status));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        thread::park_timeout(left.min(CHECK_INTERVAL));
    }
}

/// A running program, which is killed when it is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // Fails if the program has ended.
        let _ended = self.0.kill();
        let _status = self.0.wait();
    }
}

/// Time between two checks whether the program has ended.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);
