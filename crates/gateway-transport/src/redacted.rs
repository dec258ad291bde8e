//! Keeps secrets out of everything that shows or stores requests.
use bytes::Bytes;
use http::header::{AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION, SET_COOKIE};
use http::{HeaderMap, Uri};

use crate::Request;

/// A request's target and body, with each secret replaced by a placeholder.
///
/// A client adds this to the [extensions](http::Extensions) of a request whose target or body contains secrets. A
/// transport that shows or stores a request's target or body, in a log or a recording, must get them from
/// [`target`](Self::target) and [`body`](Self::body).
///
/// # Examples
///
/// ```
/// use gateway_transport::Redacted;
///
/// let mut request = http::Request::post("https://host/list?key=secret").body("user=secret".into())?;
/// assert_eq!(Redacted::target(&request), "https://host/list?key=secret");
/// assert_eq!(Redacted::body(&request), "user=secret");
///
/// let target = "https://host/list?key=REDACTED".parse()?;
/// request.extensions_mut().insert(Redacted::new(target, "user=REDACTED".into()));
/// assert_eq!(Redacted::target(&request), "https://host/list?key=REDACTED");
/// assert_eq!(Redacted::body(&request), "user=REDACTED");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Redacted {
    target: Uri,
    body: Bytes,
}

impl Redacted {
    /// Creates a request's redacted form from a target and a body in which placeholders replace the secrets.
    pub fn new(target: Uri, body: Bytes) -> Self {
        Self { target, body }
    }

    /// Returns a request's target with the secrets redacted, or the unchanged target if the request has no redacted
    /// form.
    pub fn target(request: &Request) -> &Uri {
        match request.extensions().get::<Self>() {
            Some(redacted) => &redacted.target,
            None => request.uri(),
        }
    }

    /// Returns a request's body with the secrets redacted, or the unchanged body if the request has no redacted form.
    pub fn body(request: &Request) -> &Bytes {
        match request.extensions().get::<Self>() {
            Some(redacted) => &redacted.body,
            None => request.body(),
        }
    }

    /// Returns whether a request has a redacted form, because its target or body contains secrets.
    pub fn is_needed(request: &Request) -> bool {
        request.extensions().get::<Self>().is_some()
    }
}

/// Marks the headers that carry credentials as sensitive, so that `Debug` prints `Sensitive` instead of their values.
///
/// This crate's adapters call this for every request and response. Other transports should do the same, to keep
/// credentials out of the logs of the libraries that they use. The bytes on the wire are unchanged.
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
