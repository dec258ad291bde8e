//! The layer between the socket and the HTTP library: passes on complete, well-formed heads, and enforces timeouts.

mod write;

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use std::{fmt, io};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use crate::listen::head::{self, HeadLimits, Refusal};
use crate::listen::linger::Linger;
use crate::listen::preface;
use crate::listen::stall::Stall;
use crate::listen::state::ConnectionState;

/// Timeouts of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    /// For receiving a complete request head, from its first byte.
    pub(crate) head: Duration,
    /// For the first byte of a request.
    pub(crate) idle: Duration,
    /// For a write during which the client acknowledges no byte.
    pub(crate) stall: Duration,
    /// For a whole response, until the client has accepted its last byte.
    pub(crate) response: Duration,
}

/// A socket as the HTTP library sees it.
///
/// In place of a refused head, the library reads [`SUBSTITUTE`]. So the same code writes the refusal, in the same order
/// as every other response. After a refusal nothing more is read.
pub(crate) struct Guard<S> {
    socket: S,
    limits: HeadLimits,
    timeouts: Timeouts,
    state: Arc<ConnectionState>,
    /// Bytes that have arrived and that the library has not read.
    buffer: Vec<u8>,
    /// Bytes at the start of `buffer` that the library may read.
    passed: usize,
    /// Number of heads passed on so far.
    heads: u64,
    refused: bool,
    skipped_empty_line: bool,
    /// Deadline of reading.
    deadline: Instant,
    reading: Reading,
    /// Created when the deadline is first waited for.
    timer: Option<Pin<Box<Sleep>>>,
    /// Runs while a write makes no progress.
    stall: Option<Stall>,
    closing: Closing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// Between two requests, or during a response.
    Between,
    /// In a head that is not complete.
    Head,
    /// The library has seen the end of the stream, but the client is only silent.
    Parked,
}

/// How far the connection is closed.
enum Closing {
    No,
    Lingering(Linger),
    Done,
}

impl<S> Guard<S> {
    pub(crate) fn new(
        socket: S,
        limits: HeadLimits,
        timeouts: Timeouts,
        state: Arc<ConnectionState>,
    ) -> Self {
        Self {
            socket,
            limits,
            timeouts,
            state,
            buffer: Vec::new(),
            passed: 0,
            heads: 0,
            refused: false,
            skipped_empty_line: false,
            deadline: Instant::now() + timeouts.idle,
            reading: Reading::Between,
            timer: None,
            stall: None,
            closing: Closing::No,
        }
    }

    /// Returns the state that the guard shares with the responses.
    pub(crate) fn state(&self) -> Arc<ConnectionState> {
        Arc::clone(&self.state)
    }

    /// Refuses the first request without reading it.
    pub(crate) fn refuse(mut self, refusal: Refusal) -> Self {
        self.substitute(refusal);
        self
    }

    /// Passes on the next head if it is complete and valid, or refuses it.
    fn check(&mut self) {
        if self.refused || self.passed > 0 {
            return;
        }
        if !self.skipped_empty_line {
            match head::skip_empty_line(&self.buffer) {
                ControlFlow::Break(()) => return,
                ControlFlow::Continue(length) => {
                    self.buffer.drain(..length);
                    self.skipped_empty_line = true;
                    if self.buffer.is_empty() {
                        // The empty line ends the previous request and does not begin a head: stop the timeout.
                        self.buffer = Vec::new();
                        self.reading = Reading::Between;
                        self.deadline = Instant::now() + PARK;
                        return;
                    }
                }
            }
        }
        match head::complete(&self.buffer, self.limits) {
            Ok(None) => {}
            Ok(Some(length)) => {
                let head = self.buffer.get(..length).unwrap_or_default();
                match head::check(head, self.limits) {
                    Ok(()) => self.pass(length),
                    Err(Refusal::Body) => {
                        self.state.refuse(self.heads, Refusal::Body);
                        self.pass(length);
                        self.buffer.truncate(length);
                        self.refused = true;
                    }
                    Err(refusal) => self.substitute(refusal),
                }
            }
            Err(refusal) => self.substitute(refusal),
        }
    }

    fn pass(&mut self, length: usize) {
        self.passed = length;
        self.heads += 1;
        self.reading = Reading::Between;
        self.skipped_empty_line = false;
        self.deadline = Instant::now() + PARK;
    }

    fn begin_head(&mut self) {
        self.reading = Reading::Head;
        self.deadline = Instant::now() + self.timeouts.head;
    }

    /// Returns whether the library stopped only because the client was silent, and may be started again.
    pub(crate) fn is_parked(&self) -> bool {
        self.reading == Reading::Parked
    }

    fn substitute(&mut self, refusal: Refusal) {
        self.state.refuse(self.heads, refusal);
        // After `HEAD`, a client reads no body (RFC 9110 section 9.3.2).
        let method: &[u8] = if self.buffer.starts_with(b"HEAD ") { b"HEAD" } else { b"GET" };
        self.buffer = [method, SUBSTITUTE].concat();
        self.pass(self.buffer.len());
        self.refused = true;
    }

