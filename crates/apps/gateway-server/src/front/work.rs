//! Runs blocking reads from the database, with limits on how many run concurrently and on how long a request waits.

use std::io;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::error::{Error, ErrorKind};
use crate::front::metrics::Scrape;
use crate::store::Store;

/// Runs short, blocking calls to the store on threads that serve no connections.
///
/// A call needs a reader. The number of readers limits how many calls run concurrently, and therefore how many database
/// connections are needed. Readers are granted in order, and a list gives its reader back when another call waits, so a
/// small response waits for at most one page of each earlier list.
///
/// A reachable database enforces the timeout of its statements itself. If the database cannot be reached, a blocking
/// call may hang for as long as the network allows; the request does not wait for it and gets an error. The call keeps
/// its reader until it returns, so that a hanging database cannot accumulate threads.
#[derive(Clone, Debug)]
pub(crate) struct Work {
    store: Arc<Store>,
    readers: Arc<Semaphore>,
    limit: usize,
    /// Calls that wait for a reader.
    waiting: Arc<AtomicU64>,
    failures: Arc<AtomicU64>,
    statement_timeout: Duration,
    /// Set if jobs run on the thread of the request.
    #[cfg(feature = "test-util")]
    latency: Option<Latency>,
    /// The permits for compressing lists.
    compressing: Arc<Semaphore>,
}

/// A blocking call to the store.
pub(crate) trait Job<T>: FnOnce(&Store) -> Result<T, Error> + Send + 'static {}

impl<T, F: FnOnce(&Store) -> Result<T, Error> + Send + 'static> Job<T> for F {}

/// The duration of the next read from a simulated database.
#[cfg(feature = "test-util")]
#[derive(Clone)]
pub(crate) struct Latency(pub(crate) Arc<dyn Fn() -> Duration + Send + Sync>);

#[cfg(feature = "test-util")]
impl std::fmt::Debug for Latency {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Latency")
    }
}

impl Work {
    /// Creates a pool of `readers` readers. `statement_timeout` is the timeout of one database statement.
    pub(crate) fn new(store: Arc<Store>, readers: usize, statement_timeout: Duration) -> Self {
        Self {
            store,
            readers: Arc::new(Semaphore::new(readers)),
            limit: readers,
            waiting: Arc::default(),
            failures: Arc::default(),
            statement_timeout,
            #[cfg(feature = "test-util")]
            latency: None,
            compressing: Arc::new(Semaphore::new(compressing())),
        }
    }

    /// Runs reads on the calling thread, for an in-memory store in a simulation.
    #[cfg(feature = "test-util")]
    pub(crate) fn without_threads(self, latency: Latency) -> Self {
        Self { latency: Some(latency), ..self }
    }

    pub(crate) fn write(&self, out: &Scrape) {
        let help = "Maximum number of concurrent database readers.";
        out.gauge("gateway_database_readers_limit", help, self.limit);
        let busy = self.limit.saturating_sub(self.readers.available_permits());
        out.gauge("gateway_database_readers_busy", "Database readers in use.", busy);
        let waiting = self.waiting.load(Ordering::Relaxed);
        let help = "Calls waiting for a database reader.";
        out.gauge("gateway_database_readers_waiting", help, waiting);
        let idle = self.store.idle_connections();
        let help = "Idle database connections.";
        out.gauge("gateway_database_connections_idle", help, idle);
        let failures = self.failures.load(Ordering::Relaxed);
        let help = "Failed database calls.";
        out.counter("gateway_database_failures_total", help, failures);
    }

    pub(crate) fn store(&self) -> Arc<Store> {
        Arc::clone(&self.store)
    }

