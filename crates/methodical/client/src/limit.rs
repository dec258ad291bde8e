//! The time limits of a call, and the errors that name them.

use std::fmt;
use std::time::Duration;

use gateway_transport::{Deadline, Instant, TransportError, TransportErrorKind};

use crate::Error;

/// A time limit of a call, and the instant at which it is reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limit {
    pub(crate) at: Instant,
    kind: LimitKind,
}

/// The setting that a limit comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LimitKind {
    CallTimeout(Duration),
    AttemptTimeout(Duration),
    StreamTimeout(Duration),
    /// The timeout of the call's own options.
    OwnTimeout(Duration),
    /// The deadline of the call's own options.
    OwnDeadline(Instant),
}

impl Limit {
    /// Starts a limit now.
    pub(crate) fn since(now: Instant, kind: LimitKind) -> Self {
        let at = match kind {
            LimitKind::CallTimeout(limit)
            | LimitKind::AttemptTimeout(limit)
            | LimitKind::StreamTimeout(limit)
            | LimitKind::OwnTimeout(limit) => Deadline::since(now, limit).instant(),
            LimitKind::OwnDeadline(instant) => instant,
        };
        Self { at, kind }
    }

    /// Returns the limit that is reached first.
    pub(crate) fn or_earlier(self, other: Self) -> Self {
        if other.at < self.at { other } else { self }
    }

    /// Returns the error of a failed exchange. If this limit has ended it, the error names the limit.
    pub(crate) fn error(self, error: TransportError, now: Instant) -> Error {
        let left = self.at.saturating_duration_since(now);
        let is_reached = error.kind() == TransportErrorKind::Timeout && left < MIN_TIME_LEFT;
        let error = Error::from(error);
        if is_reached { error.with_text(format!("no complete response {self}")) } else { error }
    }
}

/// The end of a sentence about what did not happen: the limit, its value, and its setting.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, limit, setting) = match self.kind {
            LimitKind::CallTimeout(limit) => ("call timeout", limit, "ClientBuilder::call_timeout"),
            LimitKind::AttemptTimeout(limit) => {
                ("attempt timeout", limit, "ClientBuilder::attempt_timeout")
            }
            LimitKind::StreamTimeout(limit) => {
                ("stream timeout", limit, "ClientBuilder::stream_timeout")
            }
            LimitKind::OwnTimeout(limit) => ("timeout", limit, "CallOptions::timeout"),
            LimitKind::OwnDeadline(_) => {
                return f.write_str(
                    "before the deadline of the call; set a later one with `CallOptions::deadline`",
                );
            }
        };
        write!(f, "within the {name} of {limit:?}; set a longer one with `{setting}`")
    }
}

/// Minimum time that must be left of a call for another attempt.
///
/// A transport with a coarse clock gives up slightly before the deadline of the call; the time that is then left is too
/// short for another attempt.
pub(crate) const MIN_TIME_LEFT: Duration = Duration::from_millis(10);
