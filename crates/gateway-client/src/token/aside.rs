//! Work that blocks, on a thread of its own: it holds up no runtime, and needs none.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use gateway_transport::BoxError;

/// Does `work` on a new thread of this name, and waits for what it returns.
///
/// When the future is dropped, the thread goes on to the end of its work.
pub(super) async fn aside<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BoxError> {
    let shared = Arc::new(Mutex::new(Slot { result: None, is_over: false, waker: None }));
    let end = End(Arc::clone(&shared));
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        let result = work();
        locked(&end.0).result = Some(result);
    })?;
    poll_fn(|context| {
        let mut slot = locked(&shared);
        match slot.result.take() {
            Some(result) => Poll::Ready(Ok(result)),
            None if slot.is_over => Poll::Ready(Err("the thread ended without a result".into())),
            None => {
                slot.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    })
    .await
}

/// Where the thread puts its result, and whom it tells.
struct Slot<T> {
    result: Option<T>,
    is_over: bool,
    waker: Option<Waker>,
}

/// The end of the thread, even if its work panics.
struct End<T>(Arc<Mutex<Slot<T>>>);

impl<T> Drop for End<T> {
    fn drop(&mut self) {
        let mut slot = locked(&self.0);
        slot.is_over = true;
        if let Some(waker) = slot.waker.take() {
            waker.wake();
        }
    }
}

fn locked<T>(slot: &Mutex<Slot<T>>) -> MutexGuard<'_, Slot<T>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::aside;

    #[test]
    fn returns_what_the_work_does() {
        let late = || std::thread::park_timeout(Duration::from_millis(20));
        assert!(pollster::block_on(aside("late", late)).is_ok());
        assert_eq!(pollster::block_on(aside("early", || 7)).unwrap(), 7);
    }

    #[test]
    fn work_that_panics_is_an_error() {
        let broken = pollster::block_on(aside("broken", || assert_eq!(1, 2, "on purpose")));
        assert_eq!(broken.unwrap_err().to_string(), "the thread ended without a result");
    }
}
