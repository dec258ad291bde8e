//! Periodically removes superseded rows that no response can still be reading.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use methodical_serve::Phase;
use tokio::sync::watch;

use crate::config::{Clock, LONGEST_RESPONSE};
use crate::error::with_causes;
use crate::front::metrics::Scrape;
use crate::front::work::Work;

/// The outcome of past removals.
#[derive(Debug, Default)]
pub(crate) struct Cleanup {
    /// The time of the last success, in seconds since 1970; 0 before the first one.
    last_success: AtomicI64,
    rows: AtomicU64,
    failures: AtomicU64,
}

impl Cleanup {
    /// Removes rows at regular intervals, until the server drains.
    pub(crate) async fn run(
        self: Arc<Self>,
        work: Work,
        clock: Clock,
        mut phase: watch::Receiver<Phase>,
    ) {
        loop {
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
            }
            self.run_once(&work, &clock).await;
        }
    }

    /// Removes rows once. If it fails, the next run removes the remaining rows.
    async fn run_once(&self, work: &Work, clock: &Clock) {
        match work.run_in_background(move |store| store.collect(AGE)).await {
            Ok(rows) => {
                self.last_success.store(clock.now().0, Ordering::Relaxed);
                self.rows.fetch_add(rows, Ordering::Relaxed);
                if rows > 0 {
                    tracing::info!(event = "cleanup_done", rows);
                }
            }
            Err(error) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                tracing::error!(event = "cleanup_failed", cause = with_causes(&error));
            }
        }
    }

    pub(crate) fn write(&self, out: &Scrape) {
        let help = "Superseded rows that were removed.";
        out.counter("gateway_cleanup_rows_total", help, self.rows.load(Ordering::Relaxed));
        let help = "Failed removals of superseded rows.";
        out.counter("gateway_cleanup_failures_total", help, self.failures.load(Ordering::Relaxed));
        let last = self.last_success.load(Ordering::Relaxed);
        let help = "Time of the last successful check for superseded rows, in seconds since 1970; 0 before the first.";
        out.gauge("gateway_cleanup_last_success_timestamp_seconds", help, last);
    }
}

/// Minimum age of the rows that are removed.
const AGE: Duration = Duration::from_secs(2 * LONGEST_RESPONSE);

/// Interval between two removals.
const INTERVAL: Duration = Duration::from_secs(5 * 60);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::UnixTime;
    use crate::store::Store;

    #[tokio::test]
    async fn a_failed_removal_is_counted() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.db");
        let store = Store::open(&path).unwrap();
        let work = Work::new(Arc::new(store), 1, Duration::from_secs(10));
        let clock = Clock::from_fn(|| UnixTime(1_795_000_000));
        let cleanup = Cleanup::default();
        cleanup.run_once(&work, &clock).await;
        assert_eq!(cleanup.last_success.load(Ordering::Relaxed), 1_795_000_000);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("DROP TABLE revision").unwrap();
        cleanup.run_once(&work, &clock).await;
        assert_eq!(cleanup.failures.load(Ordering::Relaxed), 1);
    }
}
