//! Readers of response headers.

use std::time::{Duration, SystemTime};

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, Uri};

/// Returns the declared length of the body in bytes, or `None` if it is absent or invalid.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Returns the media type without its parameters, or `None` if it is absent or not text.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').next().map(str::trim)
}

/// Whether a media type is JSON, by its name or by its suffix `+json` (RFC 6839, section 3.1).
pub(crate) fn is_json(media_type: &str) -> bool {
    let suffix = || media_type.rsplit_once('+').map(|(_, suffix)| suffix);
    media_type.eq_ignore_ascii_case("application/json")
        || suffix().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}

/// Returns the scheme, host and port that a redirect leads to.
///
/// Returns `None` if the target is missing, invalid, or without a host. The rest of the target may be secret.
pub(crate) fn redirect_origin(headers: &HeaderMap) -> Option<String> {
    let target: Uri = headers.get(LOCATION)?.to_str().ok()?.parse().ok()?;
    let port = target.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", target.scheme_str()?, target.host()?))
}

/// Returns the wait that `Retry-After` asks for (RFC 9110, section 10.2.3): seconds, or a date in one of its three forms.
///
/// A date in the past is a wait of zero. A value in neither form counts as absent.
///
/// ```
/// use std::time::{Duration, SystemTime};
///
/// use methodical_client::retry_after;
/// use methodical_client::transport::http::HeaderMap;
/// use methodical_client::transport::http::header::{HeaderValue, RETRY_AFTER};
///
/// let headers = HeaderMap::from_iter([(RETRY_AFTER, HeaderValue::from_static("120"))]);
/// assert_eq!(retry_after(&headers, SystemTime::now()), Some(Duration::from_secs(120)));
/// ```
pub fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit still means "very long".
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::HeaderMap;
    use http::header::RETRY_AFTER;

    use super::retry_after;

    #[test]
    fn retry_after_in_all_forms() {
        let now = httpdate::parse_http_date("Fri, 20 Nov 2026 10:00:00 GMT").unwrap();
        let cases = [
            ("0", Some(0)),
            ("1", Some(1)),
            (" 7 ", Some(7)),
            ("999999999999", Some(999_999_999_999)),
            ("99999999999999999999999999", Some(u64::MAX)),
            ("Fri, 20 Nov 2026 10:00:30 GMT", Some(30)),
            ("Fri, 20 Nov 2026 09:00:00 GMT", Some(0)),
            ("Friday, 20-Nov-26 10:00:05 GMT", Some(5)),
            ("Fri Nov 20 10:01:00 2026", Some(60)),
            ("-1", None),
            ("1.5", None),
            ("", None),
            ("soon", None),
        ];
        for (value, expected) in cases {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{value:?}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), SystemTime::UNIX_EPOCH), None);
    }
}
