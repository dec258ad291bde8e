//! Settings that every adapter understands.
use std::time::Duration;

use bytes::Bytes;

/// Settings of an adapter. One type for all of them, so that a program can change its adapter in one place.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
///
/// use gateway_transport::Options;
///
/// let options = Options::default().connect_timeout(Duration::from_secs(2)).pool_max_idle(4);
/// assert_eq!(options.connect_timeout, Duration::from_secs(2));
/// assert_eq!(options.idle_timeout, Duration::from_secs(20));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// How long a connection may take: name lookup, TCP and TLS. Default: 5 s. It is always set, because an adapter
    /// without it hangs for minutes on a host that drops packets.
    pub connect_timeout: Duration,
    /// The longest silence of the peer within a response. Default: 20 s.
    pub idle_timeout: Duration,
    /// How long a whole exchange may take if its request has no [`Deadline`](crate::Deadline). Default: 60 s.
    pub total_timeout: Duration,
    /// How long an unused connection is kept. Default: 60 s, less than the 75 s after which common servers close it,
    /// so that a request rarely meets a connection that is being closed.
    pub pool_idle_timeout: Duration,
    /// How many unused connections are kept for one host. Default: 8.
    pub pool_max_idle: usize,
    /// Where a proxy comes from. Default: the environment.
    pub proxy: Proxy,
    /// Certificates (DER) trusted in addition to those of the system, for a private authority. Default: none.
    pub extra_roots: Vec<Bytes>,
}

/// Where an adapter takes its proxy from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// From `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as other programs do.
    ///
    /// A request to this machine (`localhost`, names below it, 127.0.0.0/8, `::1`) never takes that way: the proxy would
    /// look for the service on its own machine, and would be shown what was not to leave this one, such as a token over
    /// plain `http`. In a program that answers by CGI, where `HTTP_PROXY` is what a caller says, there is no proxy.
    Environment,
    /// None at all, whatever the environment says.
    Never,
}

impl Options {
    /// Sets how long a connection may take.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Sets the longest silence of the peer within a response.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// Sets how long a whole exchange may take if its request has no [`Deadline`](crate::Deadline).
    #[must_use]
    pub fn total_timeout(mut self, limit: Duration) -> Self {
        self.total_timeout = limit;
        self
    }

    /// Sets how long an unused connection is kept.
    #[must_use]
    pub fn pool_idle_timeout(mut self, limit: Duration) -> Self {
        self.pool_idle_timeout = limit;
        self
    }

    /// Sets how many unused connections are kept for one host.
    #[must_use]
    pub fn pool_max_idle(mut self, connections: usize) -> Self {
        self.pool_max_idle = connections;
        self
    }

    /// Sets where a proxy comes from.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Whether the environment may name a proxy.
    #[cfg(any(feature = "reqwest", feature = "ureq"))]
    pub(crate) fn heeds_environment(&self) -> bool {
        // CGI turns each header of a request into a variable, and `proxy` into `HTTP_PROXY` (RFC 3875, section 4.1.18).
        self.proxy == Proxy::Environment && std::env::var_os("REQUEST_METHOD").is_none()
    }

    /// Trusts this certificate (DER) as an authority, in addition to those of the system.
    #[must_use]
    pub fn extra_root(mut self, der: impl Into<Bytes>) -> Self {
        self.extra_roots.push(der.into());
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(20),
            total_timeout: Duration::from_secs(60),
            pool_idle_timeout: Duration::from_secs(60),
            pool_max_idle: 8,
            proxy: Proxy::Environment,
            extra_roots: Vec::new(),
        }
    }
}
