//! Conditional requests: a weak entity tag for each version of a list (RFC 9110 section 8.8.3).

use http::HeaderMap;
use http::header::{HeaderValue, IF_NONE_MATCH};

use crate::front::hex;
use crate::generated::call::Call;
use crate::storage;
use crate::store::{AccountId, Versions};

/// Returns the tag of the response to a call. Only a change of the data that the call reads changes it.
pub(crate) fn etag(account: AccountId, call: &Call, versions: &Versions) -> HeaderValue {
    let mut text = Vec::with_capacity(64);
    text.extend_from_slice(b"W/\"");
    hex::push(&mut text, account.0.cast_unsigned());
    for version in storage::versions(call, versions) {
        text.push(b'.');
        hex::push(&mut text, version.cast_unsigned());
    }
    text.push(b'"');
    HeaderValue::try_from(text).unwrap_or_else(|_error| HeaderValue::from_static("W/\"\""))
}

/// Returns whether the client already has this version. Tags are compared weakly (RFC 9110 section 13.1.2).
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
    use crate::generated::parameters::ListCandidates;

    #[test]
    fn tags_are_compared_weakly() {
        let versions = Versions { candidates: 26, statuses: 7, vacancies: 3, credits: -1 };
        let of_vacancy = ListCandidates { vacancy_id: Some(1), status: None };
        for (call, tag) in [
            (Call::ListCandidates(ListCandidates { vacancy_id: None, status: None }), "W/\"9.1a\""),
            (Call::ListCandidates(of_vacancy.clone()), "W/\"9.1a.7\""),
            (Call::ListVacancies, "W/\"9.3\""),
            (Call::GetCredits, "W/\"9.ffffffffffffffff\""),
        ] {
            assert_eq!(etag(AccountId(9), &call, &versions), tag);
        }
        let etag = etag(AccountId(9), &Call::ListCandidates(of_vacancy), &versions);
        for (value, expected) in [
            ("W/\"9.1a.7\"", true),
            ("\"9.1a.7\"", true),
            ("\"x\" , W/\"9.1a.7\"", true),
            ("*", true),
            ("W/\"9.1b.7\"", false),
            ("W/\"9.1a.8\"", false),
            ("9.1a.7", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_static(value));
            assert_eq!(is_unmodified(&headers, &etag), expected, "{value}");
        }
        assert!(!is_unmodified(&HeaderMap::new(), &etag));
    }
}
