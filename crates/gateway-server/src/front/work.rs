//! Where the blocking work of the database runs, and how much of it at once.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::error::{Error, ErrorKind};
use crate::store::Store;

/// Runs short, blocking calls to the store beside the threads that serve connections.
///
/// The permits bound how many run at once, and so how many connections to the database are needed. They are handed
/// out in order: a small answer waits for at most one page of each list before it.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    store: Arc<dyn Store>,
    permits: Arc<Semaphore>,
}

impl Work {
    pub(crate) fn new(store: Arc<dyn Store>, at_once: usize) -> Self {
        Self { store, permits: Arc::new(Semaphore::new(at_once)) }
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Runs a job that reads a row or two: at once where that takes less than handing it to another thread.
    pub(crate) async fn look_up<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        if self.store.is_near() { job(&*self.store) } else { self.run(job).await }
    }

    /// Runs `job` and waits for it without holding a thread.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        let stopping = |_error| Error::new(ErrorKind::Storage, "the server is stopping");
        let permit = Arc::clone(&self.permits).acquire_owned().await.map_err(stopping)?;
        let store = self.store();
        let done = tokio::task::spawn_blocking(move || {
            let result = job(&*store);
            drop(permit);
            result
        });
        done.await.map_err(|error| Error::caused(ErrorKind::Storage, "a job broke off", error))?
    }
}
