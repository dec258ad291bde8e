//! Request ids: the id that the client sent if it is harmless, otherwise a new one.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::front::hex;

/// Returns the request id for the response and the log.
pub(crate) fn of(headers: &HeaderMap) -> HeaderValue {
    match headers.get(X_REQUEST_ID) {
        Some(id) if is_harmless(id.as_bytes()) => id.clone(),
        _ => fresh(),
    }
}

/// Returns whether the id is short, and cannot break a log line or a terminal.
fn is_harmless(id: &[u8]) -> bool {
    (1..=64).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// Creates an id from a random number of this process and a counter.
fn fresh() -> HeaderValue {
    static PROCESS: OnceLock<u64> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let process = PROCESS.get_or_init(|| getrandom::u64().unwrap_or_default());
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut id = Vec::with_capacity(32);
    hex::push(&mut id, *process);
    id.push(b'-');
    hex::push(&mut id, count);
    HeaderValue::try_from(id).unwrap_or_else(|_error| HeaderValue::from_static("unknown"))
}

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_harmless_id_is_kept_and_another_replaced() {
        let with = |id| HeaderMap::from_iter([(X_REQUEST_ID, HeaderValue::from_static(id))]);
        assert_eq!(of(&with("a-B_1.2")), "a-B_1.2");
        assert_ne!(of(&with("a b")), "a b");
        assert_ne!(of(&with("")), "");
        assert_ne!(of(&HeaderMap::new()), of(&HeaderMap::new()));
    }
}
