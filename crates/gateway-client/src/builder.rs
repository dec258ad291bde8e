//! How a client is made.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::base_url::BaseUrl;
use crate::call::Policy;
use crate::core::Core;
use crate::observer::Watch;
use crate::token::Tokens;
use crate::{Error, Observer, RetryBudget, RetryPolicy, TokenSource};

/// Makes a client: [`Client::builder`](crate::Client::builder), or
/// [`blocking::Client::builder`](crate::blocking::Client::builder).
///
/// `T` is the kind of transport it takes. Only a base URL and a token are needed; [the other
/// defaults](crate#the-policy-of-a-call) are in one table.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use gateway_client::transport::MemoryTransport;
/// use gateway_client::{AccessToken, RetryPolicy, blocking};
///
/// // For a page that somebody waits for: an answer within 3 s, or none.
/// let client = blocking::Client::builder("https://gateway.example.com")
///     .token(AccessToken::new("gwt_6yqW")?)
///     .call_timeout(Duration::from_secs(3))
///     .attempt_timeout(Duration::from_secs(2))
///     .retry(RetryPolicy::default().base_delay(Duration::from_millis(50)))
///     .transport(MemoryTransport::default())
///     .build()?;
/// # Ok::<(), gateway_client::Error>(())
/// ```
#[must_use]
pub struct Builder<T> {
    base_url: String,
    allow_insecure_http: bool,
    token: Option<Arc<dyn TokenSource>>,
    watch: Watch,
    policy: Policy,
    transport: Option<T>,
}

impl<T> Builder<T> {
    pub(crate) fn new(base_url: String) -> Self {
        Self {
            base_url,
            allow_insecure_http: false,
            token: None,
            watch: Watch::default(),
            policy: Policy::default(),
            transport: None,
        }
    }

    /// Sets where the token comes from that every call carries (section 5): an [`AccessToken`](crate::AccessToken), or
    /// any other source.
    pub fn token(mut self, source: impl TokenSource) -> Self {
        self.token = Some(Arc::new(source));
        self
    }

    /// Sets who is told about every attempt: one observer, the last that is set. Default: nobody.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.watch = Watch::by(observer);
        self
    }

    /// Allows plain `http` to any host. The token then travels where others can read it.
    ///
    /// To this machine itself (`localhost`, `127.0.0.0/8`, `::1`) plain `http` is always allowed.
    pub fn allow_insecure_http(mut self) -> Self {
        self.allow_insecure_http = true;
        self
    }

    /// Sets how long a call may take, with the token, all attempts and all waiting. Default: 60 s.
    ///
    /// A call that takes longer fails with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout); one whose next attempt could
    /// not begin in time delivers what the last one brought. A limit that no clock can hold, such as [`Duration::MAX`], is
    /// no limit.
    pub fn call_timeout(mut self, limit: Duration) -> Self {
        self.policy.call_timeout = limit;
        self
    }

    /// Sets how long one attempt may take, body included unless that is a stream. Default: 30 s. It never takes longer than
    /// the call.
    ///
    /// One that takes longer has failed on the way, and may be repeated.
    pub fn attempt_timeout(mut self, limit: Duration) -> Self {
        self.policy.attempt_timeout = limit;
        self
    }

    /// Sets how long a stream may take, from the first attempt to the last record. Default: one hour. A peer that falls
    /// silent is noticed earlier, by the transport.
    ///
    /// Until the head of the answer is there, with the token, all attempts and all waiting, the limits of any call hold for
    /// a stream, too.
    pub fn stream_timeout(mut self, limit: Duration) -> Self {
        self.policy.stream_timeout = limit;
        self
    }

    /// Sets the largest body of a successful answer, in bytes. Default: 64 MiB.
    ///
    /// A larger one is [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), without being received if the answer says how
    /// long it is. A stream has no such limit, only one [for each record](crate::Records::record_limit).
    pub fn body_limit(mut self, bytes: u64) -> Self {
        self.policy.body_limit = bytes;
        self
    }

    /// Sets how failed calls are repeated. Default: up to 3 attempts; see [`RetryPolicy`].
    pub fn retry(mut self, policy: RetryPolicy) -> Self {
        self.policy.retry = policy;
        self
    }

    /// Sets how many retries all calls may use up together. Default: 10 at once, then one for every 10 answered calls.
    pub fn retry_budget(mut self, budget: RetryBudget) -> Self {
        self.policy.budget = budget;
        self
    }

    pub(crate) fn set_transport(mut self, transport: T) -> Self {
        self.transport = Some(transport);
        self
    }

    /// Checks the settings; `default_transport` is asked if none was set.
    pub(crate) fn finish(
        self,
        default_transport: impl FnOnce() -> Result<T, Error>,
    ) -> Result<(Core, T), Error> {
        let base_url = BaseUrl::parse(&self.base_url, self.allow_insecure_http)?;
        let token = self.token.ok_or_else(|| Error::config("the client has no access token"))?;
        let transport = self.transport.map_or_else(default_transport, Ok)?;
        let tokens = Tokens::new(token);
        Ok((Core { base_url, tokens, policy: self.policy, watch: self.watch }, transport))
    }
}

impl<T> fmt::Debug for Builder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the base URL: until it is checked, it may have credentials in it.
        f.debug_struct("Builder").field("policy", &self.policy).finish_non_exhaustive()
    }
}
