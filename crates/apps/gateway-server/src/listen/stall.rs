//! Detection of a client that accepts nothing, while a write waits.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use crate::listen::socket::Socket;
use crate::listen::state::Cut;

/// A write that makes no progress.
///
/// A pending write alone does not show a stall: the system buffers megabytes, and accepts more only when a third of
/// them are sent. So the acknowledged bytes are counted.
pub(super) struct Stall {
    /// Time of the next look at what the client has acknowledged.
    timer: Pin<Box<Sleep>>,
    acknowledged: Option<u64>,
    /// Time at which the last acknowledgement was seen, or at which the write began.
    since: Instant,
}

impl Stall {
    pub(super) fn begin<S: Socket>(
        socket: &S,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Self {
        let since = Instant::now();
        let timer = Box::pin(sleep_until(next_look(since, timeout, deadline)));
        Self { timer, acknowledged: socket.acknowledged(), since }
    }

    /// Completes when the client has acknowledged nothing for `timeout`, or at `deadline`.
    pub(super) fn poll<S: Socket>(
        &mut self,
        context: &mut Context<'_>,
        socket: &S,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Poll<Cut> {
        loop {
            ready!(self.timer.as_mut().poll(context));
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Poll::Ready(Cut::ResponseTimeout);
            }
            let acknowledged = socket.acknowledged();
            if acknowledged != self.acknowledged {
                (self.acknowledged, self.since) = (acknowledged, now);
            } else if now >= self.since + timeout {
                return Poll::Ready(Cut::Stall);
            }
            self.timer.as_mut().reset(next_look(now, timeout, deadline));
        }
    }
}

fn next_look(now: Instant, timeout: Duration, deadline: Option<Instant>) -> Instant {
    let next = now + timeout / LOOKS;
    deadline.map_or(next, |deadline| next.min(deadline))
}

/// Number of looks at the progress of a client within the stall timeout.
pub(super) const LOOKS: u32 = 8;
