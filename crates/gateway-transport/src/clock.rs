//! [`Instant`]: the clock.

/// A point in time: that of the standard library or, in a browser (`wasm32-unknown-unknown`), where that clock panics, the
/// type of the same name in `web-time`.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

/// A point in time: that of the standard library or, in a browser (`wasm32-unknown-unknown`), where that clock panics, the
/// type of the same name in `web-time`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use web_time::Instant;
