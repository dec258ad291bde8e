//! A transport over `attohttpc`: sends the request, streams the response, and classifies every error.

use std::io;
use std::time::{Duration, Instant};

use attohttpc::{ErrorKind as Theirs, ProxySettings, RequestBuilder};
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Deadline, Phase, Request, Sent,
    TransportError, TransportErrorKind,
};
use http::Response;

/// Sends requests with `attohttpc`, which opens a connection for each request.
pub(crate) struct AttohttpcTransport {
    pub(crate) connect_timeout: Duration,
    pub(crate) idle_timeout: Duration,
}

impl BlockingTransport for AttohttpcTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        // The request carries the deadline. If it has passed, return here, before anything is sent.
        let left = Deadline::remaining(&request)?;
        let end = left.and_then(|left| Instant::now().checked_add(left));
        let (head, body) = request.into_parts();
        let mut builder = RequestBuilder::try_new(head.method, head.uri.to_string())
            .map_err(classify)?
            .follow_redirects(false)
            .proxy_settings(ProxySettings::builder().build())
            .connect_timeout(left.unwrap_or(Duration::MAX).min(self.connect_timeout))
            .read_timeout(self.idle_timeout);
        if let Some(left) = left {
            builder = builder.timeout(left);
        }
        *builder.headers_mut() = head.headers;
        // A GET without a body must not send `content-length`.
        let sent = if body.is_empty() { builder.send() } else { builder.bytes(body).send() };
        let failed = |error| late(end, Phase::Head).unwrap_or_else(|| classify(error));
        let (status, headers, reader) = sent.map_err(failed)?.split();
        // Return the reader without waiting for the end of the body.
        let body = BlockingBody::with_errors(reader, move |error| classify_body(error, end));
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// Returns a timeout after the deadline, when the client shuts down the socket and may report a truncated response.
fn late(end: Option<Instant>, phase: Phase) -> Option<TransportError> {
    end.filter(|end| Instant::now() >= *end).map(|_| TransportError::timeout(phase))
}

/// Converts an error to our type. The original text is not copied, because it may contain the URL.
fn classify(error: attohttpc::Error) -> TransportError {
    use TransportErrorKind::{InvalidRequest, Other, Protocol};

    let (kind, text) = match error.into_kind() {
        Theirs::Io(error) => return TransportError::from_io(error),
        Theirs::InvalidResponse(_) | Theirs::Http(_) => (Protocol, "the response is malformed"),
        Theirs::InvalidBaseUrl
        | Theirs::InvalidUrlHost
        | Theirs::InvalidUrlPort
        | Theirs::TlsDisabled => (InvalidRequest, "the client does not support the target"),
        _ => (Other, "the client failed"),
    };
    TransportError::new(kind, text)
}

fn classify_body(error: io::Error, end: Option<Instant>) -> TransportError {
    let error = error.downcast().map_or_else(TransportError::from_io, classify);
    let error = late(end, Phase::Body).unwrap_or(error);
    error.with_phase(Phase::Body).with_sent(Sent::Maybe)
}
