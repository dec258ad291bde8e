//! Work of the store on another thread, so that an executor never waits for a disk.

use std::thread;

use futures_channel::oneshot;

use crate::error::{Error, ErrorKind};

/// Does the work on another thread. It is done to its end even if the future is dropped.
pub(crate) async fn on_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let (give, result) = oneshot::channel();
    let name = thread::Builder::new().name("methodical-mirror".to_owned());
    let spawned = name.spawn(move || {
        // The future may have been dropped.
        let _dropped = give.send(work());
    });
    spawned.map_err(|error| {
        Error::new(ErrorKind::Io, "cannot start the thread of the store").because(error)
    })?;
    let ended = || Error::new(ErrorKind::Store, "the thread of the store panicked");
    result.await.map_err(|_canceled| ended())?
}
