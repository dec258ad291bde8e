//! Reads the head of a request: the client, its token, the versions in its cache, the accepted formats, and the id.

use std::net::{IpAddr, SocketAddr};

use http::HeaderMap;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, HeaderName, HeaderValue, IF_NONE_MATCH,
};
use ipnet::IpNet;
use methodical_serve::address_key;

use crate::front::problem::{Kind, Problem};
use crate::parameter::Pairs;
use crate::storage::Call;
use crate::store::{AccountId, Versions};
use crate::token::{TokenDigest, is_b64token, random};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// Address of the client, or of a proxy that does not name the client.
    pub(crate) address: IpAddr,
    /// Key of the limits for each client: an IPv4 address, or the first address of an IPv6 network of 64 bits. Unset if
    /// a proxy names no client at all.
    pub(crate) key: Option<IpAddr>,
}

impl Client {
    /// Finds the client of a request from `peer` with these headers. Only headers of trusted proxies count.
    pub(crate) fn find(headers: &HeaderMap, peer: IpAddr, trusted: &[IpNet]) -> Self {
        let peer = peer.to_canonical();
        let is_trusted = |address: IpAddr| trusted.iter().any(|proxy| proxy.contains(&address));
        if !is_trusted(peer) {
            return Self { address: peer, key: Some(address_key(peer)) };
        }
        let values = headers.get_all(X_FORWARDED_FOR).iter();
        let read = |value: &HeaderValue| value.to_str().map_or_else(|_| vec![None], forwarded_for);
        // The last proxy is at the end. Reading from there, what follows an untrusted address may be forged.
        let client = values.flat_map(read).rev().find(|hop| !hop.is_some_and(is_trusted));
        // A client must not evade the limits with a malformed header, so all such clients of a proxy share a key.
        let named = client.map(|hop| hop.unwrap_or(peer));
        Self { address: named.unwrap_or(peer), key: named.map(address_key) }
    }
}

/// Reads the hops of `X-Forwarded-For`. A hop without a readable address is `None`.
fn forwarded_for(value: &str) -> Vec<Option<IpAddr>> {
    value.split(',').map(str::trim).filter(|hop| !hop.is_empty()).map(node).collect()
}

/// Reads an address, with or without a port.
fn node(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let address = match bare {
        Some(bare) => bare.parse().map(IpAddr::V6).ok(),
        None => text.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip())),
    };
    address.map(|address| address.to_canonical())
}

/// Returns the hash of the token. The token itself is not passed on.
pub(crate) fn token(headers: &HeaderMap, query: &str) -> Result<TokenDigest, Problem> {
    // RFC 6750 section 2.3 is not supported.
    if Pairs::parse(query).is_ok_and(|pairs| pairs.contains("access_token")) {
        return Err(Problem::new(Kind::TokenInQuery));
    }
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Err(Problem::new(Kind::TokenMissing)) };
    if values.next().is_some() {
        return Err(Problem::new(Kind::TokenMalformed));
    }
    let text = value.to_str().map_err(|_error| Problem::new(Kind::TokenMalformed))?;
    let (scheme, rest) = text.split_once(' ').unwrap_or((text, ""));
    if !scheme.eq_ignore_ascii_case("bearer") {
        // Any other scheme counts as a missing token: the challenge names the scheme to use (RFC 6750 section 3.1).
        return Err(Problem::new(Kind::TokenMissing));
    }
    let token = rest.trim_matches(' ');
    if !is_b64token(token) {
        return Err(Problem::new(Kind::TokenMalformed));
    }
    Ok(TokenDigest::of(token))
}

