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
/// use std::time::Duration;
///
/// use gateway_transport::{Deadline, Request};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut request = Request::new("".into());
/// assert_eq!(Deadline::remaining(&request)?, None);
///
/// request.extensions_mut().insert(Deadline::after(Duration::from_secs(30)));
/// assert!(Deadline::remaining(&request)? > Some(Duration::from_secs(29)));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Ends the exchange at `instant`.
    pub const fn at(instant: Instant) -> Self {
        Self(instant)
    }

    /// Ends the exchange `duration` from now. A duration that no clock can hold means "in a very long time".
    pub fn after(duration: Duration) -> Self {
        let now = Instant::now();
        Self(now.checked_add(duration).or_else(|| now.checked_add(A_LONG_TIME)).unwrap_or(now))
    }

    /// Returns the instant at which the exchange must be over.
    pub const fn instant(self) -> Instant {
        self.0
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
    /// [`ErrorKind::Timeout`](crate::ErrorKind::Timeout) with [`Sent::No`] when the deadline has passed.
    pub fn remaining(request: &Request) -> Result<Option<Duration>, TransportError> {
        let Some(Self(at)) = Self::of(request) else { return Ok(None) };
        match at.checked_duration_since(Instant::now()) {
            Some(left) if !left.is_zero() => Ok(Some(left)),
            _ => Err(TransportError::timeout(Phase::Total).with_sent(Sent::No)),
        }
    }
}

/// Thirty years: beyond any exchange, within any clock.
const A_LONG_TIME: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
