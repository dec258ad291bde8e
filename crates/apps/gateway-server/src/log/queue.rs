//! Lines that wait to be written by a separate thread. A full queue drops and counts lines.
//!
//! `tracing-appender` has such a queue too, with `time`, `crossbeam-channel` and rolling files, and one write for each
//! line; this one writes all waiting lines together.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use crate::error::Error;

/// The lines of the log that are not written yet.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    sender: SyncSender<Entry>,
    dropped: Arc<AtomicU64>,
}

enum Entry {
    Line(Vec<u8>),
    /// Dropped when the lines before it are written.
    Mark(SyncSender<()>),
}

impl Queue {
    /// Writes lines to `out` from a separate thread, which ends when the last handle is dropped.
    pub(super) fn to(out: impl Write + Send + 'static) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel(QUEUED_LINES);
        std::thread::Builder::new().name("log".into()).spawn(move || write(out, &receiver))?;
        Ok(Self { sender, dropped: Arc::default() })
    }

    pub(super) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dropped)
    }

    /// Queues a line, or drops and counts it.
    pub(super) fn push(&self, line: Vec<u8>) {
        if self.sender.try_send(Entry::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until the lines so far are written, at most for `limit`.
    pub(super) fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let (mark, written) = sync_channel(0);
        let sender = self.sender.clone();
        // On another thread: the queue may be full, and the reader of the log may have stopped.
        let queued =
            std::thread::Builder::new().spawn(move || drop(sender.send(Entry::Mark(mark))));
        if queued.is_ok() {
            let left = deadline.saturating_duration_since(Instant::now());
            // An error means that the time is over.
            written.recv_timeout(left).unwrap_or_default();
        }
    }
}

/// Writes entries until every sender is dropped.
fn write(mut out: impl Write, entries: &Receiver<Entry>) {
    let mut waiting = Vec::with_capacity(WRITE);
    let mut write = |waiting: &mut Vec<u8>| {
        // Ignored: this is the place where an error would be reported.
        drop(out.write_all(waiting));
        waiting.clear();
    };
    while let Ok(first) = entries.recv() {
        // Lines that arrive meanwhile wake no thread: the waking was a third of the cost of a small response.
        std::thread::park_timeout(GATHERING);
        let mut next = Some(first);
        while let Some(entry) = next {
            match entry {
                Entry::Line(line) => waiting.extend_from_slice(&line),
                Entry::Mark(_mark) => write(&mut waiting),
            }
            if waiting.len() >= WRITE {
                write(&mut waiting);
            }
            next = entries.try_recv().ok();
        }
        write(&mut waiting);
    }
}

/// Maximum number of lines that wait to be written.
const QUEUED_LINES: usize = 4096;

/// Time for which lines are gathered before they are written.
const GATHERING: Duration = Duration::from_millis(5);

/// Number of bytes from which on waiting lines are written.
const WRITE: usize = 16 * 1024;
