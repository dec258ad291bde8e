//! [`Instant`], and the one place that reads the clock.

/// A point in time: that of the standard library or, in a browser (`wasm32-unknown-unknown`), where that clock panics, the
/// type of the same name in `web-time`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

/// A point in time: that of the standard library or, in a browser (`wasm32-unknown-unknown`), where that clock panics, the
/// type of the same name in `web-time`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;

/// Returns the time: that of the simulation of this thread, if it has one.
#[doc(hidden)]
#[cfg_attr(not(feature = "test-util"), inline)]
pub fn now() -> Instant {
    #[cfg(feature = "test-util")]
    if let Some(time) = crate::simulated::time() {
        return time.now();
    }
    Instant::now()
}
