//! Remembers that damage was found.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, ErrorKind};
use crate::store::errors::damaged;

/// Whether a read has found damage. It stays so until the program is started again.
#[derive(Debug)]
pub(super) struct Damage(AtomicBool);

impl Damage {
    /// Returns the state before the first read.
    pub(super) const fn none() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Notes the damage, if the read failed because of damage.
    pub(super) fn note<T>(&self, result: &Result<T, Error>) {
        if result.as_ref().is_err_and(|error| error.kind() == ErrorKind::StorageCorrupt) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    /// Fails if damage was found.
    pub(super) fn check(&self) -> Result<(), Error> {
        if self.0.load(Ordering::Relaxed) { Err(damaged("a row")) } else { Ok(()) }
    }
}
