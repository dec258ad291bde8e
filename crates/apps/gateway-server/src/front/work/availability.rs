//! Whether the database responds, from the outcome of the latest call.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::causes::with_causes;
use crate::error::{Error, ErrorKind};

/// Counts failures of the database, and logs when it becomes unavailable and available.
#[derive(Debug, Default)]
pub(super) struct Availability {
    is_down: AtomicBool,
    failures: AtomicU64,
}

impl Availability {
    /// Records the outcome of a call.
    pub(super) fn observe<T>(&self, result: &Result<T, Error>) {
        match result {
            Ok(_) => {
                if self.is_down.load(Ordering::Relaxed)
                    && self.is_down.swap(false, Ordering::Relaxed)
                {
                    tracing::info!(name: "database_available", failures = self.failures());
                }
            }
            Err(error) if is_failure(error.kind()) => {
                self.failures.fetch_add(1, Ordering::Relaxed);
                if !self.is_down.swap(true, Ordering::Relaxed) {
                    let cause = with_causes(error);
                    if error.kind() == ErrorKind::StorageCorrupt {
                        tracing::error!(name: "database_damaged", cause);
                    } else {
                        tracing::error!(name: "database_unavailable", cause);
                    }
                }
            }
            Err(_) => {}
        }
    }

    /// Returns the number of calls that failed.
    pub(super) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }
}

/// Returns whether an error says something about the database. A busy server and a removed revision do not.
fn is_failure(kind: ErrorKind) -> bool {
    !matches!(kind, ErrorKind::Overloaded | ErrorKind::SnapshotGone | ErrorKind::NotFound)
}
