//! The entry point: a mirror, and how it is served.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fmt, thread};

use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{Mirror, Order};
use tokio::sync::watch;

use crate::access::Access;
use crate::app::{FROM_FILE, app};
use crate::board::keeper::Keeper;
use crate::download::format::DownloadFormat;
use crate::download::slots;
use crate::error::Error;
use crate::outline::{Outline, title};
use crate::problem;
use crate::serve::serve;
use crate::shared::Shared;

/// Read-only pages over a mirror.
///
/// ```
/// use methodical_dashboard::mirror::Mirror;
/// use methodical_dashboard::mirror::model::tables::Mirrored;
/// use methodical_dashboard::{Dashboard, Error};
///
/// /// Serves the pages of a service until the process ends.
/// fn serve<S: Mirrored>(mirror: Mirror) -> Result<(), Error> {
///     let listening = Dashboard::of::<S>(mirror).listen("127.0.0.1:0".parse().unwrap())?;
///     println!("{}", listening.url());
///     listening.run()
/// }
/// ```
pub struct Dashboard {
    mirror: Mirror,
    outline: Outline,
    name: String,
    account: String,
    masks: bool,
    proxy: Option<String>,
    formats: Vec<Box<dyn DownloadFormat>>,
    now: Box<dyn Fn() -> i64 + Send + Sync>,
}

impl Dashboard {
    /// Creates the pages of a service over its mirror.
    pub fn of<S: Mirrored>(mirror: Mirror) -> Self {
        Self {
            mirror,
            outline: Outline::of::<S>(),
            name: "Mirror".to_owned(),
            account: String::new(),
            masks: false,
            proxy: None,
            formats: Vec::new(),
            now: Box::new(|| seconds(SystemTime::now())),
        }
    }

    /// Sets the name that is on every page.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Sets the account and the service that are on every page, such as `acme at photos.example.com`.
    #[must_use]
    pub fn account(self, account: &str) -> Self {
        Self { account: account.to_owned(), ..self }
    }

    /// Hides personal values until a reader asks for those of one record.
    #[must_use]
    pub fn mask(self) -> Self {
        Self { masks: true, ..self }
    }

    /// Adds a format in which readers download all records of a view.
    #[must_use]
    pub fn format(mut self, format: impl DownloadFormat + 'static) -> Self {
        self.formats.push(Box::new(format));
        self
    }

    /// Serves a proxy that readers reach at this host, such as `board.example.com`, by HTTPS. Only then may the server listen on
    /// an address that is not a loopback address. The proxy must pass on the host.
    #[must_use]
    pub fn behind_proxy(self, host: &str) -> Self {
        Self { proxy: Some(host.to_owned()), ..self }
    }

    /// Sets the clock by which pages say how old the data is.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Box::new(move || seconds(now())), ..self }
    }

    /// Creates the indexes of the mirror with which each page reads few rows, unless they exist. It takes some seconds for a
    /// million records, and later syncs keep the indexes. Without them, the pages of a large mirror are slow.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](methodical_mirror::ErrorKind::Busy) if another process syncs the mirror.
    pub fn index(&mut self) -> Result<(), methodical_mirror::Error> {
        let tables = self.mirror.tables()?;
        let exists = |name: &str| tables.iter().any(|status| status.table == name);
        for table in self.outline.tables.iter().filter(|table| exists(table.name())) {
            let text = title(table).map(|column| Order::Text(column.path().join("_")));
            let orders: Vec<Order> =
                [Order::FirstSeen, Order::Changed].into_iter().chain(text).collect();
            self.mirror.index_pages(table.name(), &orders)?;
        }
        for board in self.outline.boards.iter().filter(|one| exists(one.placements.table)) {
            self.mirror.index_placements(board.placements.table)?;
        }
        Ok(())
    }

    /// Listens on an address; port 0 picks a free port.
    ///
    /// # Errors
    ///
    /// Fails if the address is not a loopback address and [`behind_proxy`](Self::behind_proxy) names no host, or if it cannot
    /// be used.
    pub fn listen(self, address: SocketAddr) -> Result<Listening, Error> {
        if !address.ip().is_loopback() && self.proxy.is_none() {
            return Err(Error::new(format!(
                "cannot listen on {address}: others could read the records on their way; use a loopback address, or name the \
                 host of a proxy"
            )));
        }
        let failed = |error: std::io::Error| {
            Error::new(format!("cannot listen on {address}")).because(error)
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Shared {
            access: Access::new(address, self.proxy.as_deref())?,
            mirror: self.mirror,
            outline: self.outline,
            name: self.name,
            account: self.account,
            masks: self.masks,
            now: self.now,
            keeper: Keeper::default(),
            formats: self.formats,
            downloads: slots(),
        };
        let (stop, stopped) = watch::channel(false);
        Ok(Listening { listener, address, shared: Arc::new(shared), stop: Stopper(stop), stopped })
    }
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

impl fmt::Debug for Dashboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dashboard").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A dashboard that listens. Connections wait until [`run`](Self::run).
#[derive(Debug)]
pub struct Listening {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
    stop: Stopper,
    stopped: watch::Receiver<bool>,
}

impl Listening {
    /// Returns the first URL. It works once: treat it as a password until then.
    pub fn url(&self) -> String {
        self.shared.access.first_url().unwrap_or_default()
    }

    /// Returns an HTML document that opens the first URL. Write it to a file that only its owner can read, and open that file: other
    /// users can see the arguments of a program that opens a URL.
    pub fn open_page(&self) -> String {
        problem::open(&format!("{}?{FROM_FILE}", self.url()))
    }

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns what ends [`run`](Self::run) from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stop.clone()
    }

    /// Answers requests until it is stopped.
    ///
    /// # Errors
    ///
    /// Fails if the operating system has no resources for the server.
    pub fn run(self) -> Result<(), Error> {
        let failed = |error: std::io::Error| Error::new("cannot serve the pages").because(error);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        // The mirror answers one page after another.
        let runtime = runtime.enable_all().max_blocking_threads(8).build().map_err(failed)?;
        let Self { listener, shared, stopped, .. } = self;
        thread::scope(|scope| {
            let counting = thread::Builder::new().name("methodical-dashboard-counts".to_owned());
            counting.spawn_scoped(scope, || keep_counts(&shared)).map_err(failed)?;
            let served = runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
                serve(listener, app(Arc::clone(&shared)), &shared, stopped).await;
                Ok(())
            });
            shared.keeper.stop();
            served
        })
    }
}

/// Keeps the counts of the boards over another connection to the mirror. A mirror in memory has only one, so its pages count by
/// themselves.
fn keep_counts(shared: &Shared) {
    loop {
        let kept = match shared.mirror.reopened() {
            Ok(Some(mirror)) => shared.keeper.keep(&mirror, &shared.outline, &shared.now),
            Ok(None) => return,
            Err(error) => Err(error),
        };
        // The mirror failed: pages that need it show the error.
        if kept.is_ok() || shared.keeper.pauses_until_stopped() {
            return;
        }
    }
}

/// Ends a dashboard.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<bool>);

impl Stopper {
    /// Ends [`Listening::run`]. Pages that are being sent are cut.
    pub fn stop(&self) {
        let _sent = self.0.send(true);
    }
}
