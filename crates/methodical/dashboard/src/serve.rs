//! Accepts connections, with limits of time and number.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tower_service::Service as _;

use crate::shared::Shared;

/// Serves connections until `stop` changes or its sender is dropped.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    shared: &Arc<Shared>,
    mut stop: watch::Receiver<bool>,
) {
    let (mut connections, mut strangers) = (JoinSet::new(), Strangers::default());
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.changed() => return,
            Some(_) = connections.join_next() => continue,
        };
        let Ok((stream, _)) = accepted else {
            // Too many open files, for example: wait until one is closed.
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        while connections.len() >= CONNECTIONS {
            strangers.close_oldest();
            tokio::select! {
                _ = stop.changed() => return,
                _ = connections.join_next() => {}
            }
        }
        let is_reader = Arc::new(AtomicBool::new(false));
        let serving = connection(stream, app.clone(), Arc::clone(shared), Arc::clone(&is_reader));
        strangers.add(connections.spawn(serving), is_reader);
    }
}

/// The connections that have not sent the cookie of the session yet, the oldest one first. If there are too many connections,
/// these are closed: others on this machine cannot keep the reader out.
#[derive(Default)]
struct Strangers(VecDeque<(AbortHandle, Arc<AtomicBool>)>);

impl Strangers {
    fn add(&mut self, task: AbortHandle, is_reader: Arc<AtomicBool>) {
        self.0
            .retain(|(task, is_reader)| !task.is_finished() && !is_reader.load(Ordering::Relaxed));
        self.0.push_back((task, is_reader));
    }

    fn close_oldest(&mut self) {
        while let Some((task, is_reader)) = self.0.pop_front() {
            if !task.is_finished() && !is_reader.load(Ordering::Relaxed) {
                return task.abort();
            }
        }
    }
}

/// Serves a connection. Its failures concern only its peer.
async fn connection(
    stream: TcpStream,
    app: Router,
    shared: Arc<Shared>,
    is_reader: Arc<AtomicBool>,
) {
    let service = service_fn(|request: Request<Incoming>| {
        let mut app = app.clone();
        if shared.access.has_session(request.headers()) {
            is_reader.store(true, Ordering::Relaxed);
        }
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
const CONNECTIONS: usize = 256;

/// Timeout of the head of a request, and of a connection without one.
const HEAD: Duration = Duration::from_secs(10);

/// Maximum size of the head of a request, in bytes.
const HEAD_SIZE: usize = 16 * 1024;

/// Timeout of a page.
const RESPONSE: Duration = Duration::from_secs(30);

/// Maximum duration of a connection.
const CONNECTION: Duration = Duration::from_secs(600);

/// Time until the next attempt to accept.
const PAUSE: Duration = Duration::from_millis(100);
