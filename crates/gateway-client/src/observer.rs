//! Watching calls from outside, for metrics.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use gateway_transport::{ErrorKind as TransportErrorKind, TransportError};
use http::{Response, StatusCode};

/// Is told about every attempt of every call, for metrics.
///
/// It is called on the task or thread of the call, so it must be quick, once it is known whether another attempt follows.
/// A call that is dropped before says nothing of the attempt it was in.
///
/// # Examples
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
///
/// use gateway_client::{Attempt, Observer};
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
    /// An attempt is over: its answer is there, or will not come.
    fn attempt(&self, attempt: &Attempt<'_>);
}

/// One request that was handed to the transport, and what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Attempt<'a> {
    /// The value of `method` that selects the operation, such as `candidates/list`; empty if the caller wrote the query
    /// ([`RawQuery`](gateway_model::RawQuery)).
    pub operation: &'a str,
    /// The host that was asked; an IPv6 address has no brackets.
    pub server_address: &'a str,
    /// The port that was asked.
    pub server_port: u16,
    /// 1 for the first request of a call, 2 for the next.
    pub number: u32,
    /// How long it took: until the whole answer was there, or, for a stream, its head.
    pub elapsed: Duration,
    /// The status of the answer, if one came.
    pub status: Option<StatusCode>,
    /// What the transport reports, if no answer came.
    pub failure: Option<TransportErrorKind>,
    /// How long the client waits before it sends again, nothing if only the token is replaced; `None` if this was the
    /// last attempt.
    pub retry_in: Option<Duration>,
}

impl Attempt<'_> {
    /// Returns why the attempt failed, as a name for metrics: the status from 400 on, or
    /// [what the transport reports](gateway_transport::ErrorKind::as_str); `None` if it did not fail.
    ///
    /// It is the attribute `error.type` of OpenTelemetry's conventions for HTTP clients, of a span as of the metric
    /// `http.client.request.duration`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::sync::{Arc, Mutex};
    ///
    /// use gateway_client::transport::{ErrorKind, MemoryTransport, TransportError};
    /// use gateway_client::{AccessToken, Attempt, Observer, RetryPolicy, blocking};
    /// use http::Response;
    ///
    /// /// Keeps a line for each attempt: what failed, and how long it took in seconds.
    /// #[derive(Clone, Default)]
    /// struct Durations(Arc<Mutex<Vec<(String, f64)>>>);
    ///
    /// impl Observer for Durations {
    ///     fn attempt(&self, attempt: &Attempt<'_>) {
    ///         let label = attempt.error_type().unwrap_or("none").to_owned();
    ///         self.0.lock().unwrap().push((label, attempt.elapsed.as_secs_f64()));
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let cut = TransportError::new(ErrorKind::Interrupted, "connection reset");
    /// let busy = Response::builder().status(503).body("".into())?;
    /// let durations = Durations::default();
    /// let client = blocking::Client::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .retry(RetryPolicy::default().max_attempts(2))
    ///     .observer(durations.clone())
    ///     .transport(MemoryTransport::new([Err(cut), Ok(busy)]))
    ///     .build()?;
    /// assert!(client.get_credits().is_err());
    /// let seen = durations.0.lock().unwrap();
    /// assert_eq!((seen[0].0.as_str(), seen[1].0.as_str()), ("interrupted", "503"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn error_type(&self) -> Option<&str> {
        let refusal = self.status.as_ref().filter(|status| status.as_u16() >= 400);
        refusal.map(StatusCode::as_str).or_else(|| self.failure.map(TransportErrorKind::as_str))
    }
}

/// Everyone who watches a client.
#[derive(Clone, Default)]
pub(crate) struct Watch(Option<Arc<dyn Observer>>);

impl Watch {
    pub(crate) fn by(observer: impl Observer) -> Self {
        Self(Some(Arc::new(observer)))
    }

    /// Tells everyone about an attempt.
    pub(crate) fn tell(&self, attempt: &Attempt<'_>) {
        if let Some(observer) = &self.0 {
            observer.attempt(attempt);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(1)" } else { "Watch(0)" })
    }
}

/// What an outcome looks like from outside, before it is judged.
pub(crate) fn outline<B>(
    outcome: &Result<Response<B>, TransportError>,
) -> (Option<StatusCode>, Option<TransportErrorKind>) {
    match outcome {
        Ok(response) => (Some(response.status()), None),
        Err(error) => (None, Some(error.kind())),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use gateway_transport::{BoxError, BoxFuture, MemoryTransport};
    use http::Response;

    use super::{Attempt, Observer};
    use crate::{AccessToken, TokenSource, blocking};

    /// What follows each attempt.
    #[derive(Clone, Default)]
    struct Follows(Arc<Mutex<Vec<Option<Duration>>>>);

    impl Observer for Follows {
        fn attempt(&self, attempt: &Attempt<'_>) {
            self.0.lock().unwrap().push(attempt.retry_in);
        }
    }

    /// A source that has another token for one that is refused, or fails to find one.
    struct Other(bool);

    impl TokenSource for Other {
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
        let follows = Follows::default();
        let client = blocking::Client::builder("https://gateway.example.com")
            .token(source)
            .observer(follows.clone())
            .transport(MemoryTransport::new([refusal(), refusal()]))
            .build()
            .unwrap();
        assert!(client.get_credits().is_err());
        assert_eq!(*follows.0.lock().unwrap(), expected);
    }

    #[test]
    fn another_attempt_follows_if_there_is_another_token() {
        check(Other(true), &[Some(Duration::ZERO), None]);
        check(Other(false), &[None]);
        check(AccessToken::new("gwt_1").unwrap(), &[None]);
    }
}
