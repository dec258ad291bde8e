//! A temporary server with sample data, on a free port of the loopback address.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::clock::Clock;
use crate::config::Config;
use crate::demo_data::DemoData;
pub use crate::demo_history::DemoHistory;
use crate::error::{Error, ErrorKind};
use crate::server::{RunningServer, Server};
use crate::store::{AccountId, ImportMode, Store};
use crate::token::NewToken;

/// A running server with sample data. Dropping it stops the server and deletes the data.
#[derive(Debug)]
pub struct Demo {
    // In this order: the data is deleted when nothing uses it.
    _runtime: OwnRuntime,
    base_url: String,
    _running: RunningServer,
    data: Data,
    _folder: DemoFolder,
}

/// A runtime that ends on another thread, because this one may be of another runtime.
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

    /// Returns what changes the data of the server from day to day.
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

/// The database of a sample account, and a token of the account.
#[derive(Debug)]
pub(crate) struct Data {
    store: Arc<Store>,
    account: AccountId,
    pub(crate) token: NewToken,
}

/// Starts a server with sample data. Blocks until it answers.
///
/// The server has its own runtime, so this works inside and outside of asynchronous code.
///
/// # Errors
///
/// Fails if a temporary file cannot be created or no port can be bound.
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
    let (running, data, folder) = started.ok().flatten().ok_or_else(failed)??;
    let base_url = running.base_url();
    Ok(Demo { _runtime: runtime, base_url, _running: running, data, _folder: folder })
}

/// The folder of the database. Dropping it deletes the data.
#[derive(Debug)]
pub(crate) struct DemoFolder {
    /// Shows other processes that the folder is in use.
    _lock: File,
    folder: TempDir,
}

impl DemoFolder {
    /// Creates the folder. Removes those that processes left when a signal ended them: they have no lock, and have not changed
    /// for a minute.
    fn create() -> Result<Self, Error> {
        for entry in fs::read_dir(env::temp_dir()).into_iter().flatten().flatten() {
            let is_own = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
            // In a shared folder, others can put a pipe in place of the lock, and opening it would block.
            let there = entry.metadata().ok().filter(is_of_this_user);
            let changed = there.and_then(|there| there.modified().ok());
            let age = changed.and_then(|at| at.elapsed().ok()).unwrap_or_default();
            let lock = entry.path().join(LOCK);
            if is_own
                && age >= LEFTOVER_AGE
                && File::open(lock).is_ok_and(|lock| lock.try_lock().is_ok())
            {
                // Somebody else may remove it first.
                drop(fs::remove_dir_all(entry.path()));
            }
        }
        let folder = TempDir::with_prefix(PREFIX)?;
        let lock = File::create_new(folder.path().join(LOCK))?;
        // Some file systems have no locks.
        drop(lock.try_lock());
        Ok(Self { _lock: lock, folder })
    }
}

fn is_of_this_user(there: &fs::Metadata) -> bool {
    there.uid() == rustix::process::geteuid().as_raw()
}

/// Beginning of the name of a folder.
const PREFIX: &str = "gateway-demo-";

/// Name of the file that is locked while a folder is in use.
const LOCK: &str = "lock";

/// Minimum age of a leftover. A younger folder may be about to be locked.
const LEFTOVER_AGE: Duration = Duration::from_secs(60);

/// Starts the server on the current runtime. The returned folder contains the database and must outlive the server.
pub(crate) async fn serve(config: Config) -> Result<(RunningServer, Data, DemoFolder), Error> {
    let directory = DemoFolder::create()?;
    let now = Clock::system().now();
    let store = Arc::new(Store::open(directory.folder.path().join("demo.db"))?);
    let account = store.create_account("demo", now)?;
    store.import(account, ImportMode::Commit, &mut |stage| DemoData::default().fill(stage))?;
    let token = store.create_token(account, "demo", now, None)?;
    let running = Server::new(config, Arc::clone(&store)).start().await?;
    Ok((running, Data { store, account, token }, directory))
}
