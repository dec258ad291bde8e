//! Waiting until a point in time, on tokio or, in a browser, with `setTimeout`.
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use crate::Instant;

/// Waits until `end`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) fn sleep_until(end: Instant) -> tokio::time::Sleep {
    tokio::time::sleep_until(end.into())
}

/// Waits until `end`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) async fn sleep_until(end: Instant) {
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let milliseconds = u32::try_from(left.as_micros().div_ceil(1000)).unwrap_or(LONGEST);
        gloo_timers::future::TimeoutFuture::new(milliseconds.min(LONGEST)).await;
    }
}

/// Waits for `future` until `end`. Returns `None` if it is not ready by then.
pub(crate) async fn timeout_at<T>(end: Instant, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut timer = pin!(sleep_until(end));
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// Longest wait in one round, in milliseconds. A browser ends a wait of more than 2^31 - 1 ms immediately.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
const LONGEST: u32 = 1 << 30;
