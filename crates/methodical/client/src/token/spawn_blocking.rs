//! Blocking work on a thread, for any async runtime or none.

use std::{io, thread};

use async_lock::Mutex;
use futures_channel::oneshot::{Canceled, Receiver, channel};
use gateway_transport::BoxError;

/// Runs `work` on a new thread with this name, and waits for its result.
///
/// If the future is dropped, the thread still finishes its work.
pub(super) async fn spawn_blocking<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BoxError> {
    spawn(name, work)?.await.map_err(no_result)
}

/// Blocking work that occupies at most one thread, even if it hangs.
#[derive(Debug)]
pub(super) struct Blocking<T> {
    /// The work in progress. It stays here if the future that waits for it is dropped.
    running: Mutex<Option<Receiver<T>>>,
}

impl<T: Send + 'static> Blocking<T> {
    /// Runs `work` on a new thread with this name, and waits for its result.
    ///
    /// If work that was started earlier is still in progress, waits for its result instead. If that `is_outdated`, runs
    /// `work` after it.
    pub(super) async fn run(
        &self,
        name: &str,
        work: impl FnOnce() -> T + Send + 'static,
        is_outdated: impl FnOnce(&T) -> bool,
    ) -> Result<T, BoxError> {
        let mut running = self.running.lock().await;
        // A result that arrived after its future was dropped is outdated.
        let unfinished = running.take().and_then(|mut earlier| {
            let is_unfinished = matches!(earlier.try_recv(), Ok(None));
            is_unfinished.then_some(earlier)
        });
        if let Some(earlier) = unfinished {
            let outcome = running.insert(earlier).await;
            *running = None;
            if let Ok(result) = outcome
                && !is_outdated(&result)
            {
                return Ok(result);
            }
        }
        let outcome = running.insert(spawn(name, work)?).await;
        *running = None;
        outcome.map_err(no_result)
    }
}

impl<T> Default for Blocking<T> {
    fn default() -> Self {
        Self { running: Mutex::new(None) }
    }
}

/// Runs `work` on a new thread with this name, which sends its result.
fn spawn<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> io::Result<Receiver<T>> {
    let (sender, receiver) = channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // The receiver may have been dropped.
        let _unsent = sender.send(work());
    })?;
    Ok(receiver)
}

/// If the work panics, the sender is dropped.
fn no_result(_canceled: Canceled) -> BoxError {
    "the thread ended without a result".into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;
    use std::{pin, thread};

    use gateway_transport::BoxError;

    use super::{Blocking, spawn_blocking};

    /// Work that waits for its result, and is counted.
    #[derive(Clone)]
    struct Work(Arc<AtomicUsize>);

    impl Work {
        fn start(&self) -> (SyncSender<u8>, impl FnOnce() -> u8 + Send + 'static) {
            let (sender, receiver): (_, Receiver<u8>) = sync_channel(1);
            let count = Arc::clone(&self.0);
            let work = move || {
                count.fetch_add(1, Ordering::Relaxed);
                receiver.recv().unwrap()
            };
            (sender, work)
        }
    }

    /// Polls a run once: its result, or `None` for work that hangs.
    fn poll(run: impl Future<Output = Result<u8, BoxError>>) -> Option<u8> {
        match pin::pin!(run).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result.unwrap()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn work_that_hangs_occupies_one_thread() {
        let (blocking, work) = (Blocking::default(), Work(Arc::default()));
        let (first, hanging) = work.start();
        assert_eq!(poll(blocking.run("first", hanging, |_| false)), None);
        for _ in 0..30 {
            let (_unused, unused) = work.start();
            assert_eq!(poll(blocking.run("unused", unused, |_| false)), None);
        }
        // The result of work that has ended is shared by the run that waits for it, unless it is outdated.
        let late = thread::spawn(move || {
            thread::park_timeout(Duration::from_millis(20));
            first.send(1).unwrap();
        });
        let (second, repeated) = work.start();
        second.send(2).unwrap();
        let run = blocking.run("second", repeated, |result| *result == 1);
        assert_eq!(pollster::block_on(run).unwrap(), 2);
        late.join().unwrap();
        assert_eq!(work.0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_run_shares_the_result_of_work_in_progress() {
        let (blocking, work) = (Blocking::default(), Work(Arc::default()));
        let (first, hanging) = work.start();
        assert_eq!(poll(blocking.run("first", hanging, |_| false)), None);
        let late = thread::spawn(move || {
            thread::park_timeout(Duration::from_millis(20));
            first.send(1).unwrap();
        });
        let (_unused, unused) = work.start();
        assert_eq!(pollster::block_on(blocking.run("unused", unused, |_| false)).unwrap(), 1);
        late.join().unwrap();
    }

    #[test]
    fn a_result_that_no_run_waited_for_is_dropped() {
        let (blocking, work) = (Blocking::default(), Work(Arc::default()));
        let (first, hanging) = work.start();
        assert_eq!(poll(blocking.run("first", hanging, |_| false)), None);
        first.send(1).unwrap();
        while !format!("{blocking:?}").contains("complete: true") {
            thread::yield_now();
        }
        let (second, repeated) = work.start();
        second.send(2).unwrap();
        assert_eq!(pollster::block_on(blocking.run("second", repeated, |_| false)).unwrap(), 2);
    }

    #[test]
    fn returns_the_result_of_the_work() {
        let late = || thread::park_timeout(Duration::from_millis(20));
        assert!(pollster::block_on(spawn_blocking("late", late)).is_ok());
        assert_eq!(pollster::block_on(spawn_blocking("early", || 7)).unwrap(), 7);
    }

    #[test]
    fn work_that_panics_is_an_error() {
        let broken = || assert_eq!(1, 2, "on purpose");
        let error = pollster::block_on(spawn_blocking("broken", broken)).unwrap_err();
        assert_eq!(error.to_string(), "the thread ended without a result");
    }
}
