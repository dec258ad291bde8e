//! Starting and stopping a server.

#[cfg(feature = "test-util")]
use std::net::IpAddr;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use methodical_serve::{Acceptor, Connections, Limits, Listen, Phase, Shares};
#[cfg(feature = "test-util")]
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cleanup::Cleanup;
use crate::config::{Clock, Config};
use crate::error::{Error, ErrorKind};
use crate::front::Front;
use crate::front::limit::{Guesses, RateLimits};
use crate::front::metrics::Metrics;
#[cfg(feature = "test-util")]
use crate::front::work::Latency;
use crate::front::work::Work;
use crate::ops::{self, Ops};
use crate::store::Store;

/// A server that is configured but not started.
#[derive(Debug)]
pub struct Server {
    config: Config,
    store: Arc<Store>,
}

impl Server {
    /// Creates a server that answers from `store`.
    pub fn new(config: Config, store: Arc<Store>) -> Self {
        Self { config, store }
    }

    /// Binds the address and starts serving, in tasks of the current runtime.
    ///
    /// # Errors
    ///
    /// Fails if an address cannot be bound, or if the certificates or their key cannot be used.
    pub async fn start(self) -> Result<RunningServer, Error> {
        let Self { config, store } = self;
        let listener = bind(config.listen).await?;
        let address = listener.local_addr()?;
        let work = Work::new(store, config.readers, config.statement_timeout);
        let (phase, watched) = watch::channel(Phase::Serving);
        let tls = acceptor(&config)?;
        let (listen, metrics) = assemble(&config, &work, tls.clone(), watched)?;
        let cleanup = Arc::new(Cleanup::default());
        let mut ops_address = None;
        if let Some(address) = config.ops_listen {
            let listener = bind(address).await?;
            ops_address = Some(listener.local_addr()?);
            let ops = Ops {
                metrics,
                work: work.clone(),
                cleanup: Arc::clone(&cleanup),
                tls: tls.clone(),
                connections: config.connections,
                phase: phase.subscribe(),
                started: Clock::system().now(),
            };
            let (ops, watched) = (Arc::new(ops), phase.subscribe());
            let listen = Listen::new(ops, Connections::new(ops::limits()), None, watched);
            // This listener keeps serving while the server drains, so that `/readyz` sends clients elsewhere.
            tokio::spawn(listen.run(listener, Phase::Cutting));
        }
        let accepting = tokio::spawn(Arc::clone(&listen).run(listener, Phase::Draining));
        tokio::spawn(cleanup.run(work, config.clock, phase.subscribe()));
        let prefix = config.prefix.trim_end_matches('/').to_owned();
        let drain = config.drain_timeout;
        Ok(RunningServer { address, ops_address, tls, prefix, drain, phase, listen, accepting })
    }
}

#[cfg(feature = "test-util")]
impl Server {
    /// Creates the same server without an address, threads or tasks, for simulations: it serves the connections that it
    /// is given. Unstable: it may change or disappear in any release.
    ///
    /// Each page is read after a delay that `latency` returns, so that the data can change between pages.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`start`](Self::start), except those about the address.
    pub fn unbound(
        self,
        latency: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Result<UnboundServer, Error> {
        let Config { readers, statement_timeout, .. } = self.config;
        let work = Work::new(self.store, readers, statement_timeout)
            .without_threads(Latency(Arc::new(latency)));
        let (phase, watched) = watch::channel(Phase::Serving);
        let (listen, _metrics) = assemble(&self.config, &work, None, watched)?;
        Ok(UnboundServer { listen, _phase: phase })
    }
}

/// A server without an address: it serves the connections that it is given. Unstable: it may change or disappear in any
/// release.
#[cfg(feature = "test-util")]
#[derive(Debug)]
pub struct UnboundServer {
    listen: Arc<Listen<Front>>,
    _phase: watch::Sender<Phase>,
}

#[cfg(feature = "test-util")]
impl UnboundServer {
    /// Serves a connection without TLS until it ends.
    pub fn serve<T>(&self, connection: T, peer: IpAddr) -> impl Future<Output = ()> + Send + use<T>
    where
        T: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Arc::clone(&self.listen).serve(connection, peer)
    }
}

