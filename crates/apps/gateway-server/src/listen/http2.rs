//! HTTP/2 (RFC 9113): the requests of one connection, each on its own stream.
//!
//! This module uses the library `h2` without the layer of `hyper`, which can neither reset a single stream nor see why
//! a stream waits.

mod exchange;
mod frames;
mod head;
mod limits;
mod signs;
mod wire;

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use h2::server::{Connection, SendResponse};
use h2::{Ping, PingPong, Reason, RecvStream};
use http::Request;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use self::exchange::{Ended, Exchange};
use self::limits::{CLOSE, RESETS, SHORTEST_TICK, TICKS};
use self::signs::Signs;
use self::wire::Wire;
use crate::listen::guard::Timeouts;
use crate::listen::head::HeadLimits;
use crate::listen::phase::Phase;
use crate::listen::service::Service;
use crate::listen::slots::Slot;
use crate::listen::socket::Socket;
use crate::listen::state::{ConnectionState, Cut};

/// Everything that a connection of HTTP/2 shares with the listener.
pub(super) struct Http2<'a, S> {
    pub(super) service: Arc<S>,
    pub(super) head_limits: HeadLimits,
    pub(super) timeouts: Timeouts,
    /// The slot of the connection. Each concurrent request beyond the first needs a permit.
    pub(super) slot: &'a Slot,
    pub(super) phase: watch::Receiver<Phase>,
}

impl<S: Service> Http2<'_, S> {
    /// Answers requests until the connection ends. `early` has the bytes that have already arrived.
    pub(super) async fn serve<T>(self, socket: T, early: Vec<u8>)
    where
        T: Socket + AsyncRead + AsyncWrite + Unpin,
    {
        let state = Arc::new(ConnectionState::new(self.slot.peer()));
        let signs = Arc::new(Signs::new());
        let (timeouts, mut phase) = (self.timeouts, self.phase.clone());
        let wire = Wire::new(socket, early, timeouts, Arc::clone(&state), Arc::clone(&signs));
        let handshake = timeout(timeouts.head, limits::builder().handshake::<_, Bytes>(wire));
        let connection = tokio::select! {
            biased;
            connection = handshake => connection,
            _ = phase.wait_for(|phase| *phase >= Phase::Draining) => return,
        };
        if let Ok(Ok(mut connection)) = connection {
            let idle_since = Instant::now();
            let mut serving = Serving {
                http2: self,
                pings: connection.ping_pong(),
                timer: Box::pin(sleep_until(idle_since)),
                connection,
                state,
                signs,
                exchanges: JoinSet::new(),
                idle_since,
                closing: None,
                answered: 0,
                resets: 0,
            };
            serving.run(phase).await;
            // After this, the log has the end of every response.
            serving.exchanges.shutdown().await;
        }
    }
}

/// A connection whose preface has arrived.
struct Serving<'a, S, T> {
    http2: Http2<'a, S>,
    connection: Connection<Wire<T>, Bytes>,
    pings: Option<PingPong>,
    /// Fires at the next tick.
    timer: Pin<Box<Sleep>>,
    state: Arc<ConnectionState>,
    signs: Arc<Signs>,
    exchanges: JoinSet<Ended>,
    /// When the last exchange ended.
    idle_since: Instant,
    /// When the connection is closed at the latest, if the server has ended it.
    closing: Option<Instant>,
    answered: u64,
    resets: u64,
}

/// A request, and the handle for its response.
type Accepted = (Request<RecvStream>, SendResponse<Bytes>);

/// Why no request follows.
enum Ending {
    /// The connection has to be closed, for this reason.
    Close(Reason),
    Closed,
}

