//! Points in time as text.

use jiff::Timestamp;

/// Returns a time in seconds since 1970 as RFC 3339 text in UTC.
pub(crate) fn utc(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .unwrap_or(Timestamp::MAX)
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string()
}
