//! The combined pace of a client's calls: requests per second, calls in flight, and pauses requested by the service.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_lock::{Semaphore, SemaphoreGuardArc};
use gateway_transport::Instant;
use http::{HeaderMap, StatusCode};

use crate::head::retry_after;
use crate::policy::Policy;
use crate::retry::MAX_RETRY_AFTER;
use crate::time::date;
use crate::unpoisoned;

/// The pace of a client and its clones.
#[derive(Debug)]
pub(crate) struct Pace {
    /// The minimum time between two requests; zero without a limit.
    interval: Duration,
    /// A permit for each call that may be in flight; `None` without a limit.
    pub(crate) calls: Option<Arc<Semaphore>>,
    may_wait: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the next request may be sent; `None` before the first request.
    next: Option<Instant>,
    /// The end of the pause requested by the service.
    pause: Option<Instant>,
}

/// A call's permission to be in flight, which ends when the permit is dropped. `None` if calls are not limited.
pub(crate) type Permit = Option<SemaphoreGuardArc>;

impl Pace {
    pub(crate) fn new(policy: &Policy) -> Self {
        let interval = policy.requests_per_second.map_or(Duration::ZERO, |requests| {
            Duration::from_secs(1).checked_div(requests).unwrap_or_default()
        });
        let calls = policy.calls_in_flight.map(|calls| Arc::new(Semaphore::new(calls)));
        let may_wait = AtomicBool::new(!interval.is_zero());
        Self { interval, calls, may_wait, state: Mutex::default() }
    }

    /// Returns whether a request may have to wait. If not, which is usual, neither the lock nor the clock is needed.
    pub(crate) fn may_wait(&self) -> bool {
        self.may_wait.load(Ordering::Relaxed)
    }

    /// Reserves the next turn for a request and returns its time.
    pub(crate) fn turn(&self, now: Instant) -> Instant {
        if self.interval.is_zero() {
            return now;
        }
        let mut state = unpoisoned(self.state.lock());
        let turn = state.next.map_or(now, |next| next.max(now));
        state.next = turn.checked_add(self.interval);
        turn
    }

    /// Returns when a request may be sent if its turn is at `turn`: not before the end of a pause requested by the
    /// service.
    pub(crate) fn start(&self, turn: Instant) -> Instant {
        let pause = unpoisoned(self.state.lock()).pause;
        pause.map_or(turn, |end| end.max(turn))
    }

    /// Records the pause that a response requests, if any. The requests of all calls then wait. A pause that is longer
    /// than the client accepts is ignored.
    pub(crate) fn received(&self, status: StatusCode, headers: &HeaderMap, now: Instant) {
        if !matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            return;
        }
        let asked = retry_after(headers, date()).filter(|asked| *asked <= MAX_RETRY_AFTER);
        if let Some(end) = asked.and_then(|asked| now.checked_add(asked)) {
            let mut state = unpoisoned(self.state.lock());
            state.pause = state.pause.max(Some(end));
            self.may_wait.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use http::{HeaderMap, StatusCode};

    use super::Pace;
    use crate::policy::Policy;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn requests_are_spread_over_the_second() {
        let pace = Pace::new(&Policy { requests_per_second: Some(4), ..Policy::default() });
        let now = Instant::now();
        let quarters = [0, 1, 2, 3].map(|quarter| now + SECOND * quarter / 4);
        assert_eq!([(); 4].map(|()| pace.turn(now)), quarters);
        // Idle time does not earn a burst.
        let later = now + SECOND * 3;
        assert_eq!([(); 2].map(|()| pace.turn(later)), [later, later + SECOND / 4]);
        let unlimited = Pace::new(&Policy::default());
        assert_eq!([(); 2].map(|()| unlimited.turn(now)), [now, now]);
    }

    #[test]
    fn a_pause_is_for_all_requests() {
        let pace = Pace::new(&Policy::default());
        let now = Instant::now();
        let receive = |status: StatusCode, seconds: &'static str| {
            let headers = HeaderMap::from_iter([(
                http::header::RETRY_AFTER,
                http::HeaderValue::from_static(seconds),
            )]);
            pace.received(status, &headers, now);
            pace.start(now).duration_since(now).as_secs()
        };
        assert_eq!(receive(StatusCode::OK, "5"), 0);
        assert_eq!(receive(StatusCode::TOO_MANY_REQUESTS, "5"), 5);
        assert_eq!(receive(StatusCode::SERVICE_UNAVAILABLE, "7"), 7);
        // A later response does not shorten the pause.
        assert_eq!(receive(StatusCode::TOO_MANY_REQUESTS, "1"), 7);
        // No call of this client waits that long.
        assert_eq!(receive(StatusCode::TOO_MANY_REQUESTS, "3600"), 7);
    }
}
