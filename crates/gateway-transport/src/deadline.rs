//! The deadline of an exchange.
use std::time::Duration;

use crate::{Instant, Phase, Request, Sent, TransportError, platform};

/// The point in time by which a whole exchange must end: connecting, sending, the head and the last byte of the body.
///
/// Insert a deadline into a request's extensions to limit the exchange, even a blocking exchange, which cannot be
/// stopped from outside. After the deadline, the exchange fails with [`Timeout`](crate::TransportErrorKind::Timeout).
/// Tower layers and axum pass extensions on unchanged.
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
/// // A list may take an hour to read, but its head must arrive within 30 s.
/// let head = Instant::now() + Duration::from_secs(30);
/// let deadline = Deadline::after(Duration::from_secs(3600)).head_by(head);
/// assert_eq!(deadline.head(), head);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline {
    end: Instant,
    /// The deadline for the head, never later than `end`.
    head: Instant,
}

impl Deadline {
    /// Creates a deadline at `instant`.
    pub const fn at(instant: Instant) -> Self {
        Self { end: instant, head: instant }
    }

    /// Creates a deadline `duration` from now. A duration that the clock cannot represent becomes 30 years.
    pub fn after(duration: Duration) -> Self {
        Self::since(platform::now(), duration)
    }

    /// Creates a deadline `duration` after `start`, with the same upper bound as [`after`](Self::after).
    pub fn since(start: Instant, duration: Duration) -> Self {
        let end = start.checked_add(duration).or_else(|| start.checked_add(FAR_FUTURE));
        Self::at(end.unwrap_or(start))
    }

    /// Sets an earlier deadline for the response head. The body may still take until the deadline for the exchange. A
    /// later `instant` has no effect.
    #[must_use]
    pub fn head_by(self, instant: Instant) -> Self {
        Self { head: self.end.min(instant), ..self }
    }

    /// Returns the instant by which the exchange must end.
    pub const fn instant(self) -> Instant {
        self.end
    }

    /// Returns the instant by which the response head must arrive, never later than [`instant`](Self::instant).
    pub const fn head(self) -> Instant {
        self.head
    }

    /// Returns the deadline of `request`, or `None` if it has none.
    pub fn of(request: &Request) -> Option<Self> {
        request.extensions().get::<Self>().copied()
    }

    /// Returns the time until the whole exchange must end, or `None` if `request` has no deadline. An earlier deadline
    /// for the head does not shorten that time.
    ///
    /// Every transport should call this first, so that nothing is sent for a caller that is no longer waiting.
    ///
    /// # Errors
    ///
    /// Returns [`TransportErrorKind::Timeout`](crate::TransportErrorKind::Timeout) with [`Sent::No`] if the deadline
    /// for the exchange or for its head has passed.
    pub fn remaining(request: &Request) -> Result<Option<Duration>, TransportError> {
        let Some(Self { end, head }) = Self::of(request) else { return Ok(None) };
        let now = platform::now();
        if head <= now {
            return Err(TransportError::timeout(Phase::Total).with_sent(Sent::No));
        }
        Ok(Some(end.saturating_duration_since(now)))
    }

    /// Returns the deadline for the head if it is earlier than the exchange's.
    #[cfg(all(feature = "ureq", not(all(target_family = "wasm", target_os = "unknown"))))]
    pub(crate) fn earlier_head(self) -> Option<Instant> {
        (self.head < self.end).then_some(self.head)
    }
}

/// Thirty years: longer than any exchange, and within the range of any clock.
pub(crate) const FAR_FUTURE: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
