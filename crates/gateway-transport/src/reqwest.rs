//! [`ReqwestTransport`]: the async adapter over reqwest, on tokio or, in a browser, on `fetch`.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod fetch;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
mod native;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use self::fetch::ReqwestTransport;
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use self::native::ReqwestTransport;
