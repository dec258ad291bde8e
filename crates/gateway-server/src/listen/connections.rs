//! Counts of connections, for the metrics.

use std::sync::atomic::AtomicU64;

/// How many connections are open, and how many were refused since the start.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    pub(crate) open: AtomicU64,
    pub(crate) refused: AtomicU64,
}