    /// Runs a job that reads one or two rows. If the store is local, this thread runs the job, which is faster than
    /// passing it to another thread.
    pub(crate) async fn look_up<T: Send + 'static>(&self, job: impl Job<T>) -> Result<T, Error> {
        if !self.store.is_near() {
            return self.run(job).await;
        }
        let result = job(&self.store);
        self.count(&result);
        result
    }

    /// Runs `job` and waits without blocking this thread. Fails if the job gets no reader or does not return in time.
    pub(crate) async fn run<T: Send + 'static>(&self, job: impl Job<T>) -> Result<T, Error> {
        let busy = |_elapsed| {
            Error::new(ErrorKind::Overloaded, "cannot read the database: all readers are busy")
        };
        let reader = timeout(self.statement_timeout, self.reader()).await.map_err(busy)??;
        self.run_with(reader, Handle::current(), job).await
    }

    /// Runs `job` like [`run`](Self::run), but waits for a reader without a limit. Use it for a response that has begun
    /// and has a deadline. Jobs that compress leave one processor free, unless the database is remote.
    pub(crate) async fn run_patiently<T: Send + 'static>(
        &self,
        compresses: bool,
        job: impl Job<T>,
    ) -> Result<T, Error> {
        let permit = if compresses && self.store.is_near() {
            Some(Arc::clone(&self.compressing).acquire_owned().await.map_err(stopping)?)
        } else {
            None
        };
        let job = move |store: &Store| {
            let result = job(store);
            drop(permit);
            result
        };
        let threads = if compresses { compressors() } else { Handle::current() };
        self.run_with(self.reader().await?, threads, job).await
    }

    /// Runs a job that no request is waiting for, without a reader or a time limit.
    pub(crate) async fn run_in_background<T: Send + 'static>(
        &self,
        job: impl Job<T>,
    ) -> Result<T, Error> {
        self.spawn(None, Handle::current(), job).await
    }

    /// Returns whether a job should finish soon, because another one is waiting for a reader.
    pub(crate) fn is_wanted(&self) -> bool {
        #[cfg(feature = "test-util")]
        if self.latency.is_some() {
            return true;
        }
        self.waiting.load(Ordering::Relaxed) > 0
    }

    async fn reader(&self) -> Result<OwnedSemaphorePermit, Error> {
        let _waiting = Waiting::begin(&self.waiting);
        Arc::clone(&self.readers).acquire_owned().await.map_err(stopping)
    }

    async fn run_with<T: Send + 'static>(
        &self,
        reader: OwnedSemaphorePermit,
        threads: Handle,
        job: impl Job<T>,
    ) -> Result<T, Error> {
        let silent = |_elapsed| Error::new(ErrorKind::Storage, "the database does not respond");
        let spawned = self.spawn(Some(reader), threads, job);
        let done = timeout(self.statement_timeout * STEPS, spawned).await;
        let result = done.map_err(silent).flatten();
        self.count(&result);
        result
    }

    /// Counts a failure of the database. An overloaded server and a removed revision do not count.
    fn count<T>(&self, result: &Result<T, Error>) {
        use ErrorKind::{NotFound, Overloaded, SnapshotGone};
        if let Err(error) = result
            && !matches!(error.kind(), Overloaded | SnapshotGone | NotFound)
        {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    async fn spawn<T: Send + 'static>(
        &self,
        reader: Option<OwnedSemaphorePermit>,
        threads: Handle,
        job: impl Job<T>,
    ) -> Result<T, Error> {
        let store = self.store();
        let job = move || {
            let result = job(&store);
            drop(reader);
            result
        };
        #[cfg(feature = "test-util")]
        if let Some(Latency(latency)) = &self.latency {
            tokio::time::sleep(latency()).await;
            return job();
        }
        threads.spawn_blocking(job).await.map_err(|error| {
            Error::caused(ErrorKind::Storage, "a database task panicked or was canceled", error)
        })?
    }
}

/// Returns how many lists may be compressed concurrently: one processor is left for small responses.
fn compressing() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    processors.saturating_sub(1).max(1)
}

/// Returns the threads that compress lists. The threads of connections have a higher priority, so a small response does
/// not wait while lists are compressed: its p99 is 2.6 times that without lists, and 4.9 times at the same priority
/// (`cargo bench -p gateway-server --bench server -- slow`). A thread cannot raise its priority again, so these are not
/// threads of the caller's runtime.
fn compressors() -> Handle {
    static THREADS: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
        let mut threads = Builder::new_multi_thread();
        threads.worker_threads(1).thread_name("compress").enable_time();
        threads.on_thread_start(lower_priority).build()
    });
    THREADS
        .as_ref()
        .map_or_else(|_cannot_start| Handle::current(), |threads| threads.handle().clone())
}

/// Lowers the priority of the calling thread, on Linux. Elsewhere, a priority belongs to the whole process.
fn lower_priority() {
    // If this fails, lists are compressed at the priority of the other threads.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::setpriority_process(None, COMPRESSOR_NICENESS);
}

fn stopping(_closed: AcquireError) -> Error {
    Error::new(ErrorKind::Storage, "the server is stopping")
}

/// Counts a call as waiting for a reader, until the call gets one or gives up.
struct Waiting<'w>(&'w AtomicU64);

impl<'w> Waiting<'w> {
    fn begin(count: &'w AtomicU64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Niceness of the threads that compress. Beside another busy process, they still get a tenth of a processor.
#[cfg(target_os = "linux")]
const COMPRESSOR_NICENESS: i32 = 10;

/// Number of steps of a job that may each take as long as the statement timeout: connect, prepare a statement, run it.
const STEPS: u32 = 3;
