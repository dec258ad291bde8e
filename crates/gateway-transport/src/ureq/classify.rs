//! What an error of ureq means.
use std::io;

use ::ureq::{Error, Timeout};

#[cfg(feature = "__tls")]
use crate::Sent;
use crate::{BoxError, ErrorKind, Phase, TransportError};

/// Gives `error` our type. `during` is what the exchange was doing.
#[cold]
pub(super) fn classify(error: Error, during: Phase) -> TransportError {
    let (kind, text) = match error {
        Error::Timeout(limit) => {
            return TransportError::timeout(phase_of(limit, during)).with_source(error);
        }
        Error::Io(error) => return of_io(error, during),
        Error::Other(error) => return of_connector(error, during),
        Error::HostNotFound => (ErrorKind::Resolve, "the host name did not resolve"),
        Error::ConnectionFailed | Error::ConnectProxyFailed(_) => {
            (ErrorKind::Connect, "no connection was made")
        }
        Error::Tls(_) | Error::TlsRequired => (ErrorKind::Tls, "no trusted TLS session"),
        // Two of these quote the target, so none of them is kept as a source.
        Error::BadUri(_) | Error::Http(_) | Error::RequireHttpsOnly(_) | Error::InvalidProxyUrl => {
            let text = "the request was refused before it was sent";
            return TransportError::new(ErrorKind::InvalidRequest, text);
        }
        // Its type has no name outside of ureq.
        Error::Protocol(ref error) if error.to_string().ends_with("too many headers") => {
            (ErrorKind::TooLarge, "the head of the response is too large")
        }
        // Stalled is a decoder that cannot go on with a full buffer: a chunk size that never ends.
        Error::Protocol(_) | Error::BodyStalled => {
            (ErrorKind::Protocol, "the response is malformed")
        }
        Error::LargeResponseHeader(..) => {
            (ErrorKind::TooLarge, "the head of the response is too large")
        }
        _ => (ErrorKind::Other, "the exchange failed"),
    };
    let ours = TransportError::new(kind, text);
    let ours = if ours.phase() == Phase::Unknown { ours.with_phase(during) } else { ours };
    ours.with_source(error)
}

/// Gives an error of ureq's body reader our type.
#[cold]
pub(super) fn classify_io(error: io::Error) -> TransportError {
    match error.downcast::<Error>() {
        Ok(error) => classify(error, Phase::Body),
        Err(error) => of_io(error, Phase::Body),
    }
}

fn of_io(error: io::Error, during: Phase) -> TransportError {
    // std gives a failed lookup no kind and no number of its own, and ureq passes it on as it is.
    let is_lookup = error.raw_os_error().is_none()
        && error.to_string().starts_with("failed to lookup address information");
    if is_lookup {
        let text = "the host name did not resolve";
        return TransportError::new(ErrorKind::Resolve, text).with_source(error);
    }
    #[cfg(feature = "__tls")]
    if crate::error::find::<rustls::Error>(&error).is_some() {
        // The session broke after the handshake: the request was on its way.
        return TransportError::new(ErrorKind::Tls, "no trusted TLS session")
            .with_phase(during)
            .with_sent(Sent::Maybe)
            .with_source(error);
    }
    let ours = TransportError::from_io(error);
    if ours.phase() == Phase::Unknown { ours.with_phase(during) } else { ours }
}

/// What our own connectors say.
fn of_connector(error: BoxError, during: Phase) -> TransportError {
    let error = match error.downcast::<TransportError>() {
        Ok(ours) => return *ours,
        Err(error) => error,
    };
    match error.downcast::<io::Error>() {
        Ok(error) => of_io(*error, during),
        Err(error) => TransportError::new(ErrorKind::Other, "the exchange failed")
            .with_phase(during)
            .with_source(error),
    }
}

fn phase_of(limit: Timeout, during: Phase) -> Phase {
    match limit {
        Timeout::Resolve | Timeout::Connect => Phase::Connect,
        Timeout::SendRequest | Timeout::SendBody | Timeout::RecvResponse => Phase::Head,
        Timeout::RecvBody => Phase::Body,
        _ => during,
    }
}
