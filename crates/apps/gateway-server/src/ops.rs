//! Health and metrics, on a separate listener that the public does not reach.

mod process;
pub(crate) mod scrape;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use methodical_serve::{Connection, Limits, Refusal, Service};

use self::scrape::{Readiness, Sources};
use crate::front::body::ResponseBody;

/// Answers `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub(crate) struct Ops(pub(crate) Sources);

impl Service for Ops {
    type Body = ResponseBody;

    async fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        _connection: &Arc<Connection>,
    ) -> Response<ResponseBody> {
        let mut response = match refusal {
            None => self.respond(&request.method, request.uri.path()).await,
            Some(_) => text(StatusCode::BAD_REQUEST, "invalid request\n".into()),
        };
        // A scrape is one request.
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        response
    }
}

/// Returns the limits of the listener.
pub(crate) fn limits() -> Limits {
    Limits {
        connections: CONNECTIONS,
        connections_per_address: CONNECTIONS,
        unlimited: Vec::new(),
        queues: true,
        head: HEAD_TIMEOUT,
        idle: HEAD_TIMEOUT,
        stall: CONNECTION_TIMEOUT,
        response: CONNECTION_TIMEOUT,
        age: CONNECTION_TIMEOUT,
    }
}

impl Ops {
    async fn respond(&self, method: &Method, path: &str) -> Response<ResponseBody> {
        if method != Method::GET && method != Method::HEAD {
            return text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n".into());
        }
        match path {
            // A process that answers is alive.
            "/healthz" => text(StatusCode::OK, "ok\n".into()),
            "/readyz" => self.readiness().await,
            "/metrics" => text(StatusCode::OK, self.0.render().await),
            _ => text(StatusCode::NOT_FOUND, "/healthz, /readyz or /metrics\n".into()),
        }
    }

    async fn readiness(&self) -> Response<ResponseBody> {
        let (status, body) = match self.0.readiness().await {
            (Readiness::Ready, _) => (StatusCode::OK, "ready\n"),
            (Readiness::Stopping, _) => (StatusCode::SERVICE_UNAVAILABLE, "stopping\n"),
            (Readiness::Damaged, _) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "the database is damaged; run gateway-server check\n",
            ),
            (Readiness::NoDatabase, _) => {
                (StatusCode::SERVICE_UNAVAILABLE, "the database does not respond\n")
            }
        };
        text(status, body.into())
    }
}

fn text(status: StatusCode, body: String) -> Response<ResponseBody> {
    let mut response = Response::new(ResponseBody::full(Bytes::from(body)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    response
}

/// Timeout of the head of a request. Together with [`CONNECTIONS`] it limits how long silent connections delay a probe.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout of a connection: of its request, and of a client that does not read the response.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of open connections.
pub(crate) const CONNECTIONS: usize = 64;
