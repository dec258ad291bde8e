//! Observers of calls, for metrics.

use std::time::Duration;

use gateway_transport::TransportErrorKind;
use http::StatusCode;

/// Receives every attempt of every call. Use this to record metrics.
///
/// The client calls [`attempt`](Self::attempt) on the call's task or thread, so the method must return quickly. By
/// then, the client has decided whether to retry. If a call is dropped before that decision, its last attempt is not
/// reported.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use methodical_client::{Attempt, Observer};
///
/// /// Counts requests and retries.
/// #[derive(Default)]
/// struct Counters {
///     requests: AtomicU64,
///     retries: AtomicU64,
/// }
///
/// impl Observer for Counters {
///     fn attempt(&self, attempt: &Attempt<'_>) {
///         self.requests.fetch_add(1, Ordering::Relaxed);
///         if attempt.retry_in.is_some() {
///             self.retries.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
/// ```
pub trait Observer: Send + Sync + 'static {
    /// Receives an attempt that has ended, with a response or with a failure.
    fn attempt(&self, attempt: &Attempt<'_>);
}

/// One request that was passed to the transport, and its outcome.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The value of the selector, such as `photos/list`; empty for a [`RawQuery`](methodical_model::RawQuery).
    pub operation: &'a str,
    /// The number of the attempt within its call: 1 for the first.
    pub number: u32,
    /// The duration of the attempt, until the whole response was received or, for a stream, its head.
    pub elapsed: Duration,
    /// The status of the response, if its head was received.
    pub status: Option<StatusCode>,
    /// The kind of the transport error, if no complete response was received. Its [name](TransportErrorKind::as_str)
    /// suits metrics.
    pub failure: Option<TransportErrorKind>,
    /// The delay before the next attempt, which is zero if only the token is replaced; `None` after the last attempt.
    pub retry_in: Option<Duration>,
}
