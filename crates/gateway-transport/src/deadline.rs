//! When an exchange must be over.
use std::time::{Duration, Instant};

use crate::{Phase, Request, Sent, TransportError};

/// When the whole exchange must be over: connecting, sending, the head and the last byte of the body.
///
/// It travels in the request's extensions, because a blocking call cannot be stopped from outside, and because
/// everything that speaks `http` types (tower layers, axum) passes extensions on untouched.
///
/// # Examples
///
/// ```
/// use std::time::{Duration, Instant};
///
/// use gateway_transport::{Deadline, Request};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut request = Request::new("".into());
/// assert_eq!(Deadline::remaining(&request)?, None);
///
/// request.extensions_mut().insert(Deadline::after(Duration::from_secs(30)));
/// assert!(Deadline::remaining(&request)? > Some(Duration::from_secs(29)));
///
/// // A list may take an hour to read, but it has to begin soon.
/// let begins = Instant::now() + Duration::from_secs(30);
/// let deadline = Deadline::after(Duration::from_secs(3600)).head_by(begins);
/// assert_eq!(deadline.head(), begins);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline {
    end: Instant,
    /// Not after the end.
    head: Instant,
}

impl Deadline {
    /// Ends the exchange at `instant`.
    pub const fn at(instant: Instant) -> Self {
        Self { end: instant, head: instant }
    }

    /// Ends the exchange `duration` from now. A duration that no clock can hold means "in a very long time".
    pub fn after(duration: Duration) -> Self {
        Self::since(Instant::now(), duration)
    }

    /// Ends the exchange `duration` after `start`, as [`after`](Self::after) does.
    pub fn since(start: Instant, duration: Duration) -> Self {
        let end = start.checked_add(duration).or_else(|| start.checked_add(A_LONG_TIME));
        Self::at(end.unwrap_or(start))
    }

    /// Ends the exchange already at `instant` if the head of the response is not there by then. Only the body may take
    /// longer.
    #[must_use]
    pub fn head_by(self, instant: Instant) -> Self {
        Self { head: self.end.min(instant), ..self }
    }

    /// Returns the instant at which the exchange must be over.
    pub const fn instant(self) -> Instant {
        self.end
    }

    /// Returns the instant at which the head of the response must be there: that of the whole exchange, or an earlier one.
    pub const fn head(self) -> Instant {
        self.head
    }

    /// Returns the deadline of `request`, if it has one.
    pub fn of(request: &Request) -> Option<Self> {
        request.extensions().get::<Self>().copied()
    }

    /// Returns the time that is left for `request`, or `None` if it has no deadline.
    ///
    /// Every transport calls this first, so that nothing is sent for a caller who has stopped waiting.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) with [`Sent::No`] when the deadline, or that of the head, has
    /// passed.
    pub fn remaining(request: &Request) -> Result<Option<Duration>, TransportError> {
        let Some(Self { end, head }) = Self::of(request) else { return Ok(None) };
        let now = Instant::now();
        if head <= now {
            return Err(TransportError::timeout(Phase::Total).with_sent(Sent::No));
        }
        Ok(Some(end.saturating_duration_since(now)))
    }

    /// Returns when the head must be there, if that is earlier than the end.
    #[cfg(any(feature = "reqwest", feature = "ureq"))]
    pub(crate) fn earlier_head(self) -> Option<Instant> {
        (self.head < self.end).then_some(self.head)
    }
}

/// Thirty years: beyond any exchange, within any clock.
const A_LONG_TIME: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
