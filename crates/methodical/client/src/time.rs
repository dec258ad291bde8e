//! The clock and the date, even in a browser; blocking and async waits, with or without a runtime; and the time limits
//! of a call, with the errors that name them.

use std::pin::pin;
use std::time::{Duration, SystemTime};
use std::{fmt, thread};

pub(crate) use gateway_transport::now;
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use gateway_transport::sleep_until as sleep_until_real;
use gateway_transport::{Deadline, Instant, TransportError, TransportErrorKind, ready_before};

use crate::Error;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) fn date() -> SystemTime {
    #[cfg(feature = "test-util")]
    if let Some(time) = gateway_transport::simulated::time() {
        return time.date();
    }
    SystemTime::now()
}

/// Returns the current date and time. On this platform, `SystemTime::now` would panic.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) fn date() -> SystemTime {
    use web_time::web::SystemTimeExt;

    web_time::SystemTime::now().to_std()
}

/// Waits for `delay` without blocking the thread, with or without a runtime. A delay beyond the range of the clock is
/// skipped.
#[doc(hidden)]
pub async fn sleep(delay: Duration) {
    if let Some(end) = now().checked_add(delay) {
        sleep_until(end).await;
    }
}

/// Waits for `future` until `end`. Returns `None` if it is not ready by then.
pub(crate) async fn timeout_at<F: Future>(end: Instant, future: F) -> Option<F::Output> {
    ready_before(pin!(sleep_until(end)), pin!(future)).await
}

/// Waits until `end`, without blocking the thread.
async fn sleep_until(end: Instant) {
    #[cfg(feature = "test-util")]
    if let Some(time) = gateway_transport::simulated::time() {
        return time.sleep_until(end).await;
    }
    sleep_until_real(end).await;
}

/// Waits until `end` with the timer thread of `futures-timer`: a runtime's timer would tie the client to that runtime.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
async fn sleep_until_real(end: Instant) {
    futures_timer::Delay::new(end.saturating_duration_since(Instant::now())).await;
}

/// Blocks the thread for `delay`.
#[doc(hidden)]
#[expect(clippy::disallowed_methods, reason = "the blocking client may block its caller")]
pub fn sleep_blocking(delay: Duration) {
    #[cfg(feature = "test-util")]
    if let Some(time) = gateway_transport::simulated::time() {
        return time.block_until(now() + delay);
    }
    thread::sleep(delay);
}

/// A time limit of a call, and the instant when it is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) at: Instant,
    limit: Duration,
    timeout: Timeout,
}

/// A timeout's name in messages, and the method that sets it.
pub(crate) type Timeout = (&'static str, &'static str);

pub(crate) const OF_CALL: Timeout = ("call timeout", "ClientBuilder::call_timeout");
pub(crate) const OF_ATTEMPT: Timeout = ("attempt timeout", "ClientBuilder::attempt_timeout");
pub(crate) const OF_STREAM: Timeout = ("stream timeout", "ClientBuilder::stream_timeout");
/// The timeout in the call's own options.
pub(crate) const OF_OPTIONS: Timeout = ("timeout", "CallOptions::timeout");

impl Limit {
    pub(crate) fn after(now: Instant, limit: Duration, timeout: Timeout) -> Self {
        let at = Deadline::since(now, limit).instant();
        Self { at, limit, timeout }
    }

    /// Returns the limit that is reached first.
    pub(crate) fn or_earlier(self, other: Self) -> Self {
        if other.at < self.at { other } else { self }
    }

    /// Returns the error for a failed exchange. If this limit ended the exchange, the error names the limit.
    pub(crate) fn error(self, error: TransportError, now: Instant) -> Error {
        let left = self.at.saturating_duration_since(now);
        let is_reached = error.kind() == TransportErrorKind::Timeout && left < MIN_TIME_LEFT;
        let error = Error::from(error);
        if is_reached { error.with_text(format!("no complete response {self}")) } else { error }
    }
}

/// Prints the end of a message about a timeout: the limit, its value, and its setting.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { limit, timeout: (name, setting), .. } = self;
        write!(f, "within the {name} of {limit:?}; set a longer one with `{setting}`")
    }
}

/// Minimum time that must be left for a call to make another attempt.
///
/// A transport with a coarse clock gives up slightly before the call's deadline. The remaining time is then too short
/// for another attempt.
pub(crate) const MIN_TIME_LEFT: Duration = Duration::from_millis(10);
