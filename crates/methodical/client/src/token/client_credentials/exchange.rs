//! The requests to the authorisation server, over our transports.

use std::sync::Arc;

use bytes::Bytes;
use gateway_transport::{
    BlockingTransport, BoxError, Deadline, Instant, Request, Response, SharedTransport, Transport,
    TransportError, TransportErrorKind,
};
use oauth2::basic::{BasicErrorResponse, BasicErrorResponseType};
use oauth2::{HttpRequest, HttpResponse, RequestTokenError};

use crate::token::spawn_blocking::spawn_blocking;

/// Sends a request of the `oauth2` library over our transport.
pub(super) async fn exchange(
    transport: SharedTransport,
    request: HttpRequest,
    end: Instant,
) -> Result<HttpResponse, TransportError> {
    let mut request = request.map(Bytes::from);
    gateway_transport::mark_sensitive(request.headers_mut());
    request.extensions_mut().insert(Deadline::at(end));
    let (head, body) = transport.send(request).await?.into_parts();
    let body = body.collect(RESPONSE_LIMIT).await?;
    Ok(HttpResponse::from_parts(head, body.into()))
}

/// A blocking transport that runs each exchange on a thread.
pub(super) struct OwnThread<T>(pub(super) Arc<T>);

impl<T: BlockingTransport> Transport for OwnThread<T> {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let inner = Arc::clone(&self.0);
        let exchange = move || {
            let (head, body) = inner.send(request)?.into_parts();
            Ok((head, body.collect(RESPONSE_LIMIT)?))
        };
        let outcome = spawn_blocking("gateway-oauth2", exchange).await.unwrap_or_else(|error| {
            let text = "the thread of the transport failed";
            Err(TransportError::new(TransportErrorKind::Other, text).with_source(error))
        });
        outcome.map(|(head, body)| Response::from_parts(head, body.into()))
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

/// Describes a failure without the response of the server, which may contain a token.
pub(super) fn without_secrets(
    error: RequestTokenError<TransportError, BasicErrorResponse>,
) -> BoxError {
    match error {
        RequestTokenError::ServerResponse(refusal) => match refusal.error() {
            // Not a code of RFC 6749, section 5.2, so it may be any text.
            BasicErrorResponseType::Extension(_) => {
                "the authorisation server refused the request with a non-standard code".into()
            }
            code => format!("the authorisation server refused the request: {code}").into(),
        },
        RequestTokenError::Request(error) => error.into(),
        _ => "the authorisation server returned no token".into(),
    }
}

/// Maximum size of a response of the authorisation server, in bytes.
pub(super) const RESPONSE_LIMIT: u64 = 64 * 1024;
