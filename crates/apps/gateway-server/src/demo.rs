//! A temporary server with sample data, on a free port of the loopback address.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::runtime::Runtime;

use crate::config::{Clock, Config};
use crate::demo_data::DemoData;
pub use crate::demo_history::DemoHistory;
use crate::error::{Error, ErrorKind};
use crate::server::{RunningServer, Server};
use crate::store::{AccountId, ImportMode, Store};
use crate::token::NewToken;

/// A running server with sample data in memory. Dropping it stops the server.
#[derive(Debug)]
pub struct Demo {
    _runtime: OwnRuntime,
    base_url: String,
    _running: RunningServer,
    data: Data,
}

/// A runtime that is dropped on another thread, because the current thread may belong to a runtime.
#[derive(Debug)]
struct OwnRuntime(Option<Runtime>);

impl Drop for OwnRuntime {
    fn drop(&mut self) {
        let runtime = self.0.take();
        drop(std::thread::spawn(move || drop(runtime)).join());
    }
}

impl Demo {
    /// Returns the base URL to give to a client.
    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    /// Returns a token of the sample account.
    pub fn token(&self) -> &str {
        self.data.token.reveal()
    }

    /// Returns the history, which can set the server's data to its state on a day.
    ///
    /// ```
    /// use gateway_server::demo::{self, DemoHistory};
    ///
    /// let demo = demo::start()?;
    /// let history = demo.history();
    /// for day in 0..DemoHistory::DAYS {
    ///     history.set_day(day)?;
    ///     // Read the lists of `demo.base_url()` here.
    /// }
    /// # Ok::<(), gateway_server::Error>(())
    /// ```
    pub fn history(&self) -> DemoHistory {
        DemoHistory::new(Arc::clone(&self.data.store), self.data.account)
    }
}

/// A database with a sample account, and a token of that account.
#[derive(Debug)]
pub(crate) struct Data {
    store: Arc<Store>,
    account: AccountId,
    pub(crate) token: NewToken,
}

/// Starts a server with sample data. Blocks until it accepts requests.
///
/// The server has its own runtime, so this works both inside and outside async code.
///
/// # Errors
///
/// Fails if no port can be bound.
///
/// # Examples
///
/// ```
/// let demo = gateway_server::demo::start()?;
/// assert!(demo.base_url().starts_with("http://127.0.0.1:"));
/// assert!(demo.token().starts_with("gwt_"));
/// # Ok::<(), gateway_server::Error>(())
/// ```
pub fn start() -> Result<Demo, Error> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_name("gateway-demo")
        .enable_all()
        .build()?;
    let runtime = OwnRuntime(Some(runtime));
    let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let config = Config { listen, rate: 0, wrong_tokens: 0, ..Config::default() };
    let serve = || runtime.0.as_ref().map(|runtime| runtime.block_on(serve(config)));
    let started = std::thread::scope(|scope| scope.spawn(serve).join());
    // A panic has already been reported.
    let failed = || Error::new(ErrorKind::Io, "cannot start the demo server");
    let (running, data) = started.ok().flatten().ok_or_else(failed)??;
    let base_url = running.base_url();
    Ok(Demo { _runtime: runtime, base_url, _running: running, data })
}

/// Starts the server on the current runtime.
pub(crate) async fn serve(config: Config) -> Result<(RunningServer, Data), Error> {
    let now = Clock::system().now();
    let store = Arc::new(Store::in_memory()?);
    let account = store.create_account("demo", now)?;
    store.import(account, ImportMode::Commit, &mut |stage| DemoData::default().fill(stage))?;
    let token = store.create_token(account, "demo", now, None)?;
    let running = Server::new(config, Arc::clone(&store)).start().await?;
    Ok((running, Data { store, account, token }))
}
