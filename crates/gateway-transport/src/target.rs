//! The targets that no adapter sends.
use http::Uri;

use crate::{ErrorKind, TransportError};

/// Refuses what is not an absolute `http` or `https` target without credentials.
pub(crate) fn check(uri: &Uri) -> Result<(), TransportError> {
    match uri.scheme_str() {
        Some("http") => {}
        Some("https") if cfg!(feature = "__tls") => {}
        Some("https") => return Err(refused("https needs the feature `rustls` or `rustls-ring`")),
        Some(_) => return Err(refused("the scheme is neither http nor https")),
        None => return Err(refused("the target is not absolute")),
    }
    match uri.authority() {
        // RFC 9110, section 4.2.4: a sender must not generate them.
        Some(authority) if authority.as_str().contains('@') => {
            Err(refused("the target has credentials in it"))
        }
        Some(_) => Ok(()),
        None => Err(refused("the target has no host")),
    }
}

/// A request that is not sent, because it could not be sent unchanged.
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
    fn foreign_targets_are_refused() {
        check_text("http://localhost/", "");
        check_text("ftp://localhost/", "the scheme is neither http nor https");
        check_text("/only/a/path", "the target is not absolute");
        check_text("http://user:secret@localhost/", "the target has credentials in it");
        let https = if cfg!(feature = "__tls") {
            ""
        } else {
            "https needs the feature `rustls` or `rustls-ring`"
        };
        check_text("https://localhost/", https);
    }
}
