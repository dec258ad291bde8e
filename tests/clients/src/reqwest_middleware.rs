//! A transport over `reqwest-middleware`, which wraps a reqwest client.

use std::time::Duration;

use gateway_transport::{
    Body, Phase, Request, Response, Transport, TransportError, TransportErrorKind,
};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, retry};
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware, Error};

use crate::adapt::{Limits, classify, unchanged_url};

/// Sends requests with reqwest through a stack of middleware.
#[derive(Debug)]
pub struct MiddlewareTransport {
    client: ClientWithMiddleware,
    idle_timeout: Duration,
}

impl MiddlewareTransport {
    /// Creates a client with these time limits, which trusts the certificate `root` (DER) and adds no middleware.
    ///
    /// # Errors
    /// Fails if the certificate is invalid.
    pub fn new(
        connect_timeout: Duration,
        idle_timeout: Duration,
        root: &[u8],
    ) -> Result<Self, TransportError> {
        let client = reqwest_client(connect_timeout, root)?;
        Ok(Self { client: ClientBuilder::new(client).build(), idle_timeout })
    }
}

/// Creates a reqwest client without redirects, retries, decompression and proxies.
///
/// # Errors
/// Fails if the certificate is invalid.
pub fn reqwest_client(connect_timeout: Duration, root: &[u8]) -> Result<Client, TransportError> {
    let failed =
        |_error| TransportError::new(TransportErrorKind::Tls, "cannot configure the client");
    Client::builder()
        .connect_timeout(connect_timeout)
        .redirect(Policy::none())
        .referer(false)
        .retry(retry::never())
        .http1_only()
        .no_proxy()
        .tls_certs_only([Certificate::from_der(root).map_err(failed)?])
        .build()
        .map_err(failed)
}

impl Transport for MiddlewareTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limits = Limits::of(&request, self.idle_timeout)?;
        let (head, body) = request.into_parts();
        let mut request = reqwest::Request::new(head.method, unchanged_url(&head.uri)?);
        *request.headers_mut() = head.headers;
        if !body.is_empty() {
            *request.body_mut() = Some(body.into());
        }
        let response = limits.head(self.client.execute(request)).await?.map_err(|error| {
            let (is_connect, is_timeout) = match &error {
                Error::Reqwest(error) => (error.is_connect(), error.is_timeout()),
                Error::Middleware(_) => (false, false),
            };
            classify(&error, is_connect, is_timeout, Phase::Head)
        })?;
        Ok(http::Response::from(response).map(|body| {
            let classify = |error| classify(&error, false, false, Phase::Body);
            limits.body(Body::with_errors(body, classify))
        }))
    }
}
