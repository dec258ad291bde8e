//! How many connections are open, and how many were refused.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of connections, for the metrics.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    open: AtomicU64,
    refused: AtomicU64,
}

impl Connections {
    /// Returns how many connections are open.
    pub(crate) fn open(&self) -> u64 {
        self.open.load(Ordering::Relaxed)
    }

    /// Returns how many connections were refused since the start.
    pub(crate) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Counts a connection as open until the returned guard is dropped.
    pub(super) fn count_open(&self) -> OpenConnection<'_> {
        self.open.fetch_add(1, Ordering::Relaxed);
        OpenConnection(self)
    }

    pub(super) fn count_refused(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// An open connection.
#[derive(Debug)]
pub(super) struct OpenConnection<'c>(&'c Connections);

impl Drop for OpenConnection<'_> {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}