impl<S, T> Serving<'_, S, T>
where
    S: Service,
    T: Socket + AsyncRead + AsyncWrite + Unpin,
{
    async fn run(&mut self, mut phase: watch::Receiver<Phase>) {
        phase.mark_changed();
        loop {
            let is_closing = self.closing.is_some();
            let is_done = self.exchanges.is_empty() && self.is_ending();
            let (connection, signs, slot) = (&mut self.connection, &self.signs, self.http2.slot);
            let pings = &mut self.pings;
            let next = poll_fn(|context| {
                if let Some(pings) = pings {
                    // After an answer, the library accepts the next ping.
                    let _answer = pings.poll_pong(context);
                }
                let next = poll_next(connection, context, signs, slot, is_done);
                // The reason to close it stays.
                let is_old = is_closing && matches!(next, Poll::Ready(Err(Ending::Close(_))));
                if is_old { Poll::Pending } else { next }
            });
            tokio::select! {
                biased;
                Some(ended) = self.exchanges.join_next() => self.ended(ended.ok()),
                next = next => match next {
                    Ok((request, respond)) => self.begin(request, respond),
                    Err(Ending::Close(reason)) => self.close(reason),
                    Err(Ending::Closed) => return,
                },
                reached = phase.changed() => {
                    let phase = *phase.borrow_and_update();
                    if reached.is_err() || phase == Phase::Cutting {
                        self.state.cut_by(Cut::Drain);
                        return;
                    }
                    if phase == Phase::Draining {
                        self.signs.set_draining();
                        self.connection.graceful_shutdown();
                    }
                }
                () = self.timer.as_mut() => {
                    if self.tick() {
                        return;
                    }
                }
            }
        }
    }

    /// Closes an idle connection, and sends a ping to a silent client that takes a response. Returns true if the connection
    /// took too long to close.
    fn tick(&mut self) -> bool {
        let now = Instant::now();
        if let Some(closed) = self.closing {
            self.timer.as_mut().reset(closed);
            return now >= closed;
        }
        let Timeouts { idle, stall, .. } = self.http2.timeouts;
        if !self.exchanges.is_empty() {
            if let (Some(pings), true) = (&mut self.pings, now >= self.signs.heard() + stall / 2) {
                // Fails while the answer to the previous one is awaited.
                let _sent = pings.send_ping(Ping::opaque());
            }
        } else if self.connection.has_streams() || self.signs.is_blocked() {
            // The end of a response is still being sent.
            self.idle_since = now;
        } else if now >= self.idle_since + idle {
            self.close(Reason::NO_ERROR);
            return false;
        }
        let next = now + idle.min(stall) / TICKS;
        self.timer.as_mut().reset(next.min(self.idle_since + idle).max(now + SHORTEST_TICK));
        false
    }

    /// Begins to answer a request.
    fn begin(&mut self, request: Request<RecvStream>, respond: SendResponse<Bytes>) {
        let (head, body) = request.into_parts();
        let checked = head::check(&head, !body.is_end_stream(), self.http2.head_limits);
        let slot = self.http2.slot;
        let mut refusal = slot.refusal().or_else(|| checked.err());
        let mut permit = None;
        if self.exchanges.is_empty() {
            // This request has the permit of the connection.
            if !slot.begin() {
                return;
            }
        } else if refusal.is_none() {
            match slot.one_more() {
                Ok(more) => permit = Some(more),
                Err(limit) => refusal = Some(limit),
            }
        }
        let exchange = Exchange {
            service: Arc::clone(&self.http2.service),
            head,
            refusal,
            respond,
            state: Arc::new(ConnectionState::of_stream(&self.state)),
            signs: Arc::clone(&self.signs),
            timeouts: self.http2.timeouts,
        };
        self.exchanges.spawn(async move {
            let ended = exchange.run().await;
            drop(permit);
            ended
        });
    }

    /// Counts an exchange that has ended. `None` means that it panicked.
    fn ended(&mut self, ended: Option<Ended>) {
        self.idle_since = Instant::now();
        match ended {
            Some(Ended::ByClient) => self.resets += 1,
            Some(Ended::Answered) | None => self.answered += 1,
        }
        if self.resets > RESETS.max(self.answered) {
            self.close(Reason::ENHANCE_YOUR_CALM);
        }
    }

    /// Returns whether the connection only has to send the responses in progress.
    fn is_ending(&self) -> bool {
        self.signs.is_draining() || (self.http2.slot.refusal().is_some() && self.answered > 0)
    }

    /// Sends a last frame and closes the connection.
    fn close(&mut self, reason: Reason) {
        if self.closing.is_none() {
            self.connection.abrupt_shutdown(reason);
            let closed = Instant::now() + CLOSE;
            self.closing = Some(closed);
            self.timer.as_mut().reset(closed);
        }
    }
}

/// Waits for the next request, and drives all streams of the connection meanwhile.
fn poll_next<T>(
    connection: &mut Connection<Wire<T>, Bytes>,
    context: &mut Context<'_>,
    signs: &Signs,
    slot: &Slot,
    is_done: bool,
) -> Poll<Result<Accepted, Ending>>
where
    T: Socket + AsyncRead + AsyncWrite + Unpin,
{
    match connection.poll_accept(context) {
        Poll::Ready(Some(Ok(accepted))) => return Poll::Ready(Ok(accepted)),
        // The recorders of the requests know how the connection ended.
        Poll::Ready(Some(Err(_)) | None) => return Poll::Ready(Err(Ending::Closed)),
        Poll::Pending => {}
    }
    if let Some(reason) = signs.violation() {
        return Poll::Ready(Err(Ending::Close(reason)));
    }
    if !connection.has_streams() && !signs.is_blocked() {
        if is_done {
            return Poll::Ready(Err(Ending::Close(Reason::NO_ERROR)));
        }
        if slot.refusal().is_none() {
            slot.wait();
        }
    }
    Poll::Pending
}
