//! How a server is set up. The defaults are meant for production behind nothing.

use std::net::{Ipv4Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use crate::clock::Clock;
use crate::front::body::LONGEST_ANSWER;
use crate::store::STATEMENT_BUDGET;

/// The settings of a server. Every limit has a name and a default.
///
/// A server takes the nearest sensible value for one that makes no sense, such as a reader too many for the threads
/// there are; the program `gateway-server` refuses it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Config {
    /// Where the service listens. Loopback unless told otherwise.
    pub listen: SocketAddr,
    /// Where health and metrics listen, if anywhere.
    pub ops_listen: Option<SocketAddr>,
    /// The path that stands before `/c/oauth/v1`.
    pub prefix: String,
    /// The files, in PEM, of the certificates and of the key of the first; with them the service speaks HTTPS.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// Requests per second and token in the long run; 0 is no limit.
    pub rate: u32,
    /// Requests at once per token.
    pub burst: u32,
    /// How many connections may be open. Each is a descriptor of the process, which must be let to have as many.
    pub connections: usize,
    /// How many calls to the database run at once.
    pub readers: usize,
    /// How long one statement of the database may take: what the store was given as its budget. A request waits as
    /// long for its turn, and three times as long for an answer, which may need a connection first.
    pub statement_timeout: Duration,
    /// From the first byte of a request head to its last.
    pub head_timeout: Duration,
    /// Between two requests on a connection.
    pub idle_timeout: Duration,
    /// How long a client may take not one byte of an answer.
    pub stall_timeout: Duration,
    /// How long one answer may take as a whole, 15 minutes at most: superseded data is not kept for longer.
    pub answer_timeout: Duration,
    /// How long answers may take to end after the server was told to stop.
    pub drain_timeout: Duration,
    /// Bytes of disk, in unnamed temporary files, for whole lists that were sent before; 0 keeps none.
    pub list_cache: u64,
    /// How many such files there may be.
    pub(crate) list_files: usize,
    /// Whether a line per request is written to standard error.
    pub access_log: bool,
    /// Tells when a token expires.
    pub clock: Clock,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            ops_listen: None,
            prefix: String::new(),
            tls: None,
            rate: 50,
            burst: 100,
            connections: 10_000,
            readers: 8,
            statement_timeout: STATEMENT_BUDGET,
            head_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(60),
            stall_timeout: Duration::from_secs(30),
            answer_timeout: LONGEST_ANSWER,
            drain_timeout: Duration::from_secs(30),
            list_cache: 1024 * 1024 * 1024,
            list_files: 128,
            access_log: false,
            clock: Clock::system(),
        }
    }
}

impl Config {
    /// Brings every setting to where the server can work with it.
    pub(crate) fn clamped(mut self) -> Self {
        let nearest =
            |range: RangeInclusive<usize>, own: usize| own.clamp(*range.start(), *range.end());
        self.connections = nearest(CONNECTIONS, self.connections);
        self.readers = nearest(READERS, self.readers);
        let longest = Duration::from_secs(*SECONDS.end());
        for timeout in [
            &mut self.statement_timeout,
            &mut self.head_timeout,
            &mut self.idle_timeout,
            &mut self.stall_timeout,
        ] {
            *timeout = (*timeout).clamp(Duration::from_millis(1), longest);
        }
        self.answer_timeout = self.answer_timeout.clamp(Duration::from_millis(1), LONGEST_ANSWER);
        self.drain_timeout = self.drain_timeout.min(longest);
        self
    }
}

/// Connections: one at least, and no more than any system has descriptors for.
pub(crate) const CONNECTIONS: RangeInclusive<usize> = 1..=1_000_000;

/// Calls to the database at once: each has a thread, and the runtime makes no more than so many.
pub(crate) const READERS: RangeInclusive<usize> = 1..=512;

/// Seconds of a timeout. A day is for ever to a connection, and far from where adding to a clock overflows.
pub(crate) const SECONDS: RangeInclusive<u64> = 1..=24 * 60 * 60;
