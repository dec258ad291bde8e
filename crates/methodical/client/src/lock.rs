//! Locks that survive a panic.

use std::sync::{LockResult, PoisonError};

/// Returns the guard of a lock, even if a thread panicked while it held the lock.
///
/// That is sound here: no code of this crate can panic between two changes of a locked value that belong together.
pub(crate) fn unpoisoned<Guard>(locked: LockResult<Guard>) -> Guard {
    locked.unwrap_or_else(PoisonError::into_inner)
}