/// Returns the tag of the response to a call. It changes only with the data that the call reads.
pub(crate) fn etag(account: AccountId, call: &Call, versions: &Versions) -> HeaderValue {
    let versions = call.versions(versions);
    let versions =
        versions.iter().fold(String::new(), |text, version| format!("{text}.{version:x}"));
    HeaderValue::try_from(format!("W/\"{account:x}{versions}\"", account = account.0))
        .unwrap_or_else(|_error| HeaderValue::from_static("W/\"\""))
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

/// Chooses gzip only if the client asks for it.
pub(crate) fn coding(headers: &HeaderMap) -> Coding {
    let asked = ["gzip", "x-gzip", "*"]
        .into_iter()
        .find_map(|coding| lists(headers, &ACCEPT_ENCODING, coding));
    if asked == Some(true) { Coding::Gzip } else { Coding::Identity }
}

/// Returns whether the header lists `name` with a weight above zero, or `None` if it does not list `name`.
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

/// Returns the request id for the response and the log.
pub(crate) fn request_id(headers: &HeaderMap) -> HeaderValue {
    match headers.get(X_REQUEST_ID) {
        Some(id) if is_harmless(id.as_bytes()) => id.clone(),
        _ => fresh(),
    }
}

/// Returns whether the id is short, and safe for a log line and a terminal.
fn is_harmless(id: &[u8]) -> bool {
    (1..=64).contains(&id.len())
        && id.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
}

/// Creates a random id. All ids have the same length, so that the length of a response does not depend on earlier
/// requests: the simulation breaks connections after a number of bytes.
fn fresh() -> HeaderValue {
    let id = random().map_or(0, u128::from_ne_bytes);
    HeaderValue::try_from(format!("{id:032x}"))
        .unwrap_or_else(|_error| HeaderValue::from_static("unknown"))
}

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn tags_are_compared_weakly() {
        let versions = Versions { candidates: 26, statuses: 7, vacancies: 3, credits: -1 };
        let list = |vacancy_id| Call::ListCandidates { vacancy_id, status: None };
        for (call, tag) in [
            (list(None), "W/\"9.1a\""),
            (list(Some(1)), "W/\"9.1a.7\""),
            (Call::ListVacancies, "W/\"9.3\""),
            (Call::GetCredits, "W/\"9.ffffffffffffffff\""),
        ] {
            assert_eq!(etag(AccountId(9), &call, &versions), tag);
        }
        let etag = HeaderValue::from_static("W/\"9.1a.7\"");
        for (value, expected) in [
            ("\"9.1a.7\"", true),
            ("\"x\" , W/\"9.1a.7\"", true),
            ("*", true),
            ("W/\"9.1b.7\"", false),
            ("9.1a.7", false),
            ("", false),
        ] {
            assert_eq!(is_unmodified(&headers(&[("if-none-match", value)]), &etag), expected);
        }
        assert!(!is_unmodified(&HeaderMap::new(), &etag));
    }

    #[test]
    fn a_harmless_id_is_kept_and_another_replaced() {
        for (id, is_kept) in [("a-B_1.2", true), ("a b", false), ("", false)] {
            assert_eq!(request_id(&headers(&[("x-request-id", id)])) == id, is_kept, "{id}");
        }
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// Checks the client of a request from 10.0.0.1, which is trusted, as is `2001:db8:1::/48`.
    #[track_caller]
    fn check(lines: &[(&'static str, &str)], address: &str, key: Option<IpAddr>) {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "2001:db8:1::/48".parse().unwrap()];
        let found = Client::find(&headers(lines), ip("10.0.0.1"), &trusted);
        assert_eq!(found, Client { address: ip(address), key }, "{lines:?}");
    }

    #[track_caller]
    fn named(lines: &[(&'static str, &str)], address: &str) {
        check(lines, address, Some(address_key(ip(address))));
    }

    #[test]
    fn the_last_address_that_is_not_trusted_is_the_client() {
        named(&[("x-forwarded-for", "192.0.2.1")], "192.0.2.1");
        named(&[("x-forwarded-for", "6.6.6.6, 192.0.2.1,10.0.0.7 , 2001:db8:1::2")], "192.0.2.1");
        named(&[("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "192.0.2.1")], "192.0.2.1");
        named(&[("x-forwarded-for", "no address, 192.0.2.1")], "192.0.2.1");
        named(&[("x-forwarded-for", "192.0.2.1:8080")], "192.0.2.1");
        named(&[("x-forwarded-for", "2001:db8::1")], "2001:db8::1");
        named(&[("x-forwarded-for", "[2001:db8::1]:80")], "2001:db8::1");
        named(&[("x-forwarded-for", "::ffff:192.0.2.1")], "192.0.2.1");
    }

    #[test]
    fn headers_that_name_no_client_lead_to_the_peer() {
        check(&[], "10.0.0.1", None);
        check(&[("x-forwarded-for", "")], "10.0.0.1", None);
        check(&[("x-forwarded-for", "10.0.0.2, 10.0.0.3")], "10.0.0.1", None);
        for line in
            [("x-forwarded-for", "192.0.2.1, unknown"), ("x-forwarded-for", "192.0.2.1, 1.2.3")]
        {
            check(&[line], "10.0.0.1", Some(ip("10.0.0.1")));
        }
    }

    #[test]
    fn an_ipv6_address_counts_by_its_first_64_bits() {
        let key = |text| address_key(ip(text));
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:0:0:2"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
        assert_eq!(key("192.0.2.1"), key("::ffff:192.0.2.1"));
    }

    proptest! {
        #[test]
        fn no_header_of_an_untrusted_peer_changes_its_address(
            peer in any::<IpAddr>(),
            lines in prop::collection::vec(
                (Just("x-forwarded-for"), hop()), 0..4,
            ),
        ) {
            let trusted: [IpNet; 1] = ["10.0.0.0/8".parse().unwrap()];
            prop_assume!(!trusted[0].contains(&peer.to_canonical()));
            let lines: Vec<_> = lines.iter().map(|(name, value)| (*name, value.as_str())).collect();
            let found = Client::find(&headers(&lines), peer, &trusted);
            prop_assert_eq!(found.address, peer.to_canonical());
            prop_assert_eq!(found.key, Some(address_key(peer)));
            // Without trusted proxies, all peers are untrusted.
            prop_assert_eq!(Client::find(&headers(&lines), peer, &[]), found);
        }

        #[test]
        fn a_client_cannot_change_its_address_through_an_appending_proxy(forged in hop()) {
            let trusted: [IpNet; 1] = ["10.0.0.0/8".parse().unwrap()];
            let value = format!("{forged}, 192.0.2.1");
            let found = Client::find(&headers(&[("x-forwarded-for", &value)]), ip("10.0.0.1"), &trusted);
            prop_assert_eq!(found.address, ip("192.0.2.1"));
        }
    }

    /// Typical values of the header, and any other visible text.
    fn hop() -> impl Strategy<Value = String> {
        let address = any::<IpAddr>().prop_map(|address| address.to_string());
        prop_oneof![address, "[ -~]{0,40}"]
    }
}
