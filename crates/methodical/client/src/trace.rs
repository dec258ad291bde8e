//! The spans and events of a call, or empty placeholders without the feature `tracing`.

#[cfg(not(feature = "tracing"))]
mod noop;
#[cfg(feature = "tracing")]
mod spans;

#[cfg(not(feature = "tracing"))]
pub(crate) use self::noop::{AttemptSpan, CallSpan, RejectedPaths, retrying};
#[cfg(feature = "tracing")]
pub(crate) use self::spans::{AttemptSpan, CallSpan, RejectedPaths, retrying};
