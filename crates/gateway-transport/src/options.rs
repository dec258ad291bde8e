//! The settings of every adapter.
use std::time::Duration;

use bytes::Bytes;

/// The settings of an adapter. All adapters share this type, so that a program can change its adapter in one place.
///
/// | setting | default | set with |
/// |---|---|---|
/// | timeout for connecting: name lookup, TCP and TLS | 5 s | [`connect_timeout`](Self::connect_timeout()) |
/// | maximum silence of the peer within a response | 20 s | [`idle_timeout`](Self::idle_timeout()) |
/// | timeout for an exchange without a [`Deadline`](crate::Deadline) | 60 s | [`total_timeout`](Self::total_timeout()) |
/// | time an unused connection is kept | 60 s | [`pool_idle_timeout`](Self::pool_idle_timeout()) |
/// | unused connections kept per host | 8 | [`pool_max_idle`](Self::pool_max_idle()) |
/// | source of the proxy | the environment | [`proxy`](Self::proxy()) |
/// | certificates trusted in addition to the system's | none | [`extra_root`](Self::extra_root()) |
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
    /// Timeout for connecting: name lookup, TCP and TLS. It is always set, because an adapter without it hangs for
    /// minutes on a host that drops packets.
    pub connect_timeout: Duration,
    /// Maximum silence of the peer within a response.
    pub idle_timeout: Duration,
    /// Timeout for a whole exchange whose request has no [`Deadline`](crate::Deadline).
    pub total_timeout: Duration,
    /// Time that an unused connection is kept. The default is less than the 75 s after which common servers close it, so
    /// that a request rarely uses a connection that is being closed.
    pub pool_idle_timeout: Duration,
    /// Maximum number of unused connections kept per host.
    pub pool_max_idle: usize,
    /// Source of the proxy.
    pub proxy: Proxy,
    /// Certificates (DER) trusted in addition to the system's, for a private authority.
    pub extra_roots: Vec<Bytes>,
}

/// The source of an adapter's proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxy {
    /// The variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, as in other programs.
    ///
    /// A request to this machine (`localhost`, names below it, 127.0.0.0/8, `::1`) never goes through the proxy. The
    /// proxy would look for the service on the proxy's machine, and would see data that must not leave this one, such as
    /// a token over plain `http`. A CGI program uses no proxy, because there the caller controls `HTTP_PROXY`.
    Environment,
    /// No proxy, regardless of the environment.
    Never,
}

impl Options {
    /// Sets the timeout for connecting.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// Sets the maximum silence of the peer within a response.
    #[must_use]
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// Sets the timeout for a whole exchange whose request has no [`Deadline`](crate::Deadline).
    #[must_use]
    pub fn total_timeout(mut self, limit: Duration) -> Self {
        self.total_timeout = limit;
        self
    }

    /// Sets the time that an unused connection is kept.
    #[must_use]
    pub fn pool_idle_timeout(mut self, limit: Duration) -> Self {
        self.pool_idle_timeout = limit;
        self
    }

    /// Sets the maximum number of unused connections kept per host.
    #[must_use]
    pub fn pool_max_idle(mut self, connections: usize) -> Self {
        self.pool_max_idle = connections;
        self
    }

    /// Sets the source of the proxy.
    #[must_use]
    pub fn proxy(mut self, proxy: Proxy) -> Self {
        self.proxy = proxy;
        self
    }

    /// Returns whether to take a proxy from the environment.
    #[cfg(all(
        any(feature = "reqwest", feature = "ureq"),
        not(all(target_family = "wasm", target_os = "unknown"))
    ))]
    pub(crate) fn uses_environment_proxy(&self) -> bool {
        // CGI turns each request header into a variable, and the header `proxy` into `HTTP_PROXY` (RFC 3875, section
        // 4.1.18). `REQUEST_METHOD` is set in every CGI program.
        self.proxy == Proxy::Environment && std::env::var_os("REQUEST_METHOD").is_none()
    }

    /// Adds a certificate (DER) to trust as an authority, in addition to the system's.
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

/// Default timeout for connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Default maximum silence of the peer within a response.
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Default timeout of a whole exchange.
const TOTAL_TIMEOUT: Duration = Duration::from_secs(60);

/// Default maximum time that an unused connection is kept.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Default maximum number of unused connections kept per host.
const POOL_MAX_IDLE: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_in_the_docs_has_every_default() {
        // No rest pattern, so that a new setting fails to compile here until it is in the table.
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
            (
                "timeout for connecting: name lookup, TCP and TLS",
                seconds(connect_timeout),
                "connect_timeout",
            ),
            (
                "maximum silence of the peer within a response",
                seconds(idle_timeout),
                "idle_timeout",
            ),
            (
                "timeout for an exchange without a [`Deadline`](crate::Deadline)",
                seconds(total_timeout),
                "total_timeout",
            ),
            ("time an unused connection is kept", seconds(pool_idle_timeout), "pool_idle_timeout"),
            ("unused connections kept per host", pool_max_idle.to_string(), "pool_max_idle"),
            ("source of the proxy", "the environment".to_owned(), "proxy"),
            ("certificates trusted in addition to the system's", "none".to_owned(), "extra_root"),
        ];
        let expected = rows.map(|(setting, default, setter)| {
            format!("/// | {setting} | {default} | [`{setter}`](Self::{setter}()) |")
        });
        let docs = include_str!("options.rs").lines();
        let table = docs.skip_while(|line| *line != "/// | setting | default | set with |").skip(2);
        let documented: Vec<&str> = table.take_while(|line| line.starts_with("/// |")).collect();
        assert_eq!(documented, expected);
    }

    fn seconds(limit: Duration) -> String {
        format!("{} s", limit.as_secs())
    }
}
