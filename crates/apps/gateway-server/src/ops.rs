//! Health and metrics, on a separate listener that the public does not reach.

mod process;
pub(crate) mod scrape;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{self, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use self::scrape::{Readiness, Sources};
use crate::front::body::ResponseBody;
use crate::listen::ACCEPT_PAUSE;
use crate::listen::phase::Phase;

/// Answers `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub(crate) struct Ops {
    sources: Sources,
    connections: Arc<Semaphore>,
}

impl Ops {
    pub(crate) fn new(sources: Sources) -> Self {
        Self { sources, connections: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    /// Accepts connections until the server has drained: before that, `/readyz` sends clients elsewhere.
    pub(crate) async fn run(self: Arc<Self>, listener: TcpListener) {
        let mut phase = self.sources.phase.clone();
        loop {
            let accepted = tokio::select! {
                accepted = self.accept(&listener) => accepted,
                _ = phase.wait_for(|phase| *phase == Phase::Cutting) => return,
            };
            match accepted {
                Ok((socket, permit)) => self.spawn(socket, permit),
                Err(_error) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    /// Accepts the next connection when the limit allows it. Until then it waits in the queue of the system.
    async fn accept(
        &self,
        listener: &TcpListener,
    ) -> std::io::Result<(TcpStream, OwnedSemaphorePermit)> {
        let closed = |_closed| std::io::Error::other("the server is stopping");
        let permit = Arc::clone(&self.connections).acquire_owned().await.map_err(closed)?;
        let (socket, _address) = listener.accept().await?;
        Ok((socket, permit))
    }

    fn spawn(self: &Arc<Self>, socket: TcpStream, permit: OwnedSemaphorePermit) {
        let ops = Arc::clone(self);
        tokio::spawn(async move {
            let service = service_fn(|request: Request<hyper::body::Incoming>| {
                let ops = &ops;
                async move {
                    Ok::<_, Infallible>(ops.answer(request.method(), request.uri().path()).await)
                }
            });
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .keep_alive(false)
                .serve_connection(TokioIo::new(socket), service);
            // A scrape is one request, and how it ended does not matter.
            drop(timeout(CONNECTION_TIMEOUT, connection).await);
            drop(permit);
        });
    }

    async fn answer(&self, method: &Method, path: &str) -> Response<ResponseBody> {
        if method != Method::GET && method != Method::HEAD {
            return text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n".into());
        }
        match path {
            // A process that answers is alive.
            "/healthz" => text(StatusCode::OK, "ok\n".into()),
            "/readyz" => self.readiness().await,
            "/metrics" => text(StatusCode::OK, self.sources.render().await),
            _ => text(StatusCode::NOT_FOUND, "/healthz, /readyz or /metrics\n".into()),
        }
    }

    async fn readiness(&self) -> Response<ResponseBody> {
        let (status, body) = match self.sources.readiness().await {
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
