//! The clock and the date, also in a browser.

use std::time::SystemTime;

pub(crate) use gateway_transport::now;

/// Returns the date.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) fn date() -> SystemTime {
    #[cfg(feature = "test-util")]
    if let Some(time) = gateway_transport::simulated::time() {
        return time.date();
    }
    SystemTime::now()
}

/// Returns the date. `SystemTime::now` panics here.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) fn date() -> SystemTime {
    use web_time::web::SystemTimeExt;

    web_time::SystemTime::now().to_std()
}
