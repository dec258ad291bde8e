//! The builder of both clients.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use gateway_transport::{HAS_TLS, SharedTransport};
use methodical_model::Service;

use crate::base_url::BaseUrl;
use crate::engine::{Engine, Io, Shared};
use crate::pace::Pace;
use crate::policy::Policy;
use crate::request::Headers;
use crate::token::Sources;
use crate::{Error, Observer, RetryPolicy, TokenSource};

/// Builds a client; see [`Client::builder`](crate::Client::builder) and
/// [`blocking::Client::builder`](crate::blocking::Client::builder).
///
/// `S` is the service. [`blocking::ClientBuilder`](crate::blocking::ClientBuilder) is this type with a blocking
/// transport, `T`. Only the base URL and a token are required; [this table](crate#limits-and-retries) lists the
/// defaults of all other settings. The method `build` refuses a limit of zero.
///
/// # Examples
///
/// ```
#[doc = include_str!("../doctests/photos.txt")]
/// use std::time::Duration;
///
/// use methodical_client::transport::MemoryTransport;
/// use methodical_client::{AccessToken, RetryPolicy, blocking};
///
/// // For an interactive page: a response within 3 s, or an error.
/// let client = blocking::Client::<Photos>::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .call_timeout(Duration::from_secs(3))
///     .attempt_timeout(Duration::from_secs(2))
///     .retry(RetryPolicy::default().base_delay(Duration::from_millis(50)))
///     .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), methodical_client::Error>(())
/// ```
#[must_use]
pub struct ClientBuilder<S, T = SharedTransport> {
    base_url: String,
    allow_insecure_http: bool,
    token: Option<Arc<dyn TokenSource>>,
    secrets: Vec<(String, Arc<dyn TokenSource>)>,
    observer: Option<Arc<dyn Observer>>,
    policy: Policy,
    transport: Option<T>,
    service: PhantomData<fn() -> S>,
}

impl<S: Service, T> ClientBuilder<S, T> {
    pub(crate) fn new(base_url: impl Into<String>) -> Self {
        Self {
            base_url: base_url.into(),
            allow_insecure_http: false,
            token: None,
            secrets: Vec::new(),
            observer: None,
            policy: Policy::default(),
            transport: None,
            service: PhantomData,
        }
    }

    /// Sets the source of the token sent with every call: an [`AccessToken`](crate::AccessToken) or any other
    /// [`TokenSource`].
    ///
    /// If the service has secrets instead of a bearer token, this is the source of the first secret. For a service
    /// without authentication, no source is needed, and one that is set is ignored.
    pub fn token(mut self, source: impl TokenSource) -> Self {
        self.token = Some(Arc::new(source));
        self
    }

