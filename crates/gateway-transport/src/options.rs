//! Settings that every adapter understands.
use std::time::Duration;

use bytes::Bytes;

/// Settings of an adapter. One type for all of them, so that a program can change its adapter in one place.
///
/// | what | default | set with |
/// |---|---|---|
/// | connecting: name lookup, TCP and TLS | 5 s | [`connect_timeout`](Self::connect_timeout()) |
/// | silence of the peer within a response | 20 s | [`idle_timeout`](Self::idle_timeout()) |
/// | a whole exchange without a [`Deadline`](crate::Deadline) | 60 s | [`total_timeout`](Self::total_timeout()) |
/// | how long an unused connection is kept | 60 s | [`pool_idle_timeout`](Self::pool_idle_timeout()) |
/// | unused connections kept for one host | 8 | [`pool_max_idle`](Self::pool_max_idle()) |
/// | where a proxy comes from | the environment | [`proxy`](Self::proxy()) |
/// | certificates trusted beside those of the system | none | [`extra_root`](Self::extra_root()) |
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
    /// How long a connection may take: name lookup, TCP and TLS. It is always set, because an adapter without it
    /// hangs for minutes on a host that drops packets.
    pub connect_timeout: Duration,
    /// The longest silence of the peer within a response.
    pub idle_timeout: Duration,
    /// How long a whole exchange may take if its request has no [`Deadline`](crate::Deadline).
    pub total_timeout: Duration,
    /// How long an unused connection is kept. The default is less than the 75 s after which common servers close it, so
    /// that a request rarely meets a connection that is being closed.
    pub pool_idle_timeout: Duration,
    /// How many unused connections are kept for one host.
    pub pool_max_idle: usize,
    /// Where a proxy comes from.
    pub proxy: Proxy,
    /// Certificates (DER) trusted in addition to those of the system, for a private authority.
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
    pub(crate) fn uses_environment_proxy(&self) -> bool {
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
            connect_timeout: CONNECT_TIMEOUT,
            idle_timeout: IDLE_TIMEOUT,
            total_timeout: TOTAL_TIMEOUT,
            pool_idle_timeout: POOL_IDLE_TIMEOUT,
            pool_max_idle: POOL_MAX_IDLE,
            proxy: Proxy::Environment,
            extra_roots: Vec::new(),
        }
    }
}

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
const TOTAL_TIMEOUT: Duration = Duration::from_secs(60);
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
const POOL_MAX_IDLE: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_docs_has_every_default() {
        // Without a rest pattern: a new setting belongs into the table.
        let Options {
            connect_timeout,
            idle_timeout,
            total_timeout,
            pool_idle_timeout,
            pool_max_idle,
            proxy,
            extra_roots,
        } = Options::default();
        assert_eq!((proxy, extra_roots.len()), (Proxy::Environment, 0));
        let rows = [
            ("connecting: name lookup, TCP and TLS", seconds(connect_timeout), "connect_timeout"),
            ("silence of the peer within a response", seconds(idle_timeout), "idle_timeout"),
            (
                "a whole exchange without a [`Deadline`](crate::Deadline)",
                seconds(total_timeout),
                "total_timeout",
            ),
            (
                "how long an unused connection is kept",
                seconds(pool_idle_timeout),
                "pool_idle_timeout",
            ),
            ("unused connections kept for one host", pool_max_idle.to_string(), "pool_max_idle"),
            ("where a proxy comes from", "the environment".to_owned(), "proxy"),
            ("certificates trusted beside those of the system", "none".to_owned(), "extra_root"),
        ];
        let expected = rows.map(|(what, default, setter)| {
            format!("/// | {what} | {default} | [`{setter}`](Self::{setter}()) |")
        });
        let docs = include_str!("options.rs").lines();
        let table = docs.skip_while(|line| *line != "/// | what | default | set with |").skip(2);
        let documented: Vec<&str> = table.take_while(|line| line.starts_with("/// |")).collect();
        assert_eq!(documented, expected);
    }

    fn seconds(limit: Duration) -> String {
        format!("{} s", limit.as_secs())
    }
}
