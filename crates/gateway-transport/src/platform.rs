//! Replacements for features that a browser (`wasm32-unknown-unknown`) lacks: the clock of the standard library, and futures that are `Send`.
use std::pin::Pin;
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
