//! One connection, as its listener and its responses see it.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use crate::admission::{Counts, Share};
use crate::guard::Refusal;

/// One connection, shared by its listener and its responses. Its place is free again when this is dropped.
#[derive(Debug)]
pub struct Connection {
    pub(crate) peer: IpAddr,
    /// Unset if the connection is refused.
    pub(crate) counts: Option<Arc<Counts>>,
    pub(crate) _share: Option<Share<IpAddr>>,
    pub(crate) _permit: OwnedSemaphorePermit,
    pub(crate) state: Mutex<State>,
}

#[derive(Debug)]
pub(crate) struct State {
    /// Open responses.
    open: usize,
    /// When the last response began or ended.
    since: Instant,
    refusal: Option<Refusal>,
    cut: Option<Cut>,
}

impl State {
    pub(crate) fn new(refusal: Option<Refusal>) -> Mutex<Self> {
        Mutex::new(Self { open: 0, since: Instant::now(), refusal, cut: None })
    }
}

/// Why the responses of a connection were cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The client acknowledged nothing for too long.
    Stall,
    /// A response took too long.
    ResponseTimeout,
    /// The server stopped.
    Drain,
}

impl Connection {
    /// Returns the address of the other end: a client or a proxy.
    pub fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Returns why the responses were cut, if they were.
    pub fn cut(&self) -> Option<Cut> {
        self.state().cut
    }

    /// Records that the responses are about to be cut. The first cut counts.
    pub(crate) fn cut_by(&self, cut: Cut) {
        self.state().cut.get_or_insert(cut);
    }

    /// Returns why all requests of the connection are refused, if they are.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.state().refusal
    }

    pub(crate) fn refuse(&self, refusal: Refusal) {
        self.state().refusal.get_or_insert(refusal);
    }

    /// Returns whether a response is open, and when the last one began or ended.
    pub(crate) fn activity(&self) -> (bool, Instant) {
        let state = self.state();
        (state.open > 0, state.since)
    }

    /// Begins a response.
    pub(crate) fn begin(self: &Arc<Self>) -> Open {
        let mut state = self.state();
        state.open = state.open.saturating_add(1);
        state.since = Instant::now();
        Open(Arc::clone(self))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(counts) = &self.counts {
            counts.open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// A response that is being prepared or sent. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Open(Arc<Connection>);

impl Open {
    /// Returns the body, which keeps the response open until it is sent or dropped.
    pub(crate) fn until_sent<B>(self, body: Option<B>) -> Sending<B> {
        Sending { body, _open: self }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open = state.open.saturating_sub(1);
        state.since = Instant::now();
    }
}

/// The body of a response that is being sent.
#[derive(Debug)]
pub struct Sending<B> {
    // In this order: the connection is released after the body. Unset if the body is not sent.
    body: Option<B>,
    _open: Open,
}

impl<B: Body + Unpin> Body for Sending<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(context),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.body.as_ref().map_or_else(|| SizeHint::with_exact(0), Body::size_hint)
    }
}
