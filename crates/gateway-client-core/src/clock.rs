//! The date, also in a browser.

use std::time::SystemTime;

/// Returns the date.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) fn date() -> SystemTime {
    SystemTime::now()
}

/// Returns the date. `SystemTime::now` panics here.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) fn date() -> SystemTime {
    use web_time::web::SystemTimeExt;

    web_time::SystemTime::now().to_std()
}
