//! A temporary server with sample data, on a free port of the loopback address.

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::MetadataExt as _;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::JoinHandle;
use std::time::Duration;
use std::{env, fs};

use tempfile::TempDir;
use tokio::sync::oneshot;

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
    base_url: String,
    data: Data,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
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

impl Drop for Demo {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has already been reported.
            drop(thread.join());
        }
    }
}

/// Starts a server with sample data. Blocks until it answers.
///
/// The server runs on its own thread and runtime, so this works inside and outside of asynchronous code.
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
    let (stop, stopped) = oneshot::channel::<()>();
    let (ready, wait) = sync_channel(1);
    let run = move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("gateway-demo")
            .enable_all()
            .build();
        let runtime = match runtime {
            Ok(runtime) => runtime,
            Err(error) => return drop(ready.send(Err(Error::from(error)))),
        };
        runtime.block_on(async {
            let config = Config {
                listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                rate: 0,
                wrong_tokens: 0,
                ..Config::default()
            };
            match serve(config).await {
                Ok((running, data, directory)) => {
                    if ready.send(Ok((running.base_url(), data))).is_ok() {
                        // An error means that the `Demo` was dropped, which is the signal to stop.
                        drop(stopped.await);
                    }
                    running.stop().await;
                    drop(directory);
                }
                Err(error) => drop(ready.send(Err(error))),
            }
        });
    };
    let thread = std::thread::Builder::new().name("gateway-demo".into()).spawn(run)?;
    let died = |error| Error::caused(ErrorKind::Io, "cannot start the demo server", error);
    let (base_url, data) = wait.recv().map_err(died)??;
    Ok(Demo { base_url, data, stop: Some(stop), thread: Some(thread) })
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
