//! The adapter: a request in, a streaming response out, and every error given a kind.

use std::io;
use std::time::Duration;

use attohttpc::{ErrorKind as Theirs, ProxySettings, RequestBuilder};
use gateway_transport::{
    BlockingBody, BlockingResponse, BlockingTransport, Deadline, ErrorKind, Phase, Request, Sent,
    TransportError,
};
use http::Response;

/// Sends requests with `attohttpc`, one connection for each.
pub(crate) struct AttohttpcTransport {
    pub(crate) connect_timeout: Duration,
    pub(crate) idle_timeout: Duration,
}

impl BlockingTransport for AttohttpcTransport {
    fn send(&self, request: Request) -> Result<BlockingResponse, TransportError> {
        // The deadline is in the request; one that has passed ends the call here, before anything is sent.
        let left = Deadline::remaining(&request)?;
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
        // A GET without a body must not have the framing of one.
        let sent = if body.is_empty() { builder.send() } else { builder.bytes(body).send() };
        let (status, headers, reader) = sent.map_err(classify)?.split();
        // The reader is handed over as it is: nobody waits for the end of the body here.
        let mut response = Response::new(BlockingBody::with_errors(reader, classify_body));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}

/// Gives an error its kind. Its own text stays out of ours: it may quote an address.
fn classify(error: attohttpc::Error) -> TransportError {
    match error.into_kind() {
        Theirs::Io(error) => TransportError::from_io(error),
        Theirs::InvalidResponse(_) | Theirs::Http(_) => {
            TransportError::new(ErrorKind::Protocol, "the response is malformed")
        }
        Theirs::InvalidBaseUrl
        | Theirs::InvalidUrlHost
        | Theirs::InvalidUrlPort
        | Theirs::TlsDisabled => {
            TransportError::new(ErrorKind::InvalidRequest, "not an address of this client")
        }
        _ => TransportError::new(ErrorKind::Other, "the client failed"),
    }
}

fn classify_body(error: io::Error) -> TransportError {
    let error = match error.downcast::<attohttpc::Error>() {
        Ok(theirs) => classify(theirs),
        Err(error) => TransportError::from_io(error),
    };
    error.with_phase(Phase::Body).with_sent(Sent::Maybe)
}
