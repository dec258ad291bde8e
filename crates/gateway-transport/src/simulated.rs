//! Simulated time, which replaces the clock, the date and the timers of a thread. Unstable: it may change or disappear
//! in any release.
use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use crate::{BoxFuture, Instant};

/// A source of time: a clock, a date, and an async and a blocking wait.
pub trait Time: Send + Sync {
    /// Returns the current instant.
    fn now(&self) -> Instant;

    /// Returns the current date and time, which may jump forward or backward.
    fn date(&self) -> SystemTime;

    /// Waits until `end`.
    fn sleep_until(&self, end: Instant) -> BoxFuture<'static, ()>;

    /// Blocks this thread until `end`.
    fn block_until(&self, end: Instant);
}

/// Sets the clock of this thread to `time` until the returned guard is dropped.
pub fn simulate(time: Arc<dyn Time>) -> Simulated {
    Simulated { before: with(|own| own.replace(Some(time))).flatten() }
}

/// Returns this thread's simulated time, or `None` if the thread runs no simulation.
pub fn time() -> Option<Arc<dyn Time>> {
    with(|own| own.borrow().clone()).flatten()
}

/// The guard returned by [`simulate`]. Dropping it restores the time that the thread had before.
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

/// Accesses this thread's simulated time. Returns `None` while the thread is ending.
fn with<T>(access: impl FnOnce(&RefCell<Option<Arc<dyn Time>>>) -> T) -> Option<T> {
    thread_local! {
        static TIME: RefCell<Option<Arc<dyn Time>>> = const { RefCell::new(None) };
    }
    TIME.try_with(access).ok()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::now;

    /// A clock stopped at one time.
    struct Stopped(Instant);

    impl Time for Stopped {
        fn now(&self) -> Instant {
            self.0
        }

        fn date(&self) -> SystemTime {
            SystemTime::UNIX_EPOCH
        }

        fn sleep_until(&self, _: Instant) -> BoxFuture<'static, ()> {
            Box::pin(async {})
        }

        fn block_until(&self, _: Instant) {}
    }

    #[test]
    fn a_simulation_ends_with_its_guard() {
        let start = now();
        let [early, late] = [1000, 2000].map(|seconds| start + Duration::from_secs(seconds));
        let outer = simulate(Arc::new(Stopped(early)));
        assert_eq!((now(), now()), (early, early));
        let inner = simulate(Arc::new(Stopped(late)));
        assert_eq!(now(), late);
        let elsewhere = std::thread::spawn(|| time().is_none()).join();
        assert!(elsewhere.unwrap(), "the simulation of a thread applies to that thread only");
        drop(inner);
        assert_eq!(now(), early);
        drop(outer);
        assert!(time().is_none());
        assert!((start..early).contains(&now()));
    }
}
