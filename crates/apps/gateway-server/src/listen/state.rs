//! The state that the two sides of a connection share: the guard that reads requests, and the responses being sent.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll};

use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use crate::listen::head::Refusal;
use crate::lock::lock;

/// The state of one connection, shared by its guard and its responses.
///
/// The HTTP library reads ahead, so the second request may be refused before the first is answered. A refusal is
/// therefore kept with the number of its request.
///
/// In HTTP/2, each stream also has one, below that of its connection.
#[derive(Debug)]
pub(crate) struct ConnectionState {
    peer: IpAddr,
    refusal: Mutex<Option<(u64, Refusal)>>,
    responding: AtomicU32,
    response_began: Mutex<Option<Instant>>,
    cut: OnceLock<Cut>,
    /// State of the connection, if this is the state of a stream.
    connection: Option<Arc<Self>>,
}

/// Why a response was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// The client acknowledged nothing for the stall timeout.
    Stall,
    /// The response took longer than the response timeout.
    ResponseTimeout,
    /// The drain timeout of a server that stops has passed.
    Drain,
    /// The client reset the stream, or closed the connection.
    Client,
}

impl ConnectionState {
    /// Creates the state of a connection that `peer` opened.
    pub(super) fn new(peer: IpAddr) -> Self {
        Self {
            peer,
            refusal: Mutex::default(),
            responding: AtomicU32::new(0),
            response_began: Mutex::default(),
            cut: OnceLock::new(),
            connection: None,
        }
    }

    /// Returns the address of the other end of the connection: a client or a proxy.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Creates the state of a stream of this connection.
    pub(super) fn of_stream(connection: &Arc<Self>) -> Self {
        Self { connection: Some(Arc::clone(connection)), ..Self::new(connection.peer) }
    }

    /// Returns why the response was cut, if it was. When the server cuts the connection, a stream may first see that it
    /// was reset.
    pub(crate) fn cut(&self) -> Option<Cut> {
        let own = self.cut.get().copied();
        let connection = || self.connection.as_ref()?.cut();
        if matches!(own, None | Some(Cut::Client)) { connection().or(own) } else { own }
    }

    /// Records that the responses of this state are about to be cut. The first cut counts.
    pub(super) fn cut_by(&self, cut: Cut) {
        self.cut.get_or_init(|| cut);
    }

    /// Returns why the request with this number is refused, if it is.
    pub(super) fn refusal(&self, request: u64) -> Option<Refusal> {
        let refusal = *lock(&self.refusal);
        refusal.filter(|(number, _)| *number == request).map(|(_, refusal)| refusal)
    }

    pub(super) fn refuse(&self, request: u64, refusal: Refusal) {
        *lock(&self.refusal) = Some((request, refusal));
    }

    /// Returns when the latest response began. If a response is being sent, it is this one.
    pub(super) fn response_began(&self) -> Option<Instant> {
        *lock(&self.response_began)
    }

    pub(super) fn is_responding(&self) -> bool {
        self.responding.load(Ordering::Relaxed) > 0
    }
}

/// A response that is being prepared or sent. Ends when it is dropped.
#[derive(Debug)]
pub(super) struct Responding(Arc<ConnectionState>);

impl Responding {
    pub(super) fn begin(state: &Arc<ConnectionState>) -> Self {
        state.responding.fetch_add(1, Ordering::Relaxed);
        *lock(&state.response_began) = Some(Instant::now());
        Self(Arc::clone(state))
    }

    /// Returns the body, which keeps the response from ending until it is sent or dropped.
    pub(super) fn until_sent<B>(self, body: B) -> RespondingBody<B> {
        RespondingBody { body, _responding: self }
    }
}

impl Drop for Responding {
    fn drop(&mut self) {
        self.0.responding.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of a response that is being sent.
#[derive(Debug)]
pub(super) struct RespondingBody<B> {
    body: B,
    _responding: Responding,
}

impl<B: Body + Unpin> Body for RespondingBody<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_of_the_connection_explains_the_reset_of_a_stream() {
        let connection = Arc::new(ConnectionState::new(IpAddr::from([127, 0, 0, 1])));
        let [reset, stalled, open] = [(); 3].map(|()| ConnectionState::of_stream(&connection));
        reset.cut_by(Cut::Client);
        stalled.cut_by(Cut::Stall);
        assert_eq!(
            [&reset, &stalled, &open].map(ConnectionState::cut),
            [Some(Cut::Client), Some(Cut::Stall), None]
        );
        connection.cut_by(Cut::Drain);
        assert_eq!(
            [&reset, &stalled, &open].map(ConnectionState::cut),
            [Some(Cut::Drain), Some(Cut::Stall), Some(Cut::Drain)]
        );
    }
}
