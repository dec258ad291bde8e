//! Serves HTTP/1.1 and HTTP/2 connections with `hyper`, with limits, timeouts and strict checks of request heads.
//!
//! A [`Listen`] accepts connections and passes each request to a [`Service`], together with the reason to refuse the
//! request, if any. Unless [`Limits::body`] permits small bodies, requests with a body are refused, so the bytes after
//! a request head can only be the next head.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod connection;
mod guard;
mod tls;

use std::convert::Infallible;
use std::future::Future;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use std::{error, io};

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use http::request::Parts;
use http::{Method, Request, Response, Version};
use http_body::Body;
use http_body_util::{BodyExt as _, Either, Empty, Limited};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use ipnet::IpNet;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::connection::State;
pub use crate::connection::{Connection, Connections, Cut, Share, Shares, address_key};
pub use crate::guard::Refusal;
pub use crate::tls::Acceptor;

/// Answers requests. Implement this for your server; all connections share one value.
pub trait Service: Send + Sync + 'static {
    /// The body of a response.
    type Body: Body<Data = Bytes, Error: Into<BoxError>> + Send + Unpin + 'static;

    /// Answers one request. If `refusal` is set, the response must refuse the request for that reason. Once the
    /// response has ended, [`Connection::cut`] returns why the server cut it off, if it did. If a body was accepted,
    /// the request's extensions contain a [`RequestBody`].
    fn answer(
        &self,
        request: &Parts,
        refusal: Option<Refusal>,
        connection: &Arc<Connection>,
    ) -> impl Future<Output = Response<Self::Body>> + Send;
}

type BoxError = Box<dyn error::Error + Send + Sync>;

/// The whole body of a request, at most [`Limits::body`] bytes.
#[derive(Clone, Debug)]
pub struct RequestBody(pub Bytes);

/// The phase of a server's shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Accepts connections and requests.
    Serving,
    /// Accepts no new connection and closes each open one after its current responses.
    Draining,
    /// Closes the connections that are still open.
    Cutting,
}

/// The limits and timeouts of a listener. A timeout ends the connection or the request that exceeds it.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Maximum number of open connections.
    pub connections: usize,
    /// Maximum number of open connections from one address; see [`address_key`]. Loopback addresses are not limited.
    pub connections_per_address: usize,
    /// Networks whose addresses are exempt from `connections_per_address`, such as the networks of proxies.
    pub unlimited: Vec<IpNet>,
    /// Whether a connection above `connections` waits in the operating system's queue instead of being refused.
    pub queue: bool,
    /// Maximum size of a POST request's body, in bytes. The request must declare the length. Zero refuses all bodies.
    pub body: usize,
    /// Timeout for a TLS handshake, for an HTTP/1.1 request head, and for a request body.
    pub head: Duration,
    /// How long a connection may stay open without a request.
    pub idle: Duration,
    /// How long a client may acknowledge none of the data sent to it. For HTTP/1.1, this works only on Linux.
    pub stall: Duration,
    /// Timeout for sending a whole response.
    pub response: Duration,
    /// Age at which a connection stops accepting requests.
    pub age: Duration,
}

/// Accepts connections and serves them with a [`Service`]. Use [`run`](Self::run) for a socket, and
/// [`serve`](Self::serve) for a connection of another kind.
#[derive(Debug)]
pub struct Listen<S> {
    service: Arc<S>,
    connections: Arc<Connections>,
    tls: Option<Arc<Acceptor>>,
    phase: watch::Receiver<Phase>,
}

impl<S: Service> Listen<S> {
    /// Waits until all connections are closed. Returns false if that takes longer than `within`. Call this once the
    /// listener no longer accepts connections.
    pub async fn closed(&self, within: Duration) -> bool {
        let all = u32::try_from(self.connections.limits.connections).unwrap_or(u32::MAX);
        timeout(within, self.connections.permits.acquire_many(all)).await.is_ok()
    }

    /// Creates a listener. With `tls`, all connections are encrypted.
    pub fn new(
        service: Arc<S>,
        connections: Arc<Connections>,
        tls: Option<Arc<Acceptor>>,
        phase: watch::Receiver<Phase>,
    ) -> Arc<Self> {
        Arc::new(Self { service, connections, tls, phase })
    }

