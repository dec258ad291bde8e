//! Keeps credentials out of whatever prints a request.
use http::HeaderMap;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};

/// Marks the headers that carry credentials, so that `Debug` prints `Sensitive` in place of their values.
///
/// The adapters of this crate call it on every request and response; a transport of your own should do the same, for
/// the logs of the libraries below it. The bytes on the wire are unchanged.
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
    // Once through the few headers there are: four lookups would take longer.
    for (name, value) in headers.iter_mut() {
        if [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE].contains(name) {
            value.set_sensitive(true);
        }
    }
}
