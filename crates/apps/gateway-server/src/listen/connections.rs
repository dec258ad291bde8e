//! Counts of connections, for the metrics.

use std::sync::atomic::AtomicU64;

/// How many connections are open, and how many were refused or evicted since the start.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    pub(crate) open: AtomicU64,
    /// Refused because there were too many connections.
    pub(crate) refused: AtomicU64,
    /// Refused because there were too many connections of one address.
    pub(crate) refused_by_address: AtomicU64,
    /// Closed while they waited for a request, to make room for new ones.
    pub(crate) evicted: AtomicU64,
}
