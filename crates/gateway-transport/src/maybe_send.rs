//! [`MaybeSend`] and [`BoxFuture`]: `Send`, except in a browser.
use std::pin::Pin;

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
