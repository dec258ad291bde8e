//! What an error of reqwest means.
use std::io;

use crate::error::{find, io_error_kind};
use crate::{ErrorKind, Phase, Sent, TransportError};

/// Gives `error` our type. `during` is what the exchange was doing.
///
/// `is_body` and `is_decode` are of no use here: reqwest calls a connection that was cut inside the body a "decode"
/// error. So the cause decides: a time limit first, then rustls, hyper and the operating system.
#[cold]
pub(super) fn classify(error: ::reqwest::Error, during: Phase) -> TransportError {
    // Both texts of the error would have the whole URL in them.
    let error = error.without_url();
    if error.is_timeout() {
        let phase = if error.is_connect() { Phase::Connect } else { during };
        return TransportError::timeout(phase).with_source(error);
    }
    let (kind, text) = kind_of(&error);
    let connecting = error.is_connect() || kind == ErrorKind::Resolve;
    let phase = if connecting { Phase::Connect } else { during };
    let mut ours = TransportError::new(kind, text).with_phase(phase);
    if kind == ErrorKind::Tls && !connecting {
        // The session broke after the handshake: the request was on its way.
        ours = ours.with_sent(Sent::Maybe);
    }
    ours.with_source(error)
}

fn kind_of(error: &::reqwest::Error) -> (ErrorKind, &'static str) {
    if error.is_builder() {
        return (ErrorKind::InvalidRequest, "the request was refused before it was sent");
    }
    if error.is_dns() {
        return (ErrorKind::Resolve, "the host name did not resolve");
    }
    #[cfg(feature = "__tls")]
    if find::<rustls::Error>(error).is_some() {
        return (ErrorKind::Tls, "no trusted TLS session");
    }
    if error.is_connect() {
        return (ErrorKind::Connect, "no connection was made");
    }
    if let Some(error) = find::<hyper::Error>(error) {
        // hyper has a method for it where servers are built only.
        if error.is_parse() && error.to_string() == "message head is too large" {
            return (ErrorKind::TooLarge, "the head of the response is too large");
        }
        if error.is_parse() {
            return (ErrorKind::Protocol, "the response is malformed");
        }
        if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
            return (ErrorKind::Interrupted, "the connection broke");
        }
    }
    match find::<io::Error>(error).map(|error| io_error_kind(error.kind())) {
        Some(ErrorKind::Interrupted) => (ErrorKind::Interrupted, "the connection broke"),
        Some(ErrorKind::Protocol) => (ErrorKind::Protocol, "the response is malformed"),
        _ => (ErrorKind::Other, "the exchange failed"),
    }
}
