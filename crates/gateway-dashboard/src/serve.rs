//! Accepts connections, with limits of time and number.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower_service::Service as _;

/// Serves connections until `stop` changes or its sender is dropped.
pub(crate) async fn serve(listener: TcpListener, app: Router, mut stop: watch::Receiver<bool>) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else { return };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => return,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                let app = app.clone();
                connections.spawn(async move {
                    connection(stream, app).await;
                    drop(slot);
                });
            }
            // Too many open files, for example: wait until one is closed.
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

/// Serves a connection. Its failures concern only its peer.
async fn connection(stream: TcpStream, app: Router) {
    let service = service_fn(|request: Request<Incoming>| {
        let mut app = app.clone();
        async move {
            let answered = tokio::time::timeout(RESPONSE, app.call(request)).await;
            let response = match answered {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(_elapsed) => timed_out(),
            };
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_SIZE);
    let served = http.serve_connection(TokioIo::new(stream), service);
    // A peer that does not read its response keeps a connection for no longer than this.
    let _failed = tokio::time::timeout(CONNECTION, served).await;
}

fn timed_out() -> Response<Body> {
    let mut response = Response::new(Body::from("the page took too long"));
    *response.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    response
}

/// Maximum number of connections.
const CONNECTIONS: usize = 64;

/// Timeout of the head of a request, and of a connection without one.
const HEAD: Duration = Duration::from_secs(30);

/// Maximum size of the head of a request, in bytes.
const HEAD_SIZE: usize = 16 * 1024;

/// Timeout of a page.
const RESPONSE: Duration = Duration::from_secs(30);

/// Maximum duration of a connection.
const CONNECTION: Duration = Duration::from_secs(600);

/// Time until the next attempt to accept.
const PAUSE: Duration = Duration::from_millis(100);