    /// Accepts connections until the phase `end` begins, and serves each one in a separate task on the current runtime.
    pub async fn run(self: Arc<Self>, listener: TcpListener, end: Phase) {
        let mut phase = self.phase.clone();
        loop {
            let accept = async {
                if self.connections.limits.queue {
                    // The semaphore is never closed.
                    drop(self.connections.permits.acquire().await);
                }
                listener.accept().await
            };
            let accepted = tokio::select! {
                accepted = accept => accepted,
                _ = phase.wait_for(|phase| *phase >= end) => return,
            };
            let Ok((socket, address)) = accepted else {
                // Most likely, the process has no free file descriptor. The client waits in the operating system's
                // queue; without a pause, the loop would only burn CPU.
                sleep(ACCEPT_PAUSE).await;
                continue;
            };
            if let Some(connection) = self.connections.admit(address.ip()) {
                tokio::spawn(Arc::clone(&self).serve_socket(socket, connection));
            }
        }
    }

    async fn serve_socket(self: Arc<Self>, socket: TcpStream, connection: Arc<Connection>) {
        // Without these options, responses are merely delayed or cut off later, so a failure to set them is ignored.
        drop(socket.set_nodelay(true));
        let limits = &self.connections.limits;
        #[cfg(target_os = "linux")]
        drop(socket2::SockRef::from(&socket).set_tcp_user_timeout(Some(limits.stall)));
        let Some(tls) = &self.tls else { return self.serve_io(socket, connection).await };
        let mut phase = self.phase.clone();
        let accepted = tokio::select! {
            accepted = timeout(limits.head, tls.current().accept(socket)) => accepted,
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
        };
        if let Ok(Ok(stream)) = accepted {
            self.serve_io(stream, connection).await;
        }
    }

