//! Checks the target of a request before an adapter sends it.
use http::Uri;
use http::uri::Authority;

use crate::{ErrorKind, TransportError};

/// Refuses any target except an absolute `http` or `https` target without credentials.
pub(crate) fn check(uri: &Uri) -> Result<(), TransportError> {
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if cfg!(any(feature = "__tls", target_family = "wasm")) => {}
        Some("https") => return Err(refused("https needs the feature `rustls`")),
        Some(_) => return Err(refused("the scheme is neither http nor https")),
        None => return Err(refused("the target is not absolute")),
    }
    let Some(authority) = uri.authority() else { return Err(refused("the target has no host")) };
    // RFC 9110, section 4.2.4: a sender must not generate them.
    if authority.as_str().contains('@') {
        return Err(refused("the target contains credentials"));
    }
    // Some clients replace an invalid port with the default port of the scheme.
    if authority.as_str() != authority.host() && !has_port(authority) {
        return Err(refused("the target has an invalid port"));
    }
    Ok(())
}

/// Returns whether `authority` has a port that is all digits (RFC 3986, section 3.2.3) and a TCP port number.
fn has_port(authority: &Authority) -> bool {
    authority.port().is_some_and(|port| port.as_str().bytes().all(|byte| byte.is_ascii_digit()))
}

/// Returns the error for a request that cannot be sent unchanged.
pub(crate) fn refused(text: &'static str) -> TransportError {
    TransportError::new(ErrorKind::InvalidRequest, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_text(uri: &'static str, expected: &str) {
        let text = match check(&Uri::from_static(uri)) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        assert_eq!(text, expected);
    }

    #[test]
    fn unsupported_targets_are_refused() {
        check_text("http://localhost/", "");
        check_text("ftp://localhost/", "the scheme is neither http nor https");
        check_text("/only/a/path", "the target is not absolute");
        check_text("http://user:secret@localhost/", "the target contains credentials");
        let https = if cfg!(feature = "__tls") { "" } else { "https needs the feature `rustls`" };
        check_text("https://localhost/", https);
    }

    #[test]
    fn invalid_ports_are_refused() {
        for uri in
            ["http://h:1", "http://h:65535/", "http://[::1]:8080?a", "http://[::1]", "http://h:0"]
        {
            check_text(uri, "");
        }
        for uri in [
            "http://h:65536",
            "http://127.0.0.1:80800/",
            "http://h:",
            "http://h:/",
            "http://h:abc",
            "http://h:80x?a",
            "http://h:+80",
            "http://h:-1",
            "http://[::1]:",
            "http://[::1]:99999",
        ] {
            check_text(uri, "the target has an invalid port");
        }
    }
}
