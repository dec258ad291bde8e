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
    let (kind, text) = kind_and_text(&error);
    let connecting = error.is_connect() || kind == ErrorKind::Resolve;
    let phase = if connecting { Phase::Connect } else { phase };
    let mut ours = TransportError::new(kind, text).with_phase(phase);
    if kind == ErrorKind::Tls && !connecting {
        // The session failed after the handshake, when the request was already on its way.
        ours = ours.with_sent(Sent::Maybe);
    }
    ours.with_source(error)
}

fn kind_and_text(error: &::reqwest::Error) -> (ErrorKind, &'static str) {
    if error.is_builder() {
        return (ErrorKind::InvalidRequest, "the client refused the request before sending it");
    }
    if error.is_dns() {
        return (ErrorKind::Resolve, "cannot resolve the host name");
    }
    #[cfg(feature = "__tls")]
    if find::<rustls::Error>(error).is_some() {
        let handshake = error.is_connect();
        let text = if handshake { "TLS handshake failed" } else { "TLS session failed" };
        return (ErrorKind::Tls, text);
    }
    if error.is_connect() {
        return (ErrorKind::Connect, "cannot connect");
    }
    if let Some(error) = find::<hyper::Error>(error) {
        // hyper has a method for this only with its server feature.
        if error.is_parse() && error.to_string() == "message head is too large" {
            return (ErrorKind::TooLarge, "the response head is too large");
        }
        if error.is_parse() {
            return (ErrorKind::Protocol, "the response is malformed");
        }
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return (ErrorKind::Interrupted, "the connection was lost");
        }
    }
    match find::<io::Error>(error).map(|error| io_error_kind(error.kind())) {
        Some(ErrorKind::Interrupted) => (ErrorKind::Interrupted, "the connection was lost"),
        Some(ErrorKind::Protocol) => (ErrorKind::Protocol, "the response is malformed"),
        _ => (ErrorKind::Other, "the exchange failed"),
    }
}
