//! Work that blocks, on a thread of its own: it holds up no runtime, and needs none.

use std::thread;

use futures_channel::oneshot;
use gateway_transport::BoxError;

/// Does `work` on a new thread of this name, and waits for what it returns.
///
/// When the future is dropped, the thread goes on to the end of its work.
pub(super) async fn aside<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BoxError> {
    let (sender, receiver) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // Nobody may wait for it any more.
        let _unsent = sender.send(work());
    })?;
    // Work that panics drops the sender.
    receiver.await.map_err(|_canceled| "the thread ended without a result".into())
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
