//! Waiting in a browser, which has no threads to wait in.

use gateway_transport::Instant;
use gloo_timers::future::TimeoutFuture;

/// Waits until `end`.
pub(super) async fn sleep_until(end: Instant) {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let milliseconds = u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(LONGEST);
        TimeoutFuture::new(milliseconds.min(LONGEST)).await;
    }
}

/// Longest wait in one round, in milliseconds. A browser ends a wait of more than 2^31 - 1 ms immediately.
const LONGEST: u32 = 1 << 30;
