//! Checks the target of a request before an adapter sends it.
use http::Uri;

use crate::{HAS_TLS, TransportError, TransportErrorKind};

/// Refuses a target unless it is an absolute `http` or `https` URL with a valid port and without credentials.
pub(crate) fn check(uri: &Uri) -> Result<(), TransportError> {
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if HAS_TLS => {}
        Some("https") => return Err(refused("https needs the `rustls` feature")),
        Some(_) => return Err(refused("the scheme is neither http nor https")),
        None => return Err(refused("the target is not absolute")),
    }
    let Some(authority) = uri.authority() else { return Err(refused("the target has no host")) };
    // RFC 9110, section 4.2.4: a sender must not generate credentials in a URI.
    if authority.as_str().contains('@') {
        return Err(refused("the target contains credentials"));
    }
    let port = authority.as_str().strip_prefix(authority.host()).unwrap_or_default();
    // Some clients replace an invalid port with the scheme's default port. Parsing the port as a number would accept a
    // plus sign.
    if !port.is_empty() && (authority.port_u16().is_none() || port.contains('+')) {
        return Err(refused("the target has an invalid port"));
    }
    Ok(())
}

/// Returns the error for a request that cannot be sent unchanged.
pub(crate) fn refused(text: &'static str) -> TransportError {
    TransportError::new(TransportErrorKind::InvalidRequest, text)
}

/// Converts `uri` to the URL type of reqwest and refuses it if that changes any byte of the target.
///
/// The URL standard re-encodes some bytes (`'` in a query) and resolves dot segments, so the peer would receive a
/// target that differs from the caller's.
#[cfg(feature = "reqwest")]
pub(crate) fn unchanged(uri: &Uri) -> Result<url::Url, TransportError> {
    check(uri)?;
    let scheme = uri.scheme_str().unwrap_or_default();
    let authority = uri.authority().map_or("", |authority| authority.as_str());
    let target = uri.path_and_query().map_or("/", |target| target.as_str());
    // RFC 9112, section 3.2.1: an empty path is sent as `/`, even before a query.
    let slash = if target.starts_with('/') { "" } else { "/" };
    // This needs one allocation; a URI's `Display` writes in parts.
    let url = url::Url::parse(&[scheme, "://", authority, slash, target].concat())
        .map_err(|e| refused("the target is not a URL").with_source(e))?;
    let start = url[..url::Position::BeforePath].len();
    let sent = url[..url::Position::AfterQuery].get(start..);
    let sent = sent.and_then(|sent| sent.strip_prefix(slash));
    if sent == Some(target) {
        Ok(url)
    } else {
        Err(refused(
            "the target is not in the normal form of the URL standard and would be rewritten",
        ))
    }
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
        let https = if cfg!(feature = "__tls") { "" } else { "https needs the `rustls` feature" };
        check_text("https://localhost/", https);
    }

    #[test]
    fn invalid_ports_are_refused() {
        for uri in
            "http://h:1 http://h:65535/ http://[::1]:8080?a http://[::1] http://h:0".split(' ')
        {
            check_text(uri, "");
        }
        let invalid = "http://h:65536 http://127.0.0.1:80800/ http://h: http://h:/ http://h:abc \
                       http://h:80x?a http://h:+80 http://h:-1 http://[::1]: http://[::1]:99999";
        for uri in invalid.split(' ') {
            check_text(uri, "the target has an invalid port");
        }
    }

    #[cfg(feature = "reqwest")]
    #[test]
    fn a_target_that_would_be_rewritten_is_refused() {
        assert!(unchanged(&Uri::from_static("http://[::1]:1/?")).is_ok());
        let error = unchanged(&Uri::from_static("http://localhost/?name=O'Brien")).unwrap_err();
        let text =
            "the target is not in the normal form of the URL standard and would be rewritten";
        assert_eq!(error.to_string(), text);
    }
}
