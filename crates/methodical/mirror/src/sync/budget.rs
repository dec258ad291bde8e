//! The rate of the calls of a run, and their number.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use methodical_client::sleep_blocking;
use methodical_client::transport::{Instant, now};

/// Spaces the calls of a run evenly, and counts them.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The time between two calls; zero without a limit.
    interval: Duration,
    /// When the next call may begin.
    next: Mutex<Option<Instant>>,
    calls: AtomicU64,
}

impl Budget {
    /// Creates a budget of this many calls per second; 0 for any number.
    pub(crate) fn per_second(calls: u32) -> Self {
        let interval = Duration::from_secs(1).checked_div(calls).unwrap_or_default();
        Self { interval, next: Mutex::new(None), calls: AtomicU64::new(0) }
    }

    pub(crate) fn unlimited() -> Self {
        Self::per_second(0)
    }

    /// Counts a call, and blocks the thread until it may begin.
    pub(crate) fn take(&self) {
        sleep_blocking(self.reserve(now()));
    }

    /// Returns how many calls were counted.
    pub(crate) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Reserves the next free time, and returns the wait until then.
    fn reserve(&self, now: Instant) -> Duration {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = next.map_or(now, |next| next.max(now));
        *next = begin.checked_add(self.interval);
        begin.saturating_duration_since(now)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use methodical_client::transport::Instant;

    use super::Budget;

    #[test]
    fn calls_are_spaced_evenly_and_an_idle_time_is_not_made_up_for() {
        let budget = Budget::per_second(4);
        let start = Instant::now();
        let ms = Duration::from_millis;
        assert_eq!(budget.reserve(start), ms(0));
        assert_eq!(budget.reserve(start), ms(250));
        assert_eq!(budget.reserve(start + ms(100)), ms(400));
        assert_eq!(budget.reserve(start + ms(5000)), ms(0));
        assert_eq!(budget.reserve(start + ms(5000)), ms(250));
        assert_eq!(budget.calls(), 5);
    }

    #[test]
    fn without_a_limit_no_call_waits() {
        let (budget, now) = (Budget::unlimited(), Instant::now());
        assert!((0..100).all(|_| budget.reserve(now).is_zero()));
    }
}
