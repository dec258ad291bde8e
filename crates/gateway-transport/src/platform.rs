//! Platform-dependent code: the clock, timers and runtimes, and futures that are `Send` except in a browser
//! (`wasm32-unknown-unknown`). Also a mutex that ignores poisoning.
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{self, MutexGuard, PoisonError};
use std::task::Poll;
/// A point in time: `std::time::Instant` or, in a browser (`wasm32-unknown-unknown`), where the clock of `std` panics,
/// the type of the same name in `web-time`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

/// Returns the current instant, or the simulated one if this thread runs a simulation.
#[doc(hidden)]
#[cfg_attr(not(feature = "test-util"), inline)]
pub fn now() -> Instant {
    #[cfg(feature = "test-util")]
    if let Some(time) = crate::simulated::time() {
        return time.now();
    }
    Instant::now()
}

/// A boxed future that is `Send` wherever [`MaybeSend`] is.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;
/// A boxed future that is `Send` wherever [`MaybeSend`] is.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// `Send`, except in a browser (`wasm32-unknown-unknown`), where the futures of `fetch` are never `Send`.
///
/// Blanket-implemented; never implement it yourself.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub trait MaybeSend: Send {}
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
impl<T: Send + ?Sized> MaybeSend for T {}

/// `Send`, except in a browser (`wasm32-unknown-unknown`), where the futures of `fetch` are never `Send`.
///
/// Blanket-implemented; never implement it yourself.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub trait MaybeSend {}
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
impl<T: ?Sized> MaybeSend for T {}

/// Returns the tokio runtime that the caller runs in. Without one, returns an error where tokio would panic.
#[cfg(all(
    any(feature = "reqwest", feature = "tower-service"),
    not(all(target_family = "wasm", target_os = "unknown"))
))]
pub(crate) fn current_runtime() -> Result<tokio::runtime::Handle, crate::TransportError> {
    use crate::{Sent, TransportError, TransportErrorKind};
    tokio::runtime::Handle::try_current().map_err(|error| {
        TransportError::new(
            TransportErrorKind::Other,
            "this transport needs a running tokio runtime",
        )
        .with_sent(Sent::No)
        .with_source(error)
    })
}

/// Waits until `end`.
#[cfg(all(
    any(feature = "reqwest", feature = "tower-service"),
    not(all(target_family = "wasm", target_os = "unknown"))
))]
pub(crate) fn sleep_until(end: Instant) -> tokio::time::Sleep {
    tokio::time::sleep_until(end.into())
}

/// Waits until `end` with a timer of the browser, which has no threads.
#[doc(hidden)]
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub async fn sleep_until(end: Instant) {
    /// Longest wait in one round, in milliseconds. A browser ends a wait of more than 2^31 - 1 ms immediately.
    const LONGEST: u32 = 1 << 30;
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
#[cfg(any(feature = "reqwest", feature = "tower-service"))]
pub(crate) async fn timeout_at<T>(end: Instant, future: impl Future<Output = T>) -> Option<T> {
    ready_before(std::pin::pin!(sleep_until(end)), std::pin::pin!(future)).await
}

/// Waits for `future` until the timer ends. Returns `None` if it is not ready by then.
///
/// The timer is polled second, so a future that is ready immediately never starts it.
#[doc(hidden)]
pub async fn ready_before<T>(
    mut timer: Pin<&mut impl Future<Output = ()>>,
    mut future: Pin<&mut impl Future<Output = T>>,
) -> Option<T> {
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

/// A mutex that stays usable after a panic in another thread.
///
/// This crate's own code never panics while it holds a lock, so its state is always consistent. A recorder's writer or
/// a tower service's `clone` may panic; that writer or service stays in use, in the state that the panic left.
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
