//! Conditional requests: a weak entity tag for each revision of an account (RFC 9110 section 8.8.3).

use http::HeaderMap;
use http::header::{HeaderValue, IF_NONE_MATCH};

use crate::store::Snapshot;

/// Returns the tag of all responses from this snapshot.
pub(crate) fn etag(snapshot: Snapshot) -> HeaderValue {
    let Snapshot { account, revision, tag } = snapshot;
    let text = format!("W/\"{:x}.{revision:x}.{tag:x}\"", account.0);
    HeaderValue::try_from(text).unwrap_or_else(|_error| HeaderValue::from_static("W/\"\""))
}

/// Returns whether the client already has this revision. Tags are compared weakly (RFC 9110 section 13.1.2).
pub(crate) fn is_unmodified(headers: &HeaderMap, etag: &HeaderValue) -> bool {
    let opaque = |tag: &[u8]| -> Vec<u8> { tag.strip_prefix(b"W/").unwrap_or(tag).to_vec() };
    let wanted = opaque(etag.as_bytes());
    headers.get_all(IF_NONE_MATCH).iter().any(|value| {
        value
            .as_bytes()
            .split(|byte| *byte == b',')
            .map(<[u8]>::trim_ascii)
            .any(|tag| tag == b"*" || opaque(tag) == wanted)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::AccountId;

    #[test]
    fn tags_are_compared_weakly() {
        let etag = etag(Snapshot { account: AccountId(1), revision: 26, tag: 7 });
        assert_eq!(etag, "W/\"1.1a.7\"");
        for (value, expected) in [
            ("W/\"1.1a.7\"", true),
            ("\"1.1a.7\"", true),
            ("\"x\" , W/\"1.1a.7\"", true),
            ("*", true),
            ("W/\"1.1b.7\"", false),
            ("W/\"1.1a.8\"", false),
            ("1.1a.7", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(value));
            assert_eq!(is_unmodified(&headers, &etag), expected, "{value}");
        }
        assert!(!is_unmodified(&HeaderMap::new(), &etag));
    }
}
