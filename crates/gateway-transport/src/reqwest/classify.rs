//! Classifies reqwest's errors.
use std::io;

use crate::error::{find, io_error_kind};
use crate::{ErrorKind, Phase, Sent, TransportError};

/// Converts `error`, which occurred in `phase` unless it says otherwise, to our type.
///
/// `is_body` and `is_decode` do not help: reqwest reports a connection that broke within the body as a "decode" error.
/// The cause decides instead: first a timeout, then rustls, hyper and the operating system.
#[cold]
pub(super) fn classify(error: ::reqwest::Error, phase: Phase) -> TransportError {
    // `Display` and `Debug` of the error would print the whole URL.
    let error = error.without_url();
    if error.is_timeout() {
        let phase = if error.is_connect() { Phase::Connect } else { phase };
        return TransportError::timeout(phase).with_source(error);
    }
    let kind = kind_of(&error);
    let connecting = error.is_connect() || kind == ErrorKind::Resolve;
    if kind == ErrorKind::Tls && !connecting {
        // The session failed after the handshake, when the request was already on its way.
        return TransportError::new(kind, "TLS session failed")
            .with_phase(phase)
            .with_sent(Sent::Maybe)
            .with_source(error);
    }
    let phase = if connecting { Phase::Connect } else { phase };
    TransportError::of_kind(kind).with_phase(phase).with_source(error)
}

fn kind_of(error: &::reqwest::Error) -> ErrorKind {
    if error.is_builder() {
        return ErrorKind::InvalidRequest;
    }
    if error.is_dns() {
        return ErrorKind::Resolve;
    }
    #[cfg(feature = "__tls")]
    if find::<rustls::Error>(error).is_some() {
        return ErrorKind::Tls;
    }
    if error.is_connect() {
        return ErrorKind::Connect;
    }
    if let Some(error) = find::<hyper::Error>(error) {
        // hyper has a method for this only with its server feature.
        if error.is_parse() && error.to_string() == "message head is too large" {
            return ErrorKind::TooLarge;
        }
        if error.is_parse() {
            return ErrorKind::Protocol;
        }
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return ErrorKind::Interrupted;
        }
    }
    match find::<io::Error>(error).map(|error| io_error_kind(error.kind())) {
        Some(kind @ (ErrorKind::Interrupted | ErrorKind::Protocol)) => kind,
        _ => ErrorKind::Other,
    }
}
