//! Classifies ureq's errors.
use std::io;

use ::ureq::{Error, Timeout};

#[cfg(feature = "__tls")]
use crate::Sent;
use crate::{BoxError, ErrorKind, Phase, TransportError};

/// Converts `error`, which occurred in `phase`, to our type.
#[cold]
pub(super) fn classify(error: Error, phase: Phase) -> TransportError {
    let kind = match error {
        Error::Timeout(timeout) => {
            return TransportError::timeout(timeout_phase(timeout, phase)).with_source(error);
        }
        Error::Io(error) => return classify_io(error, phase),
        Error::Other(error) => return classify_other(error, phase),
        Error::HostNotFound => ErrorKind::Resolve,
        Error::ConnectionFailed | Error::ConnectProxyFailed(_) => ErrorKind::Connect,
        Error::Tls(_) | Error::TlsRequired => ErrorKind::Tls,
        // Two of these quote the target, so none of them is kept as a source.
        Error::BadUri(_) | Error::Http(_) | Error::RequireHttpsOnly(_) | Error::InvalidProxyUrl => {
            return TransportError::of_kind(ErrorKind::InvalidRequest);
        }
        // The type of this error is private to ureq.
        Error::Protocol(ref error) if error.to_string().ends_with("too many headers") => {
            ErrorKind::TooLarge
        }
        // `BodyStalled`: the decoder needs more input, but its buffer is full, as with an endless chunk size.
        Error::Protocol(_) | Error::BodyStalled => ErrorKind::Protocol,
        Error::LargeResponseHeader(..) => ErrorKind::TooLarge,
        _ => ErrorKind::Other,
    };
    with_default_phase(phase, TransportError::of_kind(kind)).with_source(error)
}

/// Converts an error of ureq's body reader to our type.
#[cold]
pub(super) fn classify_body(error: io::Error) -> TransportError {
    match error.downcast::<Error>() {
        Ok(error) => classify(error, Phase::Body),
        Err(error) => classify_io(error, Phase::Body),
    }
}

fn classify_io(error: io::Error, phase: Phase) -> TransportError {
    // A failed lookup of std has neither a distinct kind nor an OS error number, and ureq passes it on unchanged.
    let is_lookup = error.raw_os_error().is_none()
        && error.to_string().starts_with("failed to lookup address information");
    if is_lookup {
        return TransportError::of_kind(ErrorKind::Resolve).with_source(error);
    }
    #[cfg(feature = "__tls")]
    if crate::error::find::<rustls::Error>(&error).is_some() {
        // The session failed after the handshake, when the request was already on its way.
        return TransportError::new(ErrorKind::Tls, "TLS session failed")
            .with_phase(phase)
            .with_sent(Sent::Maybe)
            .with_source(error);
    }
    with_default_phase(phase, TransportError::from_io(error))
}

/// Sets `phase` on an error whose kind does not imply a phase.
fn with_default_phase(phase: Phase, error: TransportError) -> TransportError {
    if error.phase() == Phase::Unknown { error.with_phase(phase) } else { error }
}

/// Converts an error of our own connectors, which ureq wraps in `Error::Other`.
fn classify_other(error: BoxError, phase: Phase) -> TransportError {
    let error = match error.downcast::<TransportError>() {
        Ok(ours) => return *ours,
        Err(error) => error,
    };
    match error.downcast::<io::Error>() {
        Ok(error) => classify_io(*error, phase),
        Err(error) => {
            TransportError::of_kind(ErrorKind::Other).with_phase(phase).with_source(error)
        }
    }
}

/// Returns the phase that ureq's timeout belongs to, or `phase` if it covers several.
fn timeout_phase(timeout: Timeout, phase: Phase) -> Phase {
    match timeout {
        Timeout::Resolve | Timeout::Connect => Phase::Connect,
        Timeout::SendRequest | Timeout::SendBody | Timeout::RecvResponse => Phase::Head,
        Timeout::RecvBody => Phase::Body,
        _ => phase,
    }
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[track_caller]
    fn check(error: Error, kind: ErrorKind, phase: Phase) {
        let error = classify(error, Phase::Head);
        assert_eq!((error.kind(), error.phase()), (kind, phase), "{error:?}");
    }

    #[test]
    fn each_error_has_a_kind_and_a_phase() {
        check(Error::HostNotFound, ErrorKind::Resolve, Phase::Connect);
        check(Error::ConnectionFailed, ErrorKind::Connect, Phase::Connect);
        check(Error::TlsRequired, ErrorKind::Tls, Phase::Connect);
        check(Error::TooManyRedirects, ErrorKind::Other, Phase::Head);
        check(Error::LargeResponseHeader(1, 2), ErrorKind::TooLarge, Phase::Head);
        check(Error::BodyStalled, ErrorKind::Protocol, Phase::Head);
        check(Error::Other("unknown".into()), ErrorKind::Other, Phase::Head);
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        check(Error::Other(refused.into()), ErrorKind::Connect, Phase::Connect);
        check(Error::Timeout(Timeout::Connect), ErrorKind::Timeout, Phase::Connect);
        check(Error::Timeout(Timeout::RecvResponse), ErrorKind::Timeout, Phase::Head);
        check(Error::Timeout(Timeout::RecvBody), ErrorKind::Timeout, Phase::Body);
    }

    #[test]
    fn an_error_that_quotes_the_target_is_not_kept() {
        let error = classify(Error::BadUri("http://host/?token=secret".into()), Phase::Head);
        assert_eq!(error.kind(), ErrorKind::InvalidRequest);
        assert!(error.source().is_none());
        assert!(!format!("{error} {error:?}").contains("secret"));
    }

    /// Until the handshake has ended, nothing of the request was sent. Afterwards, all of it may have been.
    #[cfg(feature = "__tls")]
    #[test]
    fn a_tls_session_that_fails_later_may_have_sent_the_request() {
        let broken = || io::Error::other(rustls::Error::DecryptError);
        for error in [Error::Io(broken()), Error::Other(broken().into())] {
            let error = classify(error, Phase::Body);
            let actual = (error.kind(), error.phase(), error.sent());
            assert_eq!(actual, (ErrorKind::Tls, Phase::Body, Sent::Maybe));
            assert_eq!(error.to_string(), "TLS session failed");
        }
        assert_eq!(classify(Error::TlsRequired, Phase::Head).sent(), Sent::No);
    }
}
