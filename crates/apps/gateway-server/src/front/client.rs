//! The address of the client of a request. Behind a trusted proxy, the proxy names it in `X-Forwarded-For`.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use methodical_serve::address_key;

/// The client of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// Address of the client. If a proxy does not name the client, the address of the proxy.
    pub(crate) address: IpAddr,
    /// Key of the limits for each client: an IPv4 address, or the first address of an IPv6 network of 64 bits. Unset if
    /// a proxy names no client at all.
    pub(crate) key: Option<IpAddr>,
}

impl Client {
    /// Finds the client of a request from `peer` with these headers. Headers count only if a trusted proxy sent them.
    pub(crate) fn find(headers: &HeaderMap, peer: IpAddr, trusted: &[IpNet]) -> Self {
        let peer = peer.to_canonical();
        let is_trusted = |address: IpAddr| trusted.iter().any(|proxy| proxy.contains(&address));
        if !is_trusted(peer) {
            return Self { address: peer, key: Some(address_key(peer)) };
        }
        let values = headers.get_all(X_FORWARDED_FOR).iter();
        let read = |value: &HeaderValue| value.to_str().map_or_else(|_| vec![None], forwarded_for);
        // The last proxy is at the end. Everything before the first address that is not trusted may be forged.
        let client = values.flat_map(read).rev().find(|hop| !hop.is_some_and(is_trusted));
        // A client must not escape the limits by a malformed header: such clients of a proxy share its key.
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

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_str(value).unwrap());
        }
        headers
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

    /// Values like those of the header, and any other visible text.
    fn hop() -> impl Strategy<Value = String> {
        let address = any::<IpAddr>().prop_map(|address| address.to_string());
        prop_oneof![address, "[ -~]{0,40}"]
    }
}
