//! Threads for long work, with a lower priority than the threads that serve connections.

use std::{fmt, io};

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

/// A pool of threads with a lower priority, so that reading and compressing long lists does not delay small responses:
/// with 8 compressed lists on two cores, `credits/get` had four times the rate.
pub(crate) struct Background {
    /// Unset only while it is dropped. No task runs on it, only blocking jobs.
    runtime: Option<Runtime>,
}

impl Background {
    /// Creates the pool. It starts a thread when a job finds none that is idle.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_current_thread()
            .thread_name("background")
            .on_thread_start(lower_priority)
            .build()?;
        Ok(Self { runtime: Some(runtime) })
    }

    /// Runs a job that may block.
    pub(crate) fn spawn<T, F>(&self, job: F) -> JoinHandle<T>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        match &self.runtime {
            Some(runtime) => runtime.spawn_blocking(job),
            None => tokio::task::spawn_blocking(job),
        }
    }
}

impl Drop for Background {
    /// Does not wait for jobs: a database that is unreachable may block them for long.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Background")
    }
}

/// Lowers the priority of this thread. It is only a matter of speed, so a failure is ignored.
///
/// Only Linux has priorities of threads; elsewhere the call would lower that of the process.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    rustix::process::nice(NICENESS).unwrap_or_default();
}

/// Difference of niceness to the other threads. On Linux, a thread with 10 more gets about a tenth of the time.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 10;
