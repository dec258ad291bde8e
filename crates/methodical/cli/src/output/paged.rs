//! Output to a terminal that starts a pager when it is longer than the screen.
//!
//! The output is held until it fills the screen, and the pager starts then. Output that ends before is printed directly, and
//! so is output that has not filled the screen after half a second: a slow list is shown as it arrives.

use std::io::{self, Stdout, Write as _};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use crate::lock::lock;
use crate::output::auto_flush::{AutoFlush, buffered};
use crate::output::pager::{Pager, Running};

/// Output to a terminal, through a pager if it is long.
#[derive(Debug)]
pub(super) struct Paged {
    pager: Pager,
    state: Arc<Mutex<State>>,
    has_thread: bool,
}

#[derive(Debug)]
enum State {
    /// The start of the output.
    Held {
        bytes: Vec<u8>,
        rows: usize,
        column: usize,
    },
    Direct(AutoFlush<Stdout>),
    Pager(Running),
}

impl Paged {
    /// Creates an output that may start this pager.
    pub(super) fn new(pager: Pager) -> Self {
        Self { pager, state: Arc::new(Mutex::new(State::empty())), has_thread: false }
    }

    /// Returns whether a pager shows the output, so that nothing else may be written to the terminal.
    pub(super) fn is_running(&self) -> bool {
        matches!(&*lock(&self.state), State::Pager(_))
    }

    pub(super) fn write_all(&mut self, new: &[u8]) -> io::Result<()> {
        let mut state = lock(&self.state);
        match &mut *state {
            State::Held { bytes, rows, column } => {
                bytes.extend_from_slice(new);
                let width = usize::from(self.pager.size.columns).max(1);
                for byte in new {
                    // A rough count: a character can have several bytes, or take two columns.
                    if *byte == b'\n' || *column == width {
                        *rows += 1;
                        *column = 0;
                    }
                    *column += usize::from(*byte != b'\n');
                }
                // The prompt of the shell takes a row too.
                if *rows < usize::from(self.pager.size.rows) {
                    return Ok(());
                }
                let bytes = std::mem::take(bytes);
                *state = match self.pager.start() {
                    Some(running) => State::Pager(running),
                    None => State::Direct(direct()),
                };
                state.write_all(&bytes)?;
                state.flush()
            }
            written => written.write_all(new),
        }
    }

    /// Shows everything that was written, without a pager if none has started.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        lock(&self.state).flush()
    }

    /// Shows everything that was written soon.
    pub(super) fn flush_soon(&mut self) {
        let mut state = lock(&self.state);
        match &mut *state {
            State::Held { bytes, .. } => {
                if !bytes.is_empty() && !self.has_thread {
                    let shared = Arc::downgrade(&self.state);
                    // If the thread cannot start, the output is shown when it ends.
                    drop(
                        thread::Builder::new()
                            .name("screen".to_owned())
                            .spawn(move || show_later(&shared)),
                    );
                    self.has_thread = true;
                }
            }
            State::Direct(out) => out.flush_soon(),
            State::Pager(pager) => pager.flush_soon(),
        }
    }

    /// Ends the output, and waits until the person quits the pager.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self.take() {
            State::Held { .. } | State::Direct(_) => Ok(()),
            State::Pager(pager) => pager.finish(),
        }
    }

    fn take(&mut self) -> State {
        std::mem::replace(&mut *lock(&self.state), State::empty())
    }
}

impl Drop for Paged {
    fn drop(&mut self) {
        // The thread may have the state too, but this one waits until the person quits the pager.
        drop(self.take());
    }
}

impl State {
    fn empty() -> Self {
        Self::Held { bytes: Vec::new(), rows: 0, column: 0 }
    }

    fn write_all(&mut self, new: &[u8]) -> io::Result<()> {
        match self {
            Self::Held { bytes, .. } => {
                bytes.extend_from_slice(new);
                Ok(())
            }
            Self::Direct(out) => out.write_all(new),
            Self::Pager(pager) => pager.write_all(new),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Held { .. } => self.show(),
            Self::Direct(out) => out.flush(),
            Self::Pager(pager) => pager.flush(),
        }
    }

    /// Prints held output directly.
    fn show(&mut self) -> io::Result<()> {
        let Self::Held { bytes, .. } = self else { return Ok(()) };
        let bytes = std::mem::take(bytes);
        let mut out = direct();
        let done = out.write_all(&bytes).and_then(|()| out.flush());
        *self = Self::Direct(out);
        done
    }
}

fn direct() -> AutoFlush<Stdout> {
    AutoFlush::new(buffered(io::stdout()))
}

/// Prints held output directly after a while.
fn show_later(shared: &Weak<Mutex<State>>) {
    let end = Instant::now() + MAX_HOLD;
    while let Some(rest) = end.checked_duration_since(Instant::now()) {
        thread::park_timeout(rest);
    }
    if let Some(shared) = shared.upgrade() {
        // The next write reports an error.
        drop(lock(&shared).show());
    }
}

/// Maximum time that output is held.
const MAX_HOLD: Duration = Duration::from_millis(500);
