//! Where the blocking work of the database runs, how much of it at once, and how long anybody waits for it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::store::Store;

/// Runs short, blocking calls to the store beside the threads that serve connections.
///
/// The permits bound how many run at once, and so how many connections to the database are needed. They are handed
/// out in order: a small answer waits for at most one page of each list before it.
///
/// The database ends its statements itself, as long as it can be reached. When it cannot, a blocking call waits for as
/// long as the network makes it; whoever asked does not, and is told so. The call keeps its permit until it is over: a
/// database that hangs must not collect threads.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    store: Arc<dyn Store>,
    permits: Arc<Semaphore>,
    statement: Duration,
}

impl Work {
    /// Runs `at_once` jobs at a time. `statement` is how long one statement of the database may take.
    pub(crate) fn new(store: Arc<dyn Store>, at_once: usize, statement: Duration) -> Self {
        Self { store, permits: Arc::new(Semaphore::new(at_once)), statement }
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

    /// Runs `job` and waits for it without holding a thread. Fails when its turn does not come, or does not end.
    pub(crate) async fn run<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        let busy =
            |_elapsed| Error::new(ErrorKind::Overloaded, "all readers of the database are busy");
        let permit = timeout(self.statement, self.turn()).await.map_err(busy)??;
        self.run_with(permit, job).await
    }

    /// Runs `job` as [`run`](Self::run) does, but waits for its turn for as long as the caller does: for what has begun
    /// already, and would be broken off.
    pub(crate) async fn go_on<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        let permit = self.turn().await?;
        self.run_with(permit, job).await
    }

    /// Runs what nobody waits for, for as long as it takes, and beside the others: a request must not wait for its end.
    pub(crate) async fn tidy<T, F>(&self, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        self.spawn(None, job).await
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Error> {
        let stopping = |_closed| Error::new(ErrorKind::Storage, "the server is stopping");
        Arc::clone(&self.permits).acquire_owned().await.map_err(stopping)
    }

    async fn run_with<T, F>(&self, permit: OwnedSemaphorePermit, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        let silent = |_elapsed| Error::new(ErrorKind::Storage, "the database does not answer");
        timeout(self.statement * STEPS, self.spawn(Some(permit), job)).await.map_err(silent)?
    }

    async fn spawn<T, F>(&self, permit: Option<OwnedSemaphorePermit>, job: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(&dyn Store) -> Result<T, Error> + Send + 'static,
    {
        let store = self.store();
        let done = tokio::task::spawn_blocking(move || {
            let result = job(&*store);
            drop(permit);
            result
        });
        done.await.map_err(|error| Error::caused(ErrorKind::Storage, "a job broke off", error))?
    }
}

/// A job may have to connect, to prepare a statement, and to run it.
const STEPS: u32 = 3;
