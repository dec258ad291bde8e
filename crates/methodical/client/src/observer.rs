//! Observers of calls, for metrics.

use std::time::Duration;

use gateway_transport::TransportErrorKind;
use http::StatusCode;

/// Receives every attempt of every call, for metrics.
///
/// The client calls it on the task or thread of the call, so it must be quick. It is called after the client has decided
/// whether to retry. If a call is dropped before that, its last attempt is not reported.
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

/// One request that was handed to the transport, and its outcome.
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
    /// The kind of the transport error, if no complete response was received. For metrics, it has a
    /// [name](TransportErrorKind::as_str).
    pub failure: Option<TransportErrorKind>,
    /// The delay before the next attempt, zero if only the token is replaced; `None` after the last attempt.
    pub retry_in: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use gateway_transport::{BoxError, BoxFuture, MemoryTransport};
    use http::Response;

    use super::{Attempt, Observer};
    use crate::tests::{BlockingClient, any_json};
    use crate::{AccessToken, TokenSource};

    /// Records the delay that follows each attempt.
    #[derive(Clone, Default)]
    struct Delays(Arc<Mutex<Vec<Option<Duration>>>>);

    impl Observer for Delays {
        fn attempt(&self, attempt: &Attempt<'_>) {
            self.0.lock().unwrap().push(attempt.retry_in);
        }
    }

    /// A source that replaces a refused token if it is `true`, and otherwise fails.
    struct Refresh(bool);

    impl TokenSource for Refresh {
        fn token<'a>(
            &'a self,
            refused: Option<&'a AccessToken>,
        ) -> BoxFuture<'a, Result<AccessToken, BoxError>> {
            let token = match (refused, self.0) {
                (None, _) => AccessToken::new("gwt_1"),
                (Some(_), true) => AccessToken::new("gwt_2"),
                (Some(_), false) => AccessToken::new(""),
            };
            Box::pin(std::future::ready(token.map_err(Into::into)))
        }
    }

    #[track_caller]
    fn check(source: impl TokenSource, expected: &[Option<Duration>]) {
        let refusal = || Ok(Response::builder().status(401).body("".into()).unwrap());
        let delays = Delays::default();
        let client = BlockingClient::builder("https://gateway.example.com")
            .token(source)
            .observer(delays.clone())
            .transport(MemoryTransport::new([refusal(), refusal()]))
            .build()
            .unwrap();
        assert!(client.send(&any_json()).is_err());
        assert_eq!(*delays.0.lock().unwrap(), expected);
    }

    #[test]
    fn a_refused_call_is_retried_only_with_another_token() {
        check(Refresh(true), &[Some(Duration::ZERO), None]);
        check(Refresh(false), &[None]);
        check(AccessToken::new("gwt_1").unwrap(), &[None]);
    }
}
