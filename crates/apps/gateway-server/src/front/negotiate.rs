//! Content negotiation: media type and content coding (RFC 9110 section 12.5).

use http::HeaderMap;
use http::header::{ACCEPT, ACCEPT_ENCODING, HeaderName};

/// The content coding of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Identity,
    Gzip,
}

/// Returns whether the client accepts `application/json`. Without an `Accept` header it accepts everything.
pub(crate) fn accepts_json(headers: &HeaderMap) -> bool {
    if !headers.contains_key(ACCEPT) {
        return true;
    }
    // The most specific range decides.
    ["application/json", "application/*", "*/*"]
        .into_iter()
        .find_map(|range| lists(headers, &ACCEPT, range))
        .unwrap_or(false)
}

/// Chooses gzip if, and only if, the client asks for it.
pub(crate) fn coding(headers: &HeaderMap) -> Coding {
    let asked = ["gzip", "x-gzip", "*"]
        .into_iter()
        .find_map(|coding| lists(headers, &ACCEPT_ENCODING, coding));
    if asked == Some(true) { Coding::Gzip } else { Coding::Identity }
}

/// Returns whether the header lists `name` with a weight above zero, or `None` if it does not list it.
fn lists(headers: &HeaderMap, header: &HeaderName, name: &str) -> Option<bool> {
    headers
        .get_all(header)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .find_map(|item| {
            let mut parts = item.split(';').map(str::trim);
            if !parts.next()?.eq_ignore_ascii_case(name) {
                return None;
            }
            let q = parts.find_map(|part| {
                let (key, value) = part.split_once('=')?;
                key.trim().eq_ignore_ascii_case("q").then(|| value.trim())
            });
            Some(q.is_none_or(|q| q.bytes().any(|byte| (b'1'..=b'9').contains(&byte))))
        })
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_static(value))])
    }

    #[test]
    fn the_most_specific_media_range_decides() {
        assert!(accepts_json(&HeaderMap::new()));
        for (value, expected) in [
            ("application/json", true),
            ("*/*", true),
            ("application/*;q=0.1", true),
            ("text/html, application/json;q=0.5", true),
            ("Application/JSON; charset=utf-8", true),
            ("text/html", false),
            ("application/json;q=0", false),
            ("application/json;q=0, */*", false),
            ("application/problem+json", false),
            ("", false),
        ] {
            assert_eq!(accepts_json(&headers(ACCEPT, value)), expected, "{value}");
        }
    }

    #[test]
    fn gzip_is_chosen_only_when_accepted() {
        assert_eq!(coding(&HeaderMap::new()), Coding::Identity);
        for (value, expected) in [
            ("gzip", Coding::Gzip),
            ("deflate, gzip;q=0.5", Coding::Gzip),
            ("*", Coding::Gzip),
            ("gzip;q=0", Coding::Identity),
            ("gzip;q=0.000, *", Coding::Identity),
            ("br", Coding::Identity),
            ("", Coding::Identity),
        ] {
            assert_eq!(coding(&headers(ACCEPT_ENCODING, value)), expected, "{value}");
        }
    }
}