/// Creates the parts of a server that need no address.
fn assemble(
    config: &Config,
    work: &Work,
    tls: Option<Arc<Acceptor>>,
    phase: watch::Receiver<Phase>,
) -> Result<(Arc<Listen<Front>>, Arc<Metrics>), Error> {
    let a_quarter = (config.connections / 4).max(16);
    let connections = Connections::new(Limits {
        connections: config.connections,
        connections_per_address: config.connections_per_address.unwrap_or(a_quarter).max(1),
        unlimited: config.trusted_proxies.clone(),
        queue: false,
        body: 0,
        head: config.head_timeout,
        idle: config.idle_timeout,
        stall: config.stall_timeout,
        response: config.response_timeout,
        age: CONNECTION_AGE,
    });
    let metrics = Metrics::new(Arc::clone(&connections), Arc::clone(&config.log_lines_dropped))
        .map(Arc::new)
        .map_err(|error| Error::caused(ErrorKind::Config, "cannot set up a metric", error))?;
    let front = Front {
        config: config.clone(),
        path: Front::path_below(&config.prefix),
        work: work.clone(),
        limits: RateLimits::per_second(config.rate, config.burst),
        guesses: Guesses::per_minute(config.wrong_tokens),
        // Maximum number of lists that are sent concurrently with one token.
        lists_open: Shares::new((config.connections / 8).max(4)),
        metrics: Arc::clone(&metrics),
    };
    Ok((Listen::new(Arc::new(front), connections, tls, phase), metrics))
}

/// Age from which a connection accepts no further requests, so that clients spread again over the servers.
const CONNECTION_AGE: Duration = Duration::from_secs(60 * 60);

/// A running server. Dropping it closes every connection immediately; [`stop`](Self::stop) lets responses in progress
/// end first.
pub struct RunningServer {
    address: SocketAddr,
    ops_address: Option<SocketAddr>,
    tls: Option<Arc<Acceptor>>,
    prefix: String,
    drain: Duration,
    phase: watch::Sender<Phase>,
    listen: Arc<Listen<Front>>,
    accepting: tokio::task::JoinHandle<()>,
}

impl RunningServer {
    /// Returns the bound address, with the actual port if the configured one was 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the bound address of health and metrics, if one is configured.
    pub fn ops_address(&self) -> Option<SocketAddr> {
        self.ops_address
    }

    /// Returns the base URL for clients.
    pub fn base_url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.address, self.prefix)
    }

    /// Reloads the certificates and the key, for new connections. Does nothing without HTTPS.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read or the key does not match the certificate. The old certificates stay in use.
    pub fn renew_certificates(&self) -> Result<(), Error> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.renew().map_err(|error| unusable(&error)))
    }

    /// Stops accepting requests, waits for responses up to the drain timeout, and closes the remaining connections.
    ///
    /// Returns whether all responses ended in time.
    pub async fn stop(self) -> bool {
        self.phase.send_replace(Phase::Draining);
        // From here on, the listener is closed and no new connection is admitted.
        let Self { accepting, listen, drain, phase, .. } = self;
        drop(accepting.await);
        let drained = listen.closed(drain).await;
        phase.send_replace(Phase::Cutting);
        // Let the connections close on their own, so that the log says how each response ended.
        listen.closed(CUT_TIMEOUT).await;
        drained
    }
}

/// Timeout for the connections that remain after the drain timeout to close.
const CUT_TIMEOUT: Duration = Duration::from_secs(1);

impl fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Reads the certificates and the key, if the configuration names them.
pub(crate) fn acceptor(config: &Config) -> Result<Option<Arc<Acceptor>>, Error> {
    let Some((certificate, key)) = &config.tls else { return Ok(None) };
    Acceptor::from_files(certificate, key)
        .map(|tls| Some(Arc::new(tls)))
        .map_err(|error| unusable(&error))
}

/// Returns the error for a certificate or key that cannot be used.
fn unusable(error: &io::Error) -> Error {
    Error::new(ErrorKind::Listen, error.to_string())
}

async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::caused(ErrorKind::Listen, format!("cannot listen on {address}"), error)
    })
}