    /// Completes when the deadline of reading has passed.
    ///
    /// The deadline moves with every response and every piece of a list, but the timer is only set again when it has
    /// expired. A reset for each of them would wake the thread that waits for the next timer.
    fn poll_deadline(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let deadline = self.deadline;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(deadline)));
        if timer.deadline() > deadline {
            timer.as_mut().reset(deadline);
        }
        while timer.as_mut().poll(context).is_ready() {
            if timer.deadline() >= deadline {
                return Poll::Ready(());
            }
            timer.as_mut().reset(deadline);
        }
        Poll::Pending
    }

    fn give(&mut self, out: &mut ReadBuf<'_>) {
        let length = self.passed.min(out.remaining());
        out.put_slice(self.buffer.get(..length).unwrap_or_default());
        self.passed -= length;
        self.buffer.drain(..length);
        if self.buffer.is_empty() {
            // An idle connection holds no buffer.
            self.buffer = Vec::new();
        } else if self.passed == 0 {
            self.begin_head();
        }
    }
}

impl<S: AsyncRead + Unpin> Guard<S> {
    /// Waits, outside the library, for the first byte of a request. Returns false if none arrives.
    pub(crate) fn poll_request(&mut self, context: &mut Context<'_>) -> Poll<bool> {
        if self.reading == Reading::Parked {
            self.reading = Reading::Between;
            self.deadline = Instant::now() + self.timeouts.idle;
        }
        if self.buffer.is_empty() {
            return match self.poll_fill(context) {
                Poll::Ready(filled) => Poll::Ready(filled.is_ok_and(|length| length > 0)),
                // Idle for too long: closed without a response, as is usual.
                Poll::Pending => self.poll_deadline(context).map(|()| false),
            };
        }
        Poll::Ready(true)
    }

    /// Waits, outside the library, until the protocol is known. Returns whether it is HTTP/2, or `None` if no byte
    /// arrives.
    pub(crate) fn poll_protocol(&mut self, context: &mut Context<'_>) -> Poll<Option<bool>> {
        loop {
            if let Some(is_http2) = preface::is_http2(&self.buffer) {
                return Poll::Ready(Some(is_http2));
            }
            let is_more = match self.poll_fill(context) {
                Poll::Ready(filled) => filled.is_ok_and(|length| length > 0),
                Poll::Pending => {
                    ready!(self.poll_deadline(context));
                    false
                }
            };
            if !is_more {
                // A part of a preface is answered as HTTP/1.1 is: it did not arrive in time.
                return Poll::Ready((!self.buffer.is_empty()).then_some(false));
            }
        }
    }

    /// Returns the socket, and the bytes that have arrived.
    pub(crate) fn into_parts(self) -> (S, Vec<u8>) {
        (self.socket, self.buffer)
    }

    /// Reads the bytes that have arrived. The timeout of a head starts with its first byte.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut space = [std::mem::MaybeUninit::uninit(); READ];
        let mut space = ReadBuf::uninit(&mut space);
        ready!(Pin::new(&mut self.socket).poll_read(context, &mut space))?;
        let length = space.filled().len();
        if length > 0 && self.reading != Reading::Head {
            self.begin_head();
        }
        self.buffer.extend_from_slice(space.filled());
        Poll::Ready(Ok(length))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Guard<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            this.check();
            if this.passed > 0 {
                this.give(out);
                return Poll::Ready(Ok(()));
            }
            if this.refused {
                // The response says `Connection: close`: bytes that follow are not a request.
                return Poll::Pending;
            }
            match this.poll_fill(context) {
                Poll::Ready(Ok(0)) => return Poll::Ready(Ok(())),
                Poll::Ready(Ok(_)) => {}
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    ready!(this.poll_deadline(context));
                    let writing = this.stall.is_some();
                    if this.reading == Reading::Head && !writing {
                        this.substitute(Refusal::Timeout);
                    } else if writing || this.state.is_responding() {
                        this.deadline = Instant::now() + LOOK_AGAIN;
                    } else {
                        // Report the end of the stream, so that the library stops and frees its buffers.
                        this.reading = Reading::Parked;
                        return Poll::Ready(Ok(()));
                    }
                }
            }
        }
    }
}

impl<S> fmt::Debug for Guard<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("heads", &self.heads).finish_non_exhaustive()
    }
}

/// Request that the library reads in place of a refused head, after its method.
const SUBSTITUTE: &[u8] = b" / HTTP/1.1\r\nhost: refused\r\nconnection: close\r\n\r\n";

/// Silence after a response, until the connection is taken away from the library, whose buffers are most of its cost.
/// Short, because clients send the next request either immediately or much later, and restarting the library takes
/// microseconds.
const PARK: Duration = Duration::from_millis(10);

/// Interval of checks whether a response is still being sent. Until then the connection is not parked.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// Maximum number of bytes in one read from the socket.
const READ: usize = 4 * 1024;
