//! A transport over the pooled client of `hyper-util`.

use std::time::Duration;

use gateway_transport::bytes::Bytes;
use gateway_transport::{Body, Phase, Request, Response, Transport, TransportError};
use http_body_util::Full;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::adapt::{Limits, check_target, classify};

/// Sends requests with hyper-util over plain TCP.
#[derive(Debug)]
pub struct HyperUtilTransport {
    client: Client<HttpConnector, Full<Bytes>>,
    idle_timeout: Duration,
}

impl HyperUtilTransport {
    /// Creates a client with these time limits.
    pub fn new(connect_timeout: Duration, idle_timeout: Duration) -> Self {
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(connect_timeout));
        connector.set_nodelay(true);
        let mut builder = Client::builder(TokioExecutor::new());
        // The client sends a request again only if no byte of it was sent.
        let client = builder.pool_timer(TokioTimer::new()).build(connector);
        Self { client, idle_timeout }
    }
}

impl Transport for HyperUtilTransport {
    async fn send(&self, request: Request) -> Result<Response, TransportError> {
        let limits = Limits::of(&request, self.idle_timeout)?;
        check_target(request.uri(), &["http"])?;
        let response = limits
            .head(self.client.request(request.map(Full::new)))
            .await?
            .map_err(|error| classify(&error, error.is_connect(), false, Phase::Head))?;
        Ok(response.map(|body| {
            let classify = |error| classify(&error, false, false, Phase::Body);
            limits.body(Body::with_errors(body, classify))
        }))
    }
}
