//! Any text as the base URL of a client: it is refused, or the request goes where another URL library says.
//!
//! The other library follows the WHATWG standard, as browsers and some HTTP clients do. A text that the two understand
//! differently would send the token to a host that the user does not expect.

#![no_main]

use std::sync::{Arc, Mutex};

use gateway_transport::blocking_transport_fn;
use http::Uri;
use libfuzzer_sys::fuzz_target;
use methodical_client::blocking::Client;
use methodical_client::model::{RawQuery, Service};
use methodical_client::{AccessToken, RetryPolicy};
use url::{Host, Url};

fuzz_target!(|input: (bool, &str)| {
    let (insecure, text) = input;
    let sent = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&sent);
    let transport = blocking_transport_fn(move |request| {
        *kept.lock().unwrap() = Some(request.uri().clone());
        let response = http::Response::builder().header("content-type", "application/json");
        Ok(response.body("{}".into()).unwrap())
    });
    let client = Client::<Sample>::builder(text)
        .token(AccessToken::new("gwt_6yqW").unwrap())
        .retry(RetryPolicy::never())
        .transport(transport);
    let client = if insecure { client.allow_insecure_http() } else { client };
    let Ok(client) = client.build() else { return };
    client.send(&RawQuery::<Sample>::new("a/b")).unwrap();
    let sent: Uri = sent.lock().unwrap().take().unwrap();
    check(text, insecure, &sent);
});

fn check(text: &str, insecure: bool, sent: &Uri) {
    let host = sent.host().unwrap();
    let scheme = sent.scheme_str().unwrap();
    assert!(!sent.authority().unwrap().as_str().contains('@'));
    assert_eq!(sent.query(), Some("method=a/b"));
    let prefix = sent.path().strip_suffix(Sample::PATH).unwrap();
    assert!(prefix.is_empty() || prefix.starts_with('/') && !prefix.ends_with('/'));

    // A host that the other library refuses leads nowhere.
    let Ok(url) = Url::parse(text) else { return };
    assert_eq!(url.scheme(), scheme);
    assert!(url.username().is_empty() && url.password().is_none());
    assert_eq!(url.host().unwrap().to_owned(), Host::parse(host).unwrap(), "{text:?}");
    let default = if scheme == "http" { 80 } else { 443 };
    assert_eq!(url.port_or_known_default(), Some(sent.port_u16().unwrap_or(default)), "{text:?}");
    assert!(url.query().is_none() && url.fragment().is_none());
    let again = Url::parse(&sent.to_string()).unwrap();
    assert_eq!(again.host(), url.host());
    if scheme == "http" && !insecure {
        let is_local = match url.host().unwrap() {
            Host::Domain(name) => name == "localhost",
            Host::Ipv4(address) => address.is_loopback(),
            Host::Ipv6(address) => address.is_loopback(),
        };
        assert!(is_local, "{text:?}");
    }
}

struct Sample;

impl Service for Sample {
    const NAME: &'static str = "sample";
    const API_VERSION: &'static str = "v1";
    const PATH: &'static str = "/api/v1";
    const SELECTOR: &'static str = "method";
    const ACCEPT: &'static str = "application/json";
}
