//! The head of a response: the meaning of each status, in one table, and readers of headers.

use std::time::{Duration, SystemTime};

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode, Uri};
use methodical_model::ErrorClass;

use crate::error::ErrorKind;

/// Returns the body length that the headers declare, in bytes, or `None` if it is absent or invalid.
pub(crate) fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Returns the media type without its parameters, or `None` if it is absent or not text.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    value.split(';').next().map(str::trim)
}

/// Returns whether a media type is JSON: by its name, or by the suffix `+json` (RFC 6839, section 3.1).
pub(crate) fn is_json(media_type: &str) -> bool {
    let suffix = || media_type.rsplit_once('+').map(|(_, suffix)| suffix);
    media_type.eq_ignore_ascii_case("application/json")
        || suffix().is_some_and(|suffix| suffix.eq_ignore_ascii_case("json"))
}

/// Returns the scheme, host and port that a redirect leads to.
///
/// Returns `None` if the target is missing or invalid, or has no scheme or host. The rest of the target is left out,
/// because it may be secret.
pub(crate) fn redirect_origin(headers: &HeaderMap) -> Option<String> {
    let target: Uri = headers.get(LOCATION)?.to_str().ok()?.parse().ok()?;
    let port = target.port_u16().map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("{}://{}{port}", target.scheme_str()?, target.host()?))
}

/// Returns how long `Retry-After` asks clients to wait (RFC 9110, section 10.2.3). The header contains a number of
/// seconds, or a date in one of three formats.
///
/// Returns zero if the date has passed, and `None` if the header is absent or invalid. For an [`Error`](crate::Error),
/// use [`Error::retry_after`](crate::Error::retry_after).
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
        // A number that does not fit means a very long time.
        return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
    }
    let at = httpdate::parse_http_date(value).ok()?;
    Some(at.duration_since(now).unwrap_or_default())
}

/// The meaning of a status other than 200, or of a failure that a body with status 200 reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) kind: ErrorKind,
    pub(crate) reaction: Reaction,
    /// The message of the error.
    pub(crate) text: &'static str,
}

/// How the client reacts to a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reaction {
    /// Returns the failure.
    Fail,
    /// Retries after a delay.
    Retry,
    /// Gets another token, at most once per call, and retries immediately.
    RefreshToken,
}

/// Returns the meaning of a status, or `None` for 200, the only status that means success.
///
/// The crate documentation shows this table.
pub(crate) fn meaning(status: StatusCode) -> Option<Meaning> {
    use ErrorKind::{Forbidden, NotFound, RateLimited, Redirected, Server, Status, Unauthorized};
    use Reaction::{Fail, RefreshToken, Retry};

    let (kind, reaction, text) = match status.as_u16() {
        200 => return None,
        301 | 302 | 303 | 307 | 308 => (Redirected, Fail, "the service answered with a redirect"),
        401 => (Unauthorized, RefreshToken, "the service rejected the access token"),
        403 => (Forbidden, Fail, "the service denied access"),
        404 => (NotFound, Fail, "the service has nothing at the requested URL"),
        408 => (Status, Retry, "the service timed out waiting for the request"),
        429 => (RateLimited, Retry, "rate limited by the service"),
        400..=499 => (Status, Fail, "the service refused the request"),
        500 | 502 | 503 | 504 => (Server, Retry, "the service failed"),
        500..=599 => (Server, Fail, "the service failed"),
        _ => (Status, Fail, "the service returned an unexpected status"),
    };
    Some(Meaning { kind, reaction, text })
}

/// Returns the meaning of a failure that a body with status 200 reports. Each class is treated like a status.
pub(crate) fn meaning_of(class: ErrorClass) -> Meaning {
    use ErrorKind::{NotSuccess, RateLimited, Server, Unauthorized};
    use Reaction::{Fail, RefreshToken, Retry};

    let (kind, reaction, text) = match class {
        ErrorClass::Auth => {
            (Unauthorized, RefreshToken, "the service reported that it rejected the credentials")
        }
        ErrorClass::RateLimit => (RateLimited, Retry, "the service reported too many calls"),
        ErrorClass::Unavailable => (Server, Retry, "the service reported that it is unavailable"),
        _ => (NotSuccess, Fail, "the service reported a failure"),
    };
    Meaning { kind, reaction, text }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use http::header::RETRY_AFTER;
    use http::{HeaderMap, StatusCode};

    use super::{Reaction, meaning, retry_after};

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

    #[test]
    fn only_200_is_success() {
        let is_success = |code: &u16| meaning(StatusCode::from_u16(*code).unwrap()).is_none();
        assert_eq!((100..1000).filter(is_success).collect::<Vec<_>>(), [200]);
    }

    #[test]
    fn only_six_statuses_are_retried() {
        let is_retried = |code: &u16| {
            meaning(StatusCode::from_u16(*code).unwrap())
                .is_some_and(|meaning| meaning.reaction == Reaction::Retry)
        };
        let retried: Vec<u16> = (100..1000).filter(is_retried).collect();
        assert_eq!(retried, [408, 429, 500, 502, 503, 504]);
    }
}
