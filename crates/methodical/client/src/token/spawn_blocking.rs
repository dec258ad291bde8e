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
    /// Runs `work` on a new thread with this name, after work that was started earlier, and waits for its result.
    pub(super) async fn run(
        &self,
        name: &str,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, BoxError> {
        let mut running = self.running.lock().await;
        if let Some(earlier) = &mut *running {
            // Its future was dropped, and its result is outdated.
            let _outdated = earlier.await;
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
    use std::sync::mpsc::sync_channel;
    use std::task::{Context, Poll, Waker};
    use std::time::Duration;
    use std::{pin, thread};

    use gateway_transport::BoxError;

    use super::{Blocking, spawn_blocking};

    /// Polls a run once. Returns its result, or `None` if it waits.
    fn poll(run: impl Future<Output = Result<u8, BoxError>>) -> Option<u8> {
        match pin::pin!(run).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(result) => Some(result.unwrap()),
            Poll::Pending => None,
        }
    }

    #[test]
    fn work_that_hangs_occupies_one_thread() {
        let (blocking, count) = (Blocking::default(), Arc::new(AtomicUsize::new(0)));
        let (end, ended) = sync_channel(1);
        let counted = |work: Arc<AtomicUsize>| move || work.fetch_add(1, Ordering::Relaxed);
        let hanging = counted(Arc::clone(&count));
        let hanging = move || {
            hanging();
            ended.recv().unwrap()
        };
        assert_eq!(poll(blocking.run("hanging", hanging)), None);
        for _ in 0..30 {
            let unused = counted(Arc::clone(&count));
            let unused = move || {
                unused();
                7
            };
            assert_eq!(poll(blocking.run("unused", unused)), None);
        }
        let late = thread::spawn(move || {
            thread::park_timeout(Duration::from_millis(20));
            end.send(1).unwrap();
        });
        // The result of the earlier work is outdated.
        assert_eq!(pollster::block_on(blocking.run("next", || 2)).unwrap(), 2);
        late.join().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn work_that_panics_is_an_error() {
        let broken = || assert_eq!(1, 2, "on purpose");
        let error = pollster::block_on(spawn_blocking("broken", broken)).unwrap_err();
        assert_eq!(error.to_string(), "the thread ended without a result");
    }
}
