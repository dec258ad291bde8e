//! Listening: an accept loop with limits and timeouts that the HTTP library does not have.

pub(crate) mod connections;
pub(crate) mod guard;
pub(crate) mod head;
mod http2;
mod linger;
#[cfg(feature = "test-util")]
mod not_a_socket;
pub(crate) mod phase;
mod preface;
pub(crate) mod service;
pub(crate) mod slots;
mod socket;
mod stall;
pub(crate) mod state;
pub(crate) mod threads;
pub(crate) mod tls;

use std::convert::Infallible;
use std::future::poll_fn;
#[cfg(feature = "test-util")]
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use self::guard::{Guard, Timeouts};
use self::head::{HeadLimits, Refusal};
use self::http2::Http2;
#[cfg(feature = "test-util")]
use self::not_a_socket::NotASocket;
use self::phase::Phase;
use self::service::Service;
use self::slots::{Slot, Slots};
use self::socket::Socket;
use self::state::{ConnectionState, Cut, Responding};
use self::threads::ServingThreads;

/// A listener and everything its connections share.
#[derive(Debug)]
pub(crate) struct Listen<S> {
    pub(crate) service: Arc<S>,
    pub(crate) head_limits: HeadLimits,
    pub(crate) timeouts: Timeouts,
    pub(crate) slots: Arc<Slots>,
    pub(crate) tls: Option<Arc<tls::Acceptor>>,
    pub(crate) phase: watch::Receiver<Phase>,
}

impl<S: Service> Listen<S> {
    /// Accepts connections until the server drains, and serves them on `threads`.
    pub(crate) async fn run(self: Arc<Self>, listener: TcpListener, threads: ServingThreads) {
        let mut phase = self.phase.clone();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
            };
            match accepted {
                Ok((socket, address)) => {
                    if let Some(slot) = self.slots.admit(address.ip()).await {
                        self.spawn(socket, slot, &threads);
                    }
                }
                // Most likely out of file descriptors. The client waits in the queue of the system; without a pause
                // the loop would only burn CPU.
                Err(_error) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn spawn(self: &Arc<Self>, socket: TcpStream, slot: Arc<Slot>, threads: &ServingThreads) {
        // Without this option responses are only delayed, so a failure is ignored.
        drop(socket.set_nodelay(true));
        let listen = Arc::clone(self);
        let serve = async move |socket| {
            tokio::select! {
                biased;
                () = slot.evicted() => {}
                () = listen.serve_slot(socket, &slot) => {}
            }
        };
        // A failure closes the socket: the system has no more room for connections.
        drop(threads.serve(socket, serve));
    }

    /// Serves a connection that is not a socket, without TLS.
    #[cfg(feature = "test-util")]
    pub(crate) async fn serve_any<T>(self: Arc<Self>, connection: T, peer: IpAddr)
    where
        T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let Some(slot) = self.slots.admit(peer).await else { return };
        let guard = self.guard(NotASocket(connection), ConnectionState::new(slot.peer()));
        tokio::select! {
            biased;
            () = slot.evicted() => {}
            () = self.serve_http1(guard, &slot) => {}
        }
    }

    async fn serve_slot(&self, socket: TcpStream, slot: &Slot) {
        // A silent connection costs a few hundred bytes: the rest is allocated after its first byte.
        let first = if slot.refusal().is_none() { self.first_byte(&socket).await } else { None };
        if slot.refusal().is_some() || first.is_some() {
            // Two statements: in one, every task would have room for the unboxed future.
            let served = Box::pin(self.serve_socket(socket, slot, first));
            served.await;
        }
    }

    /// Waits for the first byte. Returns `None` if it does not arrive in time or before the server drains.
    async fn first_byte(&self, socket: &TcpStream) -> Option<u8> {
        let mut first = [0];
        let mut phase = self.phase.clone();
        tokio::select! {
            // `peek` and not `readable`, which also completes when there is nothing to read.
            peeked = tokio::time::timeout(self.timeouts.idle, socket.peek(&mut first)) => {
                matches!(peeked, Ok(Ok(1..))).then_some(first[0])
            }
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => None,
        }
    }

    async fn serve_socket(&self, socket: TcpStream, slot: &Slot, first: Option<u8>) {
        match &self.tls {
            None => self.serve_plain(socket, slot).await,
            Some(_) if first.is_some_and(|first| first.is_ascii_alphabetic()) => {
                // The first byte of a handshake is not a letter, and that of a request is.
                let guard = self.guard(socket, ConnectionState::new(slot.peer()));
                let refused = Box::pin(self.serve_http1(guard.refuse(Refusal::NotEncrypted), slot));
                refused.await;
            }
            Some(tls) => {
                let encrypted = Box::pin(async {
                    // The handshake has the same timeout as a request head.
                    let Some(stream) = tls.accept(socket, self.timeouts.head).await else { return };
                    if tls::is_http2(&stream) {
                        self.http2(slot).serve(stream, Vec::new()).await;
                    } else {
                        let state = ConnectionState::new(slot.peer());
                        self.serve_http1(self.guard(stream, state), slot).await;
                    }
                });
                encrypted.await;
            }
        }
    }

