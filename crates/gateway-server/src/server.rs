//! A server: from a configuration and a store to an address that answers, and back.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::config::Config;
use crate::error::{Error, ErrorKind};
use crate::front::Front;
use crate::front::body::LONGEST_ANSWER;
use crate::front::limit::RateLimits;
use crate::front::list_cache::ListCache;
use crate::front::log::AccessLog;
use crate::front::work::Work;
use crate::listen::guard::Patience;
use crate::listen::head::HeadLimits;
use crate::listen::{Listen, Phase, REFUSALS, tls};
use crate::ops::Ops;
use crate::store::Store;

/// A server that is set up and not yet started.
#[derive(Debug)]
pub struct Server {
    config: Config,
    store: Arc<dyn Store>,
}

impl Server {
    /// Sets up a server.
    pub fn new(config: Config, store: Arc<dyn Store>) -> Self {
        Self { config: config.clamped(), store }
    }

    /// Binds the address and begins to serve on the current runtime.
    ///
    /// # Errors
    ///
    /// Fails when the address is taken or may not be bound.
    pub async fn start(self) -> Result<RunningServer, Error> {
        let Self { config, store } = self;
        let listener = bind(config.listen).await?;
        let address = listener.local_addr()?;
        let (phase, watched) = watch::channel(Phase::Serving);
        let log = if config.access_log {
            AccessLog::to(std::io::stderr())?
        } else {
            AccessLog::default()
        };
        let work = Work::new(store, config.readers, config.statement_timeout);
        let front = Arc::new(Front {
            path: Front::path_below(&config.prefix),
            work: work.clone(),
            clock: config.clock.clone(),
            limits: RateLimits::new(config.rate, config.burst),
            lists: Arc::new(ListCache::new(config.list_cache, config.list_files)),
            answer_timeout: config.answer_timeout,
            log,
            metrics: Arc::default(),
        });
        let limit = config.connections;
        let connections = Arc::new(Semaphore::new(limit));
        let ops_address = match config.ops_listen {
            Some(address) => {
                let listener = bind(address).await?;
                let address = listener.local_addr()?;
                let ops = Ops::new(Arc::clone(&front), watched.clone());
                tokio::spawn(Arc::new(ops).run(listener));
                Some(address)
            }
            None => None,
        };
        let tls = match &config.tls {
            Some((certificate, key)) => Some(Arc::new(tls::acceptor(certificate, key)?)),
            None => None,
        };
        let listen = Arc::new(Listen {
            front,
            head_limits: HeadLimits::default(),
            patience: Patience {
                head: config.head_timeout,
                idle: config.idle_timeout,
                stall: config.stall_timeout,
                answer: config.answer_timeout,
            },
            connections: Arc::clone(&connections),
            refusals: Arc::new(Semaphore::new(REFUSALS)),
            tls: tls.clone(),
            phase: watched,
        });
        let accepting = tokio::spawn(listen.run(listener));
        tokio::spawn(collect(work, phase.subscribe()));
        Ok(RunningServer {
            address,
            ops_address,
            tls,
            prefix: config.prefix.trim_end_matches('/').to_owned(),
            drain: config.drain_timeout,
            phase,
            connections,
            limit,
            accepting,
        })
    }
}

/// A server that serves. Dropping it cuts everything; [`stop`](Self::stop) lets answers end.
pub struct RunningServer {
    address: SocketAddr,
    ops_address: Option<SocketAddr>,
    tls: Option<Arc<tls::Acceptor>>,
    prefix: String,
    drain: Duration,
    phase: watch::Sender<Phase>,
    connections: Arc<Semaphore>,
    limit: usize,
    accepting: tokio::task::JoinHandle<()>,
}

impl RunningServer {
    /// Returns the bound address, with the real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns where health and metrics are answered.
    pub fn ops_address(&self) -> Option<SocketAddr> {
        self.ops_address
    }

    /// Returns what a client is given as base URL.
    pub fn base_url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        format!("{scheme}://{}{}", self.address, self.prefix)
    }

    /// Reads the certificates and the key again, for connections from now on.
    ///
    /// # Errors
    ///
    /// Fails when a file cannot be read, or when they are no pair. Those that were read before stay then.
    pub fn renew_certificates(&self) -> Result<(), Error> {
        self.tls.as_ref().map_or(Ok(()), |tls| tls.renew())
    }

    /// Stops taking requests, lets answers end within the drain limit, and cuts what is left.
    ///
    /// Returns true if nothing had to be cut.
    pub async fn stop(self) -> bool {
        self.phase.send_replace(Phase::Draining);
        // The listener is closed when the loop has ended; from then on nobody new is let in.
        let Self { accepting, connections, limit, drain, phase, .. } = self;
        drop(accepting.await);
        let all = u32::try_from(limit).unwrap_or(u32::MAX);
        let drained = tokio::time::timeout(drain, connections.acquire_many(all)).await.is_ok();
        phase.send_replace(Phase::Cutting);
        drained
    }
}

impl fmt::Debug for RunningServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningServer").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Removes superseded rows now and then, once no answer can be reading them any more.
async fn collect(work: Work, mut phase: watch::Receiver<Phase>) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(COLLECT_EVERY) => {}
            _ = phase.wait_for(|phase| *phase > Phase::Serving) => return,
        }
        // What could not be removed now is removed the next time.
        drop(work.tidy(move |store| store.collect(2 * LONGEST_ANSWER)).await);
    }
}

const COLLECT_EVERY: Duration = Duration::from_secs(5 * 60);

async fn bind(address: SocketAddr) -> Result<TcpListener, Error> {
    TcpListener::bind(address).await.map_err(|error| {
        Error::caused(ErrorKind::Listen, format!("{address} cannot be listened on"), error)
    })
}
