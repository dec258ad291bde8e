//! Keeps credentials out of debug output and logs.
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};

/// Marks the headers that carry credentials, so that `Debug` prints `Sensitive` instead of their values.
///
/// The adapters of this crate call it on every request and response. Other transports should do the same, to protect the
/// logs of the libraries they use. The bytes on the wire are unchanged.
///
/// # Examples
///
/// ```
/// let mut headers = http::HeaderMap::new();
/// headers.insert("authorization", "Bearer secret".parse().unwrap());
/// gateway_transport::mark_sensitive(&mut headers);
/// assert_eq!(format!("{headers:?}"), r#"{"authorization": Sensitive}"#);
/// ```
pub fn mark_sensitive(headers: &mut HeaderMap) {
    // One pass over the few headers is faster than four lookups.
    for (name, value) in headers.iter_mut() {
        if [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE].contains(name) {
            value.set_sensitive(true);
        }
    }
}
