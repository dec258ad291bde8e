//! One connection, as its listener and its responses see it.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::admission::Slot;
use crate::guard::Refusal;

/// One connection, shared by its listener and its responses.
#[derive(Debug)]
pub struct Connection {
    slot: Slot,
    refusal: OnceLock<Refusal>,
    cut: OnceLock<Cut>,
    activity: Mutex<Activity>,
}

#[derive(Debug)]
struct Activity {
    open: usize,
    /// When the last response began or ended.
    since: Instant,
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
    pub(crate) fn new(slot: Slot, refusal: Option<Refusal>) -> Arc<Self> {
        let activity = Mutex::new(Activity { open: 0, since: Instant::now() });
        Arc::new(Self {
            slot,
            refusal: refusal.map_or_else(OnceLock::new, OnceLock::from),
            cut: OnceLock::new(),
            activity,
        })
    }

    /// Returns the address of the other end: a client or a proxy.
    pub fn peer(&self) -> IpAddr {
        self.slot.peer()
    }

    /// Returns why the responses were cut, if they were.
    pub fn cut(&self) -> Option<Cut> {
        self.cut.get().copied()
    }

    /// Records that the responses are about to be cut. The first cut counts.
    pub(crate) fn cut_by(&self, cut: Cut) {
        self.cut.get_or_init(|| cut);
    }

    /// Returns why all requests of the connection are refused, if they are.
    pub(crate) fn refusal(&self) -> Option<Refusal> {
        self.refusal.get().copied()
    }

    pub(crate) fn refuse(&self, refusal: Refusal) {
        self.refusal.get_or_init(|| refusal);
    }

    /// Returns whether a response is open, and when the last one began or ended.
    pub(crate) fn activity(&self) -> (bool, Instant) {
        let activity = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        (activity.open > 0, activity.since)
    }

    /// Begins a response.
    pub(crate) fn begin(self: &Arc<Self>) -> Open {
        self.change(|open| open + 1);
        Open(Arc::clone(self))
    }

    fn change(&self, open: impl FnOnce(usize) -> usize) {
        let mut activity = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        *activity = Activity { open: open(activity.open), since: Instant::now() };
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
        self.0.change(|open| open.saturating_sub(1));
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