    /// Sets the source of the secret that the spec calls `name`, for a service with several secrets.
    /// [`token`](Self::token) sets the source of the first.
    ///
    /// ```
    /// use methodical_client::model::{Auth, Secret, SecretPlace, Service};
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, EnvironmentToken, blocking};
    ///
    /// struct Shop;
    ///
    /// impl Service for Shop {
    ///     const PATH: &'static str = "/api";
    ///     const SELECTOR: &'static str = "method";
    ///     const ACCEPT: &'static str = "application/json";
    ///     const AUTH: Auth = Auth::Secrets(&[
    ///         Secret::new("api_key", SecretPlace::Query),
    ///         Secret::new("x-user", SecretPlace::Header),
    ///     ]);
    /// }
    ///
    /// let client = blocking::Client::<Shop>::builder("https://shop.example.com")
    ///     .token(EnvironmentToken::new("SHOP_TOKEN"))
    ///     .secret("x-user", AccessToken::secret("jane@example.com")?)
    ///     .transport(MemoryTransport::default())
    ///     .build()?;
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn secret(mut self, name: impl Into<String>, source: impl TokenSource) -> Self {
        self.secrets.push((name.into(), Arc::new(source)));
        self
    }

    /// Sets the observer that receives every attempt, replacing any earlier one. Use it for metrics. Default: none.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Allows plain `http` to any host, which exposes the token. Use this only in a network that you trust.
    ///
    /// Plain `http` to this machine (`localhost`, `127.0.0.0/8`, `::1`) is always allowed.
    pub fn allow_insecure_http(mut self) -> Self {
        self.allow_insecure_http = true;
        self
    }

    /// Sets the timeout for a whole call: getting a token, all attempts and all waits. Default: 60 s.
    ///
    /// A call that takes longer fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout). If no time is left for
    /// another attempt, the call returns the last attempt's outcome. A duration beyond the range of the clock, such as
    /// [`Duration::MAX`], means no timeout.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.policy.call_timeout = limit;
        self
    }

    /// Sets the timeout for one attempt. Default: 30 s. An attempt never outlasts its call.
    ///
    /// The attempt includes the body, unless the response is a stream. An attempt that takes longer may be retried.
    pub fn attempt_timeout(mut self, limit: Duration) -> Self {
        self.policy.attempt_timeout = limit;
        self
    }

    /// Sets the timeout for a stream, from the first attempt to the end of the body. Default: one hour.
    ///
    /// A longer stream fails with [`Timeout`](crate::ErrorKind::Timeout). Until the response head arrives, the call and
    /// attempt timeouts also apply. If the peer goes silent, the transport's idle timeout ends the stream sooner.
    pub fn stream_timeout(mut self, limit: Duration) -> Self {
        self.policy.stream_timeout = limit;
        self
    }

    /// Sets the maximum size of a successful response's body, in bytes. Default: 64 MiB.
    ///
    /// A call with a larger body fails with [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge). If the response
    /// declares that its body is larger, the body is not received at all. For a stream, only [each
    /// record](crate::Records::record_limit) has a limit.
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.policy.body_limit = bytes;
        self
    }

    /// Sets how failed attempts are retried. Default: up to 3 attempts; see [`RetryPolicy`].
    ///
    /// A client and its clones also share a retry budget. It allows a burst of 10 retries, and then one retry for every
    /// 10 answered calls, so that retries do not multiply the load on a failing service.
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.policy.retry = policy;
        self
    }

    /// Sets the size of the retry budget: how many retries all calls together may make in one burst.
    #[cfg(feature = "test-util")]
    #[doc(hidden)]
    pub fn retry_burst(mut self, retries: u32) -> Self {
        self.policy.budget = crate::retry::RetryBudget::of_burst(retries);
        self
    }

    /// Sets the maximum number of requests per second for this client and its clones, including retries. Default: no
    /// limit.
    ///
    /// Requests are spread evenly, without bursts. A request's wait for its turn counts towards the call timeout.
    pub fn requests_per_second(mut self, requests: u32) -> Self {
        self.policy.requests_per_second = Some(requests);
        self
    }

    /// Sets the maximum number of concurrent calls for this client and its clones. Default: no limit.
    ///
    /// The time that a call waits for its turn counts towards the call timeout. A stream is in flight until it ends or
    /// is dropped, so a program that makes calls while it reads streams needs a limit above the number of streams.
    pub fn calls_in_flight(mut self, calls: usize) -> Self {
        self.policy.calls_in_flight = Some(calls);
        self
    }

    /// Makes a call fail with [`Decode`](crate::ErrorKind::Decode) if a record cannot be decoded. Use this if an
    /// incomplete list is useless. By default, the record is in
    /// [`Listing::rejected`](methodical_model::Listing::rejected) or an [`Entry::Rejected`](crate::Entry::Rejected),
    /// and a [`WARN` event](crate#tracing) contains its path.
    ///
    /// ```
    #[doc = include_str!("../doctests/photos.txt")]
    /// use methodical_client::transport::MemoryTransport;
    /// use methodical_client::{AccessToken, Client};
    ///
    /// let client = Client::<Photos>::builder("https://gateway.example.com")
    ///     .token(AccessToken::new("gwt_6yqW")?)
    ///     .transport(MemoryTransport::default())
    ///     .strict()
    ///     .build()?;
    /// # Ok::<(), methodical_client::Error>(())
    /// ```
    pub fn strict(mut self) -> Self {
        self.policy.is_strict = true;
        self
    }

    pub(crate) fn set_transport(mut self, transport: T) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Checks the settings and returns the engine.
    pub(crate) fn into_engine(self) -> Result<Engine<T>, Error>
    where
        T: Io,
    {
        self.policy.check()?;
        let base_url = BaseUrl::parse(&self.base_url, S::PATH, self.allow_insecure_http)?;
        let checked_default = || {
            base_url.check_tls(HAS_TLS)?;
            T::new_default()
        };
        let transport = self.transport.map_or_else(checked_default, Ok)?;
        let auth = S::AUTH;
        let tokens = Sources::new(auth, self.token, self.secrets)?;
        let Self { policy, observer, .. } = self;
        let headers = const { Headers::new(S::ACCEPT, S::USER_AGENT) };
        let selectors = S::DISPATCH.selectors();
        let pace = Pace::new(&policy);
        let shared = Shared {
            base_url,
            headers,
            selectors,
            auth,
            tokens,
            policy,
            pace,
            observer,
            transport,
        };
        Ok(Engine::new(shared))
    }
}

impl<S, T> fmt::Debug for ClientBuilder<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The base URL is omitted: before it is checked, it may contain credentials.
        f.debug_struct("ClientBuilder").field("policy", &self.policy).finish_non_exhaustive()
    }
}