    /// Serves a connection without TLS until the connection ends. Use this for a connection that is not a socket.
    pub async fn serve<I>(self: Arc<Self>, io: I, peer: IpAddr)
    where
        I: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        if let Some(connection) = self.connections.admit(peer) {
            self.serve_io(io, connection).await;
        }
    }

    async fn serve_io<I>(self: Arc<Self>, io: I, connection: Arc<Connection>)
    where
        I: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let limits = &self.connections.limits;
        let answer = |request| Arc::clone(&self).respond(Arc::clone(&connection), request);
        let builder = self.builder();
        let mut served = pin!(builder.serve_connection(TokioIo::new(io), service_fn(answer)));
        let mut phase = self.phase.clone();
        phase.mark_changed();
        let opened = Instant::now();
        let mut closing = None;
        let mut timer = pin!(sleep_until(opened + limits.idle.min(SHORTEST)));
        loop {
            tokio::select! {
                // Polled in this order, so that a request that has already arrived is answered even while the server
                // drains.
                biased;
                ended = served.as_mut() => {
                    if ended.is_err_and(|error| is_timeout(&*error)) {
                        connection.cut_by(Cut::Stall);
                    }
                    return;
                }
                reached = phase.changed() => {
                    let phase = *phase.borrow_and_update();
                    if reached.is_err() || phase == Phase::Cutting {
                        return connection.cut_by(Cut::Drain);
                    }
                    if phase == Phase::Draining {
                        served.as_mut().graceful_shutdown();
                    }
                }
                () = timer.as_mut() => {
                    let now = Instant::now();
                    let State { open, since, .. } = *connection.state.lock();
                    let is_open = open > 0;
                    let end = since + match connection.refusal {
                        _ if is_open => limits.response + LATE,
                        Some(_) => REFUSED,
                        None => limits.idle,
                    };
                    if is_open && now >= end {
                        return connection.cut_by(Cut::ResponseTimeout);
                    }
                    if closing.is_some_and(|closed| !is_open && now >= closed) {
                        return;
                    }
                    if closing.is_none() && (now >= end || now >= opened + limits.age) {
                        served.as_mut().graceful_shutdown();
                        closing = Some(now + CLOSE);
                    }
                    let latest = now + limits.idle.max(SHORTEST);
                    timer.as_mut().reset(end.clamp(now + SHORTEST, latest));
                }
            }
        }
    }

    fn builder(&self) -> auto::Builder<Streams> {
        let limits = &self.connections.limits;
        let mut builder = auto::Builder::new(Streams(limits.response + SHORTEST));
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head.min(limits.idle))
            .half_close(true)
            .max_headers(FIELDS)
            .max_buf_size(BUFFER)
            .http2()
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADER_LIST)
            .max_send_buf_size(BUFFER)
            .keep_alive_interval(limits.stall)
            .keep_alive_timeout(limits.stall);
        builder
    }

    /// Answers one request.
    async fn respond(
        self: Arc<Self>,
        connection: Arc<Connection>,
        request: Request<Incoming>,
    ) -> Result<Response<impl Body<Data = Bytes, Error = BoxError> + use<S>>, Infallible> {
        let Limits { body: size, head: time, .. } = self.connections.limits;
        let open = connection.begin();
        let (mut head, body) = request.into_parts();
        let mut refusal = connection.refusal.or_else(|| guard::check(&head, &body).err());
        if refusal == Some(Refusal::Body)
            && head.method == Method::POST
            && !head.headers.contains_key(TRANSFER_ENCODING)
            && size > 0
            && let Ok(Ok(body)) = timeout(time, Limited::new(body, size).collect()).await
        {
            head.extensions.insert(RequestBody(body.to_bytes()));
            refusal = None;
        }
        let mut response = self.service.answer(&head, refusal, &connection).await;
        let length = response.body().size_hint().exact();
        // An HTTP/1.0 response without a length ends when the connection closes.
        let is_last = refusal.is_some() || (head.version == Version::HTTP_10 && length.is_none());
        if is_last && head.version < Version::HTTP_2 {
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if head.version == Version::HTTP_10 && response.headers().contains_key(CONNECTION) {
            // `hyper` adds `keep-alive` to an HTTP/1.1 response if the client asks for it.
            *response.version_mut() = Version::HTTP_10;
        }
        // In HTTP/2, `hyper` would send the body of a response to HEAD.
        let is_bodiless = head.method == Method::HEAD && head.version == Version::HTTP_2;
        if let (true, Some(length)) = (is_bodiless, length) {
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        Ok(response.map(|body| {
            if is_bodiless {
                return Either::Right(Empty::new());
            }
            // The response stays open until its body, and with it this closure, is dropped.
            Either::Left(body.map_err(move |error| {
                let _open = &open;
                error
            }))
        }))
    }
}

/// Runs each HTTP/2 stream in a task with a time limit, because `hyper` cannot end a single stream.
#[derive(Clone, Copy, Debug)]
struct Streams(Duration);

impl<F> Executor<F> for Streams
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    fn execute(&self, stream: F) {
        tokio::spawn(timeout(self.0, stream));
    }
}

/// Returns whether the operating system gave up on a client that acknowledged no data, or the client did not answer
/// pings.
fn is_timeout(error: &(dyn error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(|error| {
        error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_timeout)
            || error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
    })
}

/// Maximum number of header fields to read. More are read than accepted, so that most refusals can say what is wrong.
const FIELDS: usize = 256;

/// Maximum size of an HTTP/1.1 request head, and of the unsent part of a response, in bytes.
const BUFFER: usize = 64 * 1024;

/// Maximum size of a header list, as HTTP/2 counts it, in bytes.
const HEADER_LIST: u32 = 32 * 1024;

/// Maximum number of concurrent requests on an HTTP/2 connection. Each may be for a list, with two pages in memory.
const STREAMS: u32 = 32;

/// Pause after a failed accept.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Time for an idle connection to close after the start of its graceful shutdown.
const CLOSE: Duration = Duration::from_secs(2);

/// Time for a late response to end on its own before its connection is closed. On a busy machine, ending 32 streams
/// takes seconds.
const LATE: Duration = Duration::from_secs(5);

/// Time that a refused connection stays open after its response.
const REFUSED: Duration = Duration::from_secs(1);

/// Shortest interval between two checks of a connection.
const SHORTEST: Duration = Duration::from_millis(100);
