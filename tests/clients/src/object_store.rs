//! A transport over the HTTP client of `object_store`, as its stores configure it.

use std::error::Error as _;
use std::time::Duration;

use gateway_transport::{
    Body, Phase, Request, Response, Transport, TransportError, TransportErrorKind,
};
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequestBody, ReqwestConnector,
};
use object_store::{Certificate, ClientOptions};

use crate::adapt::{Limits, classify, unchanged_url};

/// Sends requests with the client that `object_store` uses by default.
#[derive(Debug)]
pub struct ObjectStoreTransport {
    client: HttpClient,
    idle_timeout: Duration,
}

impl ObjectStoreTransport {
    /// Creates a client with these time limits, which trusts the certificate `root` (DER).
    ///
    /// # Errors
    /// Fails if the certificate is invalid.
    pub fn new(
        connect_timeout: Duration,
        idle_timeout: Duration,
        root: &[u8],
    ) -> Result<Self, TransportError> {
        let failed =
            |_error| TransportError::new(TransportErrorKind::Tls, "cannot configure the client");
        // No option turns off redirects, retries or the proxy of the environment.
        let options = ClientOptions::new()
            .with_allow_http(true)
            .with_http1_only()
            .with_timeout_disabled()
            .with_connect_timeout(connect_timeout)
            .with_no_system_certificates(true)
            .with_root_certificate(Certificate::from_der(root).map_err(failed)?);
        let client = ReqwestConnector::default().connect(&options).map_err(failed)?;
        Ok(Self { client, idle_timeout })
    }
}

impl Transport for ObjectStoreTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limits = Limits::of(&request, self.idle_timeout)?;
        // The client panics if the target is not a URL.
        unchanged_url(request.uri())?;
        let exchange = self.client.execute(request.map(HttpRequestBody::from));
        let response =
            limits.head(exchange).await?.map_err(|error| convert(&error, Phase::Head))?;
        Ok(response
            .map(|body| limits.body(Body::with_errors(body, |error| convert(&error, Phase::Body)))))
    }
}

/// `HttpErrorKind` does not distinguish a connect timeout, but the source is reqwest's error.
fn convert(error: &HttpError, phase: Phase) -> TransportError {
    let reqwest = error.source().and_then(|error| error.downcast_ref::<reqwest::Error>());
    let is_connect = reqwest.is_some_and(reqwest::Error::is_connect);
    classify(error, is_connect, error.kind() == HttpErrorKind::Timeout, phase)
}
