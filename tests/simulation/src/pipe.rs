//! A simulated connection: two streams of bytes that arrive late, in pieces, or not at all.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::{Buf, Bytes};
use hyper_util::client::legacy::connect::{Connected, Connection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// When bytes that are sent now arrive.
pub(crate) trait Road: Send + Sync {
    /// Returns the time of arrival.
    fn arrival(&self, sent: Instant) -> Instant;
}

/// How a direction of a connection fails: after this many bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Bytes that still arrive.
    pub(crate) after: usize,
    /// The result for the reader.
    pub(crate) kind: FaultKind,
}

/// The result for the reader of a failed direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// The end of the stream.
    End,
    /// A reset connection.
    Reset,
    /// Nothing more, ever.
    Silence,
}

/// One end of a connection.
pub(crate) struct Pipe {
    incoming: Arc<Direction>,
    outgoing: Arc<Direction>,
    timer: Option<Pin<Box<Sleep>>>,
}

/// Resets a connection.
#[derive(Clone)]
pub(crate) struct Breaker([Arc<Direction>; 2]);

struct Direction {
    road: Arc<dyn Road>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    queue: VecDeque<(Instant, Bytes)>,
    queued: usize,
    sent: usize,
    /// When the last bytes arrive. Later bytes do not overtake them.
    last: Option<Instant>,
    end: Option<(Instant, FaultKind)>,
    fault: Option<Fault>,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Pipe {
    /// Creates both ends of a connection, and a handle that resets it. `faults` are for the bytes from the first end
    /// and from the second.
    pub(crate) fn pair(
        roads: [Arc<dyn Road>; 2],
        faults: [Option<Fault>; 2],
    ) -> (Self, Self, Breaker) {
        let [there, back] = roads;
        let [fault_there, fault_back] = faults;
        let (there, back) = (Direction::new(there, fault_there), Direction::new(back, fault_back));
        let end = |incoming: &Arc<Direction>, outgoing: &Arc<Direction>| Self {
            incoming: Arc::clone(incoming),
            outgoing: Arc::clone(outgoing),
            timer: None,
        };
        let breaker = Breaker([Arc::clone(&there), Arc::clone(&back)]);
        (end(&back, &there), end(&there, &back), breaker)
    }
}

impl Breaker {
    /// Resets the connection now.
    pub(crate) fn reset(&self) {
        for direction in &self.0 {
            let mut state = direction.state();
            state.queue.clear();
            state.end = Some((Instant::now(), FaultKind::Reset));
            state.wake();
        }
    }
}

impl Direction {
    fn new(road: Arc<dyn Road>, fault: Option<Fault>) -> Arc<Self> {
        Arc::new(Self { road, state: Mutex::new(State { fault, ..State::default() }) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Ends the direction after everything that was sent.
    fn finish(&self, kind: FaultKind) {
        let at = self.road.arrival(Instant::now());
        let mut state = self.state();
        if state.end.is_none() {
            let at = state.last.map_or(at, |last| last.max(at));
            state.end = Some((at, kind));
            state.wake();
        }
    }
}

impl State {
    fn wake(&mut self) {
        for waker in [self.reader.take(), self.writer.take()].into_iter().flatten() {
            waker.wake();
        }
    }

    /// Takes bytes, at most as many as arrive before the fault.
    fn send(&mut self, bytes: &[u8], arrival: Instant) {
        let left = self.fault.map_or(usize::MAX, |fault| fault.after.saturating_sub(self.sent));
        self.sent += bytes.len();
        let arrival = self.last.map_or(arrival, |last| last.max(arrival));
        self.last = Some(arrival);
        let arriving = bytes.get(..left.min(bytes.len())).unwrap_or_default();
        if !arriving.is_empty() {
            self.queue.push_back((arrival, Bytes::copy_from_slice(arriving)));
            self.queued += arriving.len();
        }
        if let Some(fault) = self.fault.filter(|_| left <= bytes.len()) {
            self.end = self.end.or(Some((arrival, fault.kind)));
        }
        if let Some(reader) = self.reader.take() {
            reader.wake();
        }
    }
}

impl AsyncRead for Pipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        loop {
            let next = {
                let mut state = this.incoming.state();
                let now = Instant::now();
                if let Some((at, bytes)) = state.queue.front_mut() {
                    if *at <= now {
                        let length = bytes.len().min(buffer.remaining());
                        buffer.put_slice(bytes.get(..length).unwrap_or_default());
                        bytes.advance(length);
                        if bytes.is_empty() {
                            state.queue.pop_front();
                        }
                        state.queued -= length;
                        if let Some(writer) = state.writer.take() {
                            writer.wake();
                        }
                        return Poll::Ready(Ok(()));
                    }
                    Some(*at)
                } else {
                    match state.end {
                        Some((at, FaultKind::End)) if at <= now => return Poll::Ready(Ok(())),
                        Some((at, FaultKind::Reset)) if at <= now => {
                            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
                        }
                        Some((at, FaultKind::End | FaultKind::Reset)) => Some(at),
                        Some((_, FaultKind::Silence)) | None => None,
                    }
                }
            };
            this.incoming.state().reader = Some(context.waker().clone());
            let Some(next) = next else { return Poll::Pending };
            let timer = this.timer.get_or_insert_with(|| Box::pin(sleep_until(next)));
            timer.as_mut().reset(next);
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    }
}

impl AsyncWrite for Pipe {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        let arrival = self.outgoing.road.arrival(now);
        let mut state = self.outgoing.state();
        match state.end {
            Some((at, FaultKind::Reset | FaultKind::End)) if at <= now => {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            _ => {}
        }
        if state.queued >= WINDOW {
            state.writer = Some(context.waker().clone());
            return Poll::Pending;
        }
        let bytes = bytes.get(..SEGMENT.min(bytes.len())).unwrap_or_default();
        state.send(bytes, arrival);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.outgoing.finish(FaultKind::End);
        Poll::Ready(Ok(()))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        self.outgoing.finish(FaultKind::End);
        // A peer that still writes to this end gets a reset.
        let mut state = self.incoming.state();
        state.end = Some((Instant::now(), FaultKind::Reset));
        state.wake();
    }
}

impl Connection for Pipe {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// Bytes that may be under way in one direction.
const WINDOW: usize = 64 * 1024;

/// Maximum size of a part of a stream, in bytes.
const SEGMENT: usize = 4 * 1024;