    /// Serves the protocol that the first bytes show.
    async fn serve_plain(&self, socket: TcpStream, slot: &Slot) {
        let state = ConnectionState::new(slot.peer());
        let mut guard = self.guard(socket, state);
        let mut phase = self.phase.clone();
        let is_http2 = tokio::select! {
            biased;
            is_http2 = poll_fn(|context| guard.poll_protocol(context)) => is_http2,
            // A refusal waits for nothing.
            () = std::future::ready(()), if slot.refusal().is_some() => Some(false),
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => None,
        };
        match is_http2 {
            None => {}
            Some(false) => self.serve_http1(guard, slot).await,
            Some(true) => {
                let (socket, early) = guard.into_parts();
                // Boxed, and in two statements: a connection of HTTP/1.1 reserves no room for it.
                let served = Box::pin(self.http2(slot).serve(socket, early));
                served.await;
            }
        }
    }

    fn guard<T>(&self, socket: T, state: ConnectionState) -> Guard<T> {
        Guard::new(socket, self.head_limits, self.timeouts, Arc::new(state))
    }

    fn http2<'a>(&self, slot: &'a Slot) -> Http2<'a, S> {
        Http2 {
            service: Arc::clone(&self.service),
            head_limits: self.head_limits,
            timeouts: self.timeouts,
            slot,
            phase: self.phase.clone(),
        }
    }

    async fn serve_http1<T>(&self, mut guard: Guard<T>, slot: &Slot)
    where
        T: Socket + AsyncRead + AsyncWrite + Unpin,
    {
        let state = guard.state();
        if let Some(refusal) = slot.refusal() {
            guard = guard.refuse(refusal);
        }
        let count = AtomicU64::new(0);
        let mut phase = self.phase.clone();
        loop {
            let has_request = tokio::select! {
                // In this order: a request that has arrived is answered even while the server drains.
                biased;
                has_request = poll_fn(|context| guard.poll_request(context)) => has_request,
                _ = phase.wait_for(|phase| *phase >= Phase::Draining), if slot.refusal().is_none() => false,
            };
            if !has_request {
                return;
            }
            // Boxed, and in two statements: a silent connection reserves no room for the library.
            let requests = Box::pin(self.requests(guard, slot, &state, &count));
            let Some(silent) = requests.await else { return };
            guard = silent;
            slot.wait();
        }
    }

    /// Answers requests until the client is silent. Returns the connection if it can be used again.
    async fn requests<T>(
        &self,
        guard: Guard<T>,
        slot: &Slot,
        state: &Arc<ConnectionState>,
        count: &AtomicU64,
    ) -> Option<Guard<T>>
    where
        T: Socket + AsyncRead + AsyncWrite + Unpin,
    {
        let service = service_fn(|request: Request<Incoming>| {
            let refusal = state.refusal(count.fetch_add(1, Ordering::Relaxed));
            let responding = Responding::begin(state);
            let (head, _body) = request.into_parts();
            // Boxed: the library reserves room for this future in every connection, even when none is running.
            let is_evicted = !slot.begin();
            Box::pin(async move {
                if is_evicted {
                    // The connection is about to be closed.
                    return std::future::pending().await;
                }
                let response = self.service.answer(&head, refusal, state).await;
                Ok::<_, Infallible>(response.map(|body| responding.until_sent(body)))
            })
        });
        let mut connection = http1::Builder::new()
            .half_close(true)
            .max_buf_size(WRITE_BUFFER)
            .writev(true)
            .serve_connection(TokioIo::new(guard), service);
        let mut phase = self.phase.clone();
        phase.mark_changed();
        loop {
            tokio::select! {
                ended = poll_fn(|context| connection.poll_without_shutdown(context)) => {
                    // The recorders of the requests know how the connection ended.
                    ended.ok()?;
                    break;
                }
                reached = phase.changed() => {
                    let phase = *phase.borrow_and_update();
                    if reached.is_err() || phase == Phase::Cutting {
                        state.cut_by(Cut::Drain);
                        return None;
                    }
                    if phase == Phase::Draining {
                        Pin::new(&mut connection).graceful_shutdown();
                    }
                }
            }
        }
        let mut guard = connection.into_parts().io.into_inner();
        if guard.is_parked() {
            return Some(guard);
        }
        drop(poll_fn(|context| Pin::new(&mut guard).poll_shutdown(context)).await);
        None
    }
}

/// Unsent bytes of a response at which the HTTP library stops asking for more. Also more than the largest head, which
/// the library receives whole.
const WRITE_BUFFER: usize = 32 * 1024;

/// Pause after a failed accept.
pub(crate) const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
