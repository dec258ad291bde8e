//! Items that a thread produces while Python waits for them without its global lock.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use pyo3::prelude::*;

use crate::error::usage;

/// The items that a thread produces. If the feed is dropped, the thread ends when it next sends an item.
pub(crate) struct Feed<T> {
    items: Mutex<Receiver<T>>,
    /// Whether the thread has finished without a panic.
    is_complete: Arc<AtomicBool>,
    is_closed: AtomicBool,
    /// The id of the process that owns the thread; a forked process does not have the thread.
    process: u32,
}

impl<T: Send + 'static> Feed<T> {
    /// Starts a thread that may be up to this many items ahead of the reader.
    pub(crate) fn start(
        ahead: usize,
        produce: impl FnOnce(&SyncSender<T>) + Send + 'static,
    ) -> PyResult<Self> {
        let (sender, items) = sync_channel(ahead);
        let is_complete = Arc::new(AtomicBool::new(false));
        let of_thread = Arc::clone(&is_complete);
        Builder::new().name("gateway".into()).spawn(move || {
            produce(&sender);
            of_thread.store(true, Ordering::Release);
        })?;
        let (items, is_closed) = (Mutex::new(items), AtomicBool::new(false));
        Ok(Self { items, is_complete, is_closed, process: process::id() })
    }

    /// Waits for the next items and returns up to `most` of those that have arrived; none at the end. A signal, such as
    /// from Ctrl-C, is an error.
    pub(crate) fn wait(&self, py: Python<'_>, most: usize) -> PyResult<Vec<T>> {
        if self.process != process::id() {
            return Err(usage(py, "cannot continue after a fork; call the operation again"));
        }
        while !self.is_closed.load(Ordering::Acquire) {
            py.check_signals()?;
            let received = py.detach(|| {
                let items = lock(&self.items);
                let first = items.recv_timeout(BETWEEN_SIGNALS)?;
                Ok([first].into_iter().chain(items.try_iter()).take(most).collect())
            });
            match received {
                Ok(items) => return Ok(items),
                Err(RecvTimeoutError::Disconnected) => {
                    return self.end().map_err(|failed| usage(py, failed)).map(|()| Vec::new());
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(Vec::new())
    }

    /// Waits for the next item; `None` at the end. The thread must not need Python, whose lock the caller may hold.
    pub(crate) fn next(&self) -> Option<Result<T, &'static str>> {
        let item = lock(&self.items).recv();
        item.map_or_else(|_| self.end().err().map(Err), |item| Some(Ok(item)))
    }

    /// Fails if the thread has panicked, because items are then missing.
    fn end(&self) -> Result<(), &'static str> {
        let is_complete = self.is_complete.load(Ordering::Acquire);
        if is_complete { Ok(()) } else { Err("the thread of the call panicked; please report it") }
    }

    /// Ends all calls of [`wait`](Self::wait).
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
    }
}

/// Runs blocking work on a thread, so that Ctrl-C can end the wait for it.
pub(crate) fn on_thread<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    let feed = Feed::start(1, move |sender| drop(sender.send(work())))?;
    feed.wait(py, 1)?.pop().ok_or_else(|| usage(py, "the call was closed"))
}

/// Locks a mutex, even if a thread panicked while it held the lock.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Maximum time until a signal is noticed.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(50);
