//! Blocking work on a thread, for any async runtime or none.

use std::thread;

use futures_channel::oneshot;
use gateway_transport::BoxError;

/// Runs `work` on a new thread with this name, and waits for its result.
///
/// If the future is dropped, the thread still finishes its work.
pub(super) async fn spawn_blocking<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BoxError> {
    let (sender, receiver) = oneshot::channel();
    thread::Builder::new().name(name.to_owned()).spawn(move || {
        // The receiver may have been dropped.
        let _unsent = sender.send(work());
    })?;
    // If the work panics, the sender is dropped.
    receiver.await.map_err(|_canceled| "the thread ended without a result".into())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::spawn_blocking;

    #[test]
    fn returns_the_result_of_the_work() {
        let late = || std::thread::park_timeout(Duration::from_millis(20));
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
