//! The time of a simulation, in place of the clock, the date and the sleep of a thread. Unstable: it may change or disappear
//! in any release.
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::{BoxFuture, Instant};

/// A clock, a date, and two kinds of waiting.
pub trait Time: Send + Sync {
    /// Returns the time.
    fn now(&self) -> Instant;

    /// Returns the date, which may jump.
    fn date(&self) -> SystemTime;

    /// Waits until `end`.
    fn sleep_until(&self, end: Instant) -> BoxFuture<'static, ()>;

    /// Blocks this thread until `end`.
    fn block_until(&self, end: Instant);
}

/// Gives this thread another time until the guard is dropped.
pub fn simulate(time: Arc<dyn Time>) -> Simulated {
    Simulated { before: with(|own| own.replace(Some(time))).flatten() }
}

/// Returns the simulated time of this thread.
pub fn time() -> Option<Arc<dyn Time>> {
    with(|own| own.borrow().clone()).flatten()
}

/// Ends the simulated time of a thread.
#[must_use = "dropping it ends the simulation"]
pub struct Simulated {
    before: Option<Arc<dyn Time>>,
}

impl Drop for Simulated {
    fn drop(&mut self) {
        with(|own| own.replace(self.before.take()));
    }
}

impl fmt::Debug for Simulated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Simulated")
    }
}

/// Accesses the time of this thread. Returns `None` while the thread ends.
fn with<T>(access: impl FnOnce(&RefCell<Option<Arc<dyn Time>>>) -> T) -> Option<T> {
    thread_local! {
        static TIME: RefCell<Option<Arc<dyn Time>>> = const { RefCell::new(None) };
    }
    TIME.try_with(access).ok()
}
