//! Health and metrics, on a listener of their own that the public never reaches.

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

use crate::front::Front;
use crate::front::body::AnswerBody;
use crate::listen::{ACCEPT_PAUSE, Phase};
use crate::store::Store;

/// Answers `/healthz`, `/readyz` and `/metrics`.
#[derive(Debug)]
pub(crate) struct Ops {
    front: Arc<Front>,
    phase: watch::Receiver<Phase>,
    connections: Arc<Semaphore>,
}

impl Ops {
    pub(crate) fn new(front: Arc<Front>, phase: watch::Receiver<Phase>) -> Self {
        Self { front, phase, connections: Arc::new(Semaphore::new(CONNECTIONS)) }
    }

    /// Accepts until the server has drained: while it drains, `/readyz` is what sends clients elsewhere.
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

    /// Takes the next connection once there is room for it: until then it waits in the queue of the system.
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
            // A scrape is one request; how it ended is nobody's business.
            drop(
                http1::Builder::new()
                    .timer(TokioTimer::new())
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(socket), service)
                    .await,
            );
            drop(permit);
        });
    }

    async fn answer(&self, method: &Method, path: &str) -> Response<AnswerBody> {
        if method != Method::GET && method != Method::HEAD {
            return text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD only\n".into());
        }
        match path {
            // Alive: this answer is the proof.
            "/healthz" => text(StatusCode::OK, "ok\n".into()),
            "/readyz" => self.readiness().await,
            "/metrics" => text(StatusCode::OK, self.front.metrics.render()),
            _ => text(StatusCode::NOT_FOUND, "/healthz, /readyz or /metrics\n".into()),
        }
    }

    async fn readiness(&self) -> Response<AnswerBody> {
        if *self.phase.borrow() > Phase::Serving {
            return text(StatusCode::SERVICE_UNAVAILABLE, "stopping\n".into());
        }
        // Whoever asks has a limit of his own, and takes silence for something worse.
        match timeout(READY_WITHIN, self.front.work.run(Store::health)).await {
            Ok(Ok(())) => text(StatusCode::OK, "ready\n".into()),
            Ok(Err(_)) | Err(_) => {
                text(StatusCode::SERVICE_UNAVAILABLE, "the database does not answer\n".into())
            }
        }
    }
}

fn text(status: StatusCode, body: String) -> Response<AnswerBody> {
    let mut response = Response::new(AnswerBody::full(Bytes::from(body)));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; version=0.0.4"));
    response
}

/// A database that has not answered by then is not ready.
const READY_WITHIN: Duration = Duration::from_secs(2);

/// So many who ask at once are answered at once.
pub(crate) const CONNECTIONS: usize = 16;
