//! The settings of a server, and its clock. The defaults suit a production server that clients reach directly.

use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ipnet::IpNet;

use crate::front::recorder::EndedResponse;
use crate::store::STATEMENT_BUDGET;

/// The settings of a server. Every limit has a default. Only the program `gateway-server` checks the ranges; other
/// callers must stay within them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Address of the service. By default a loopback address.
    pub listen: SocketAddr,
    /// Address of health and metrics. Not served if unset.
    pub ops_listen: Option<SocketAddr>,
    /// Path prefix before `/c/oauth/v1`.
    pub prefix: String,
    /// PEM files of the certificate chain and of the private key. If set, the service speaks HTTPS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Proxies whose `X-Forwarded-For` names the client of a request. The header is ignored if anyone else sends it.
    pub trusted_proxies: Vec<IpNet>,
    /// Sustained requests per second and token; 0 means no limit.
    pub rate: u32,
    /// Maximum burst of requests per token.
    pub burst: u32,
    /// Wrong tokens per minute and client address; 0 means no limit.
    pub wrong_tokens: u32,
    /// Maximum number of open connections. Each needs a file descriptor, so the limit of the process must be higher.
    pub connections: usize,
    /// Maximum number of open connections of an address that is neither a loopback address nor a trusted proxy. An IPv6
    /// address counts by its first 64 bits. By default a quarter of [`connections`](Self::connections), at least 16.
    pub connections_per_address: Option<usize>,
    /// Maximum number of concurrent database readers.
    pub readers: usize,
    /// Timeout for one PostgreSQL statement, which must match the statement budget of the store. SQLite has no such
    /// timeout. A request waits up to this long for a reader, and then up to three times as long for the database,
    /// because the reader may have to connect first.
    pub statement_timeout: Duration,
    /// Timeout for receiving a complete request head, from its first byte.
    pub head_timeout: Duration,
    /// How long a connection may be idle, before its first request or between two requests.
    pub idle_timeout: Duration,
    /// How long a client may stop reading a response before the connection is closed.
    pub stall_timeout: Duration,
    /// Timeout for a whole response, at most 15 minutes: superseded data may be removed after that.
    pub response_timeout: Duration,
    /// Time for responses in progress to end after a call of [`RunningServer::stop`](crate::RunningServer::stop).
    pub drain_timeout: Duration,
    /// Whether each request emits a `tracing` event named `request`.
    pub access_log: bool,
    /// Counter of dropped log lines.
    pub(crate) log_lines_dropped: Arc<AtomicU64>,
    /// A function that is called when a response has ended, to export its span.
    pub(crate) on_end: Option<fn(&EndedResponse)>,
    /// Clock that decides when tokens expire.
    pub clock: Clock,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            ops_listen: None,
            prefix: String::new(),
            tls: None,
            trusted_proxies: Vec::new(),
            rate: 50,
            burst: 100,
            wrong_tokens: 60,
            connections: 10_000,
            connections_per_address: None,
            readers: 8,
            statement_timeout: STATEMENT_BUDGET,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            stall_timeout: Duration::from_secs(30),
            response_timeout: Duration::from_secs(LONGEST_RESPONSE),
            drain_timeout: Duration::from_secs(30),
            access_log: false,
            log_lines_dropped: Arc::default(),
            on_end: None,
            clock: Clock::system(),
        }
    }
}

/// Maximum and default of the response timeout, in seconds. Superseded rows are kept for at least this time.
pub(crate) const LONGEST_RESPONSE: u64 = 15 * 60;

/// A point in time, in whole seconds since 1970 (UTC), as stored in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixTime(pub i64);

/// A wall clock. Not used for durations, which are measured on the monotonic clock.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> UnixTime + Send + Sync>);

impl Clock {
    /// Creates a clock that reads the system time. A time before 1970 reads as 1970.
    pub fn system() -> Self {
        Self(Arc::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            UnixTime(i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
        }))
    }

    /// Creates a clock that calls `read` for the time.
    pub fn from_fn(read: impl Fn() -> UnixTime + Send + Sync + 'static) -> Self {
        Self(Arc::new(read))
    }

    /// Returns the current time.
    pub fn now(&self) -> UnixTime {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}
