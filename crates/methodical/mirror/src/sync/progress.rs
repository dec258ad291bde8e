//! The progress of a sync, and the function that receives it.

use std::fmt;
use std::sync::Arc;

/// The progress of a sync, as [`SyncOptions::on_progress`](crate::SyncOptions::on_progress) reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyncProgress {
    /// A list is being received.
    Records {
        /// The table of the list.
        table: &'static str,
        /// How many records were received, also rejected ones.
        received: u64,
    },
    /// The values of the groups are being asked for.
    Groups {
        /// The table of the placements.
        table: &'static str,
        /// The table of the groups.
        groups: &'static str,
        /// How many groups have their values, failed, or did not change.
        asked: u64,
        /// The number of all groups.
        all: u64,
    },
}

/// The function that receives the progress. `None` reports nothing.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<dyn Fn(SyncProgress) + Send + Sync>>);

impl Observer {
    pub(crate) fn new(observer: impl Fn(SyncProgress) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(observer)))
    }

    pub(crate) fn report(&self, progress: SyncProgress) {
        if let Some(observer) = &self.0 {
            observer(progress);
        }
    }

    /// Begins to count the records of a list.
    pub(crate) fn counter(&self, table: &'static str) -> Counter<'_> {
        let counter = Counter { observer: self, table, received: 0 };
        counter.report();
        counter
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer").field("is_set", &self.0.is_some()).finish()
    }
}

/// Counts the records of a list.
pub(crate) struct Counter<'a> {
    observer: &'a Observer,
    table: &'static str,
    received: u64,
}

impl Counter<'_> {
    /// Counts one record. Reports now and then.
    pub(crate) fn add(&mut self) {
        self.received += 1;
        if self.received.is_multiple_of(INTERVAL) {
            self.report();
        }
    }

    /// Reports the number of records.
    pub(crate) fn report(&self) {
        self.observer.report(SyncProgress::Records { table: self.table, received: self.received });
    }
}

/// Number of records between two reports.
const INTERVAL: u64 = 256;
