//! Waiting between attempts, with and without blocking, on any runtime or none.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Waits without blocking.
///
/// A thread keeps the time, so that the client works on every runtime. A wait comes before a retry only, which the
/// budget keeps rare; it ends early when the future is dropped.
pub(crate) async fn sleep(delay: Duration) {
    sleep_until(Instant::now().checked_add(delay)).await;
}

/// Waits for `future`, but not beyond `end`.
pub(crate) async fn before<F: Future>(end: Instant, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    // Starts no thread before it is polled, and what is ready at once comes first.
    let mut timer = pin!(sleep_until(Some(end)));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Without an end, it does not wait at all.
async fn sleep_until(end: Option<Instant>) {
    let timer = Arc::new(Mutex::new(None::<Waker>));
    let mut keeper = None::<Keeper>;
    poll_fn(|context| {
        if end.is_none_or(|end| Instant::now() >= end) {
            return Poll::Ready(());
        }
        *timer.lock().unwrap_or_else(PoisonError::into_inner) = Some(context.waker().clone());
        if keeper.is_none() {
            keeper = Keeper::start(end, Arc::clone(&timer));
        }
        // Without a thread there is no time to keep: the next attempt is made at once.
        if keeper.is_some() { Poll::Pending } else { Poll::Ready(()) }
    })
    .await;
}

/// Waits on the calling thread.
#[expect(clippy::disallowed_methods, reason = "the caller of the blocking client asked to block")]
pub(crate) fn block(delay: Duration) {
    thread::sleep(delay);
}

/// A thread that wakes a task once, and ends when it is dropped.
struct Keeper(thread::Thread);

impl Keeper {
    fn start(end: Option<Instant>, timer: Arc<Mutex<Option<Waker>>>) -> Option<Self> {
        let end = end?;
        let work = move || {
            // Two owners: this thread and the future. One means that the future is gone.
            while Arc::strong_count(&timer) > 1 && Instant::now() < end {
                thread::park_timeout(end.saturating_duration_since(Instant::now()));
            }
            if let Some(waker) = timer.lock().unwrap_or_else(PoisonError::into_inner).take() {
                waker.wake();
            }
        };
        let thread =
            thread::Builder::new().name("gateway-client-timer".to_owned()).spawn(work).ok()?;
        Some(Self(thread.thread().clone()))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.0.unpark();
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::sleep;

    #[tokio::test]
    async fn waits_as_long_as_it_is_told() {
        let start = Instant::now();
        sleep(Duration::from_millis(20)).await;
        assert!(start.elapsed() >= Duration::from_millis(20));
        sleep(Duration::ZERO).await;
    }
}
