//! Unsigned integers as text.

/// Parses decimal digits only; `str::parse` would accept a leading `+` too.
pub(crate) fn parse(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}
