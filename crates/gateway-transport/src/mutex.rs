//! [`Mutex`]: a mutex that ignores poisoning.
use std::sync::{self, MutexGuard, PoisonError};

/// A mutex that stays usable after a panic in another thread.
///
/// No code of this crate panics while it holds a lock, so its own state is always consistent. A recorder's writer or the
/// `clone` of a tower service may panic; the writer or service is then used again in the state that it is in.
#[derive(Default)]
pub(crate) struct Mutex<T>(sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(feature = "cassette")]
    pub(crate) fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
