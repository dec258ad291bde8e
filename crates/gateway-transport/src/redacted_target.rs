//! The target of a request without its secrets, for everything that shows or stores a target.
use http::Uri;

use crate::Request;

/// The target of a request whose URL contains secrets, with a placeholder for each secret.
///
/// A client adds it to the [extensions](http::Extensions) of such a request. A transport that shows or stores the target of
/// a request, in a log or a recording, must take it from [`of`](Self::of).
///
/// # Examples
///
/// ```
/// use gateway_transport::RedactedTarget;
///
/// let mut request = http::Request::get("https://host/list?key=secret").body(bytes::Bytes::new())?;
/// assert_eq!(RedactedTarget::of(&request), "https://host/list?key=secret");
///
/// request.extensions_mut().insert(RedactedTarget::new("https://host/list?key=REDACTED".parse()?));
/// assert_eq!(RedactedTarget::of(&request), "https://host/list?key=REDACTED");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RedactedTarget(Uri);

impl RedactedTarget {
    /// Creates the value from a target without secrets.
    pub fn new(target: Uri) -> Self {
        Self(target)
    }

    /// Returns the target of a request without its secrets.
    pub fn of(request: &Request) -> &Uri {
        match request.extensions().get() {
            Some(Self(target)) => target,
            None => request.uri(),
        }
    }

    /// Returns whether the URL of a request contains secrets.
    pub fn is_needed(request: &Request) -> bool {
        request.extensions().get::<Self>().is_some()
    }
}
