//! Health and metrics, on a separate listener that the public does not reach.

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
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;

use crate::front::body::ResponseBody;
use crate::front::metrics::Metrics;
use crate::front::work::Work;
use crate::listen::ACCEPT_PAUSE;
use crate::listen::phase::Phase;
use crate::store::Store;

/// Answers `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub(crate) struct Ops {
    metrics: Arc<Metrics>,
    work: Work,
    phase: watch::Receiver<Phase>,
    connections: Arc<Semaphore>,
}

impl Ops {
    pub(crate) fn new(metrics: Arc<Metrics>, work: Work, phase: watch::Receiver<Phase>) -> Self {
        Self { metrics, work, phase, connections: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    /// Accepts connections until the server has drained: before that, `/readyz` sends clients elsewhere.
    pub(crate) async fn run(self: Arc<Self>, listener: TcpListener) {
        let mut phase = self.phase.clone();
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
            "/metrics" => text(StatusCode::OK, self.metrics.render()),
            _ => text(StatusCode::NOT_FOUND, "/healthz, /readyz or /metrics\n".into()),
        }
    }

    async fn readiness(&self) -> Response<ResponseBody> {
        if *self.phase.borrow() > Phase::Serving {
            return text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n".into());
        }
        // A probe has its own timeout and would take silence for a dead process.
        match timeout(READY_WITHIN, self.work.run(Store::health)).await {
            Ok(Ok(())) => text(StatusCode::OK, "ready\n".into()),
            Ok(Err(_)) | Err(_) => {
                text(StatusCode::SERVICE_UNAVAILABLE, "the database does not respond\n".into())
            }
        }
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

/// Time within which a ready database responds.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// Timeout of the head of a request. Together with [`CONNECTIONS`] it limits how long silent connections delay a probe.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout of a connection: of its request, and of a client that does not read the response.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of open connections.
pub(crate) const CONNECTIONS: usize = 64;
