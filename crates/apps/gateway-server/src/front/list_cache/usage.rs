//! Counts of what the list cache did, for the metrics.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::exposition::Exposition;

/// How often a list was cached when it was asked for.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    hits: AtomicU64,
    misses: AtomicU64,
    failures: AtomicU64,
    /// Whether the last file could not be written.
    is_failing: AtomicBool,
}

impl Usage {
    /// Counts a list that was asked for.
    pub(crate) fn asked(&self, is_cached: bool) {
        let counter = if is_cached { &self.hits } else { &self.misses };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a file that could not be created or written. Only the first failure after a success is logged: a full disk
    /// fails every list.
    pub(super) fn failed(&self, error: &io::Error) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        if !self.is_failing.swap(true, Ordering::Relaxed) {
            let folder = std::env::temp_dir();
            tracing::warn!(
                name: "list_cache_failed",
                folder = %folder.display(),
                cause = %error,
                message = "lists are read from the database instead",
            );
        }
    }

    /// Notes that a file was written.
    pub(super) fn written(&self) {
        self.is_failing.store(false, Ordering::Relaxed);
    }

    pub(super) fn write(&self, out: &mut Exposition) {
        for (name, help, counter) in [
            ("gateway_list_cache_hits_total", "Lists that were cached.", &self.hits),
            ("gateway_list_cache_misses_total", "Lists that were not cached.", &self.misses),
            (
                "gateway_list_cache_failures_total",
                "Files of cached lists that could not be created or written.",
                &self.failures,
            ),
        ] {
            out.counter(name, help, counter.load(Ordering::Relaxed));
        }
    }
}
