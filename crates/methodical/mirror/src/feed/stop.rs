//! A request to end a loop, from another thread.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

/// A request to end a delivery, such as that of a signal. Clones are one request.
///
/// ```
/// use methodical_mirror::Stop;
///
/// let stop = Stop::new();
/// let other = stop.clone();
/// std::thread::spawn(move || other.request()).join().unwrap();
/// assert!(stop.is_requested());
/// ```
#[derive(Clone, Default)]
pub struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Creates a request that is not sent yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sends the request, and wakes the threads that wait for it.
    pub fn request(&self) {
        let (requested, changed) = &*self.0;
        *requested.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }

    /// Returns whether the request was sent.
    pub fn is_requested(&self) -> bool {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until this time, or until the request is sent. Returns whether it was sent.
    pub fn wait_until(&self, deadline: Instant) -> bool {
        let (requested, changed) = &*self.0;
        let mut requested = requested.lock().unwrap_or_else(PoisonError::into_inner);
        while !*requested {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = changed.wait_timeout(requested, left);
            requested = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *requested
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("is_requested", &self.is_requested()).finish()
    }
}
