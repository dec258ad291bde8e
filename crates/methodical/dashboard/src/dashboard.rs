//! The entry point: a mirror, and how it is served.

use std::error::Error as StdError;
use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{fmt, io};

use methodical_mirror::model::tables::Mirrored;
use methodical_mirror::{Mirror, Order};
use methodical_serve::{Acceptor, Connections, Listen, Phase};
use tokio::sync::{Semaphore, watch};

use crate::access::Access;
use crate::app::{FROM_FILE, app};
use crate::download::DOWNLOADS;
use crate::download::format::DownloadFormat;
use crate::login::Readers;
use crate::outline::Outline;
use crate::problem;
use crate::serve::{Pages, limits};
use crate::shared::Server;

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
    pub(crate) mirror: Mirror,
    pub(crate) outline: Outline,
    pub(crate) name: String,
    /// The account and the service.
    pub(crate) account: String,
    masks: bool,
    readers: Arc<dyn Fn() -> Readers + Send + Sync>,
    /// The output for the access log, if one is kept.
    pub(crate) log: Option<Mutex<Box<dyn Write + Send>>>,
    /// The groups of values and their order, as the team names them.
    pub(crate) order: Vec<(Option<String>, Vec<String>)>,
    proxy: Option<String>,
    tls: Option<Arc<Acceptor>>,
    /// The download formats.
    pub(crate) formats: Vec<DownloadFormat>,
    pub(crate) now: Box<dyn Fn() -> i64 + Send + Sync>,
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
            readers: Arc::new(Readers::default),
            log: None,
            order: Vec::new(),
            proxy: None,
            tls: None,
            formats: Vec::new(),
            now: Box::new(|| seconds(SystemTime::now())),
        }
    }

    /// Sets the name shown on every page.
    #[must_use]
    pub fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    /// Sets the account and the service shown on every page, such as `acme at photos.example.com`.
    #[must_use]
    pub fn account(self, account: &str) -> Self {
        Self { account: account.to_owned(), ..self }
    }

    /// Hides personal values until a reader reveals a single record.
    #[must_use]
    pub fn mask(self) -> Self {
        Self { masks: true, ..self }
    }

    /// Lets readers log in with a password. Each request of a reader calls `readers`, so that a change of rights
    /// applies to the next request. If the server is reachable from other machines, the first URL is then the login
    /// page.
    #[must_use]
    pub fn readers(self, readers: impl Fn() -> Readers + Send + Sync + 'static) -> Self {
        Self { readers: Arc::new(readers), ..self }
    }

    /// Writes a line for each page request: the time, the reader's name, the method, the path without its query, and
    /// the status. The name is `link` for a reader who used the first URL, and `-` without a session.
    #[must_use]
    pub fn access_log(self, log: impl Write + Send + 'static) -> Self {
        Self { log: Some(Mutex::new(Box::new(log))), ..self }
    }

    /// Sets the order of the funnel's values, such as statuses, and the names of their groups. Without it, the funnel
    /// guesses both and shows a note.
    #[must_use]
    pub fn order(self, groups: impl IntoIterator<Item = (Option<String>, Vec<String>)>) -> Self {
        Self { order: groups.into_iter().collect(), ..self }
    }

    /// Adds a format in which readers can download all records of a view.
    #[must_use]
    pub fn format(mut self, format: DownloadFormat) -> Self {
        self.formats.push(format);
        self
    }

    /// Serves behind a proxy that readers reach over HTTPS at this host, such as `board.example.com`. The server may
    /// then listen on an address that is not a loopback address. The proxy must pass on the host.
    #[must_use]
    pub fn behind_proxy(self, host: &str) -> Self {
        Self { proxy: Some(host.to_owned()), ..self }
    }

    /// Encrypts all connections, with a certificate and its key in PEM files. The server may then listen on an address
    /// that is not a loopback address. Readers reach it by the names in the certificate.
    ///
    /// # Errors
    ///
    /// Fails if a file cannot be read, or if the key does not match the certificate.
    pub fn tls(self, certificate: &Path, key: &Path) -> Result<Self, Error> {
        let acceptor = Acceptor::from_files(certificate, key)
            .map_err(|error| Error::new("cannot use TLS").because(error))?;
        Ok(Self { tls: Some(Arc::new(acceptor)), ..self })
    }

    /// Sets the clock that pages use to compute the age of the data.
    #[must_use]
    pub fn with_clock(self, now: impl Fn() -> SystemTime + Send + Sync + 'static) -> Self {
        Self { now: Box::new(move || seconds(now())), ..self }
    }

    /// Creates the indexes with which each page reads few rows of the mirror, unless they exist. This takes a few
    /// seconds for a million records, and later syncs maintain the indexes. Without them, the pages of a large mirror
    /// are slow.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](methodical_mirror::ErrorKind::Busy) if another process is syncing the mirror.
    pub fn index(&mut self) -> Result<(), methodical_mirror::Error> {
        let tables = self.mirror.tables()?;
        let exists = |name: &str| tables.iter().any(|status| status.table == name);
        for table in self.outline.tables.iter().filter(|table| exists(table.name())) {
            let text = table.titles().next().map(|column| Order::Text(column.name()));
            let orders: Vec<Order> =
                [Order::FirstSeen, Order::Changed].into_iter().chain(text).collect();
            self.mirror.index(table.name(), &orders)?;
        }
        if let Some(board) = self.outline.board.filter(|one| exists(one.placements.table)) {
            self.mirror.index(board.placements.table, &[])?;
        }
        Ok(())
    }

    /// Listens on an address; port 0 picks a free port.
    ///
    /// # Errors
    ///
    /// Fails if the address cannot be used, or is not a loopback address although neither [`tls`](Self::tls) nor
    /// [`behind_proxy`](Self::behind_proxy) is set.
    pub fn listen(self, address: SocketAddr) -> Result<Listening, Error> {
        if !address.ip().is_loopback() && self.proxy.is_none() && self.tls.is_none() {
            return Err(Error::new(format!(
                "cannot listen on {address}: others could read the records in transit; use TLS or a loopback address, or name \
                 the host of a proxy"
            )));
        }
        let failed =
            |error: io::Error| Error::new(format!("cannot listen on {address}")).because(error);
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let access = Access::new(
            address,
            self.proxy.as_deref(),
            self.tls.as_ref().map(|tls| tls.names()),
            Arc::clone(&self.readers),
            self.masks,
        )?;
        let connections = Connections::new(limits(self.proxy.is_some()));
        let tls = self.tls.clone();
        let server = Arc::new(Server {
            dashboard: self,
            access,
            known: Mutex::default(),
            downloads: Arc::new(Semaphore::new(DOWNLOADS)),
        });
        let (stop, stopped) = watch::channel(Phase::Serving);
        let pages = Arc::new(Pages { app: app(Arc::clone(&server)), server });
        let listen = Listen::new(Arc::clone(&pages), connections, tls, stopped);
        Ok(Listening { listener, address, pages, listen, stop: Stopper(stop) })
    }
}

fn seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

/// The reason why a dashboard cannot start.
#[derive(Debug)]
pub struct Error(Box<(String, Option<io::Error>)>);

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(Box::new((text.into(), None)))
    }

    pub(crate) fn because(mut self, source: impl Into<io::Error>) -> Self {
        self.0.1 = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.0)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(self.0.1.as_ref()?)
    }
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
    pages: Arc<Pages>,
    listen: Arc<Listen<Pages>>,
    stop: Stopper,
}

impl Listening {
    /// Returns the first URL. It works once: treat it as a password until then. With [readers](Dashboard::readers) and
    /// an address beyond this machine, it is the URL of the login page instead.
    pub fn url(&self) -> String {
        self.pages.server.access.first_url()
    }

    /// Returns an HTML document that opens the first URL. Write it to a file that only its owner can read, and open
    /// that file: other users can see the arguments of a program that opens a URL.
    pub fn open_page(&self) -> String {
        problem::open(&format!("{}?{FROM_FILE}", self.url()))
    }

    /// Returns the address on which the server listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops [`run`](Self::run) from another thread.
    pub fn stopper(&self) -> Stopper {
        self.stop.clone()
    }

    /// Answers requests until a [`Stopper`] stops it.
    ///
    /// # Errors
    ///
    /// Fails if the operating system lacks resources for the server.
    pub fn run(self) -> Result<(), Error> {
        let failed = |error: io::Error| Error::new("cannot serve the pages").because(error);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        // The mirror serves one page at a time.
        let runtime = runtime.enable_all().max_blocking_threads(8).build().map_err(failed)?;
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
            self.listen.run(listener, Phase::Cutting).await;
            Ok(())
        })
    }
}

/// A handle that stops [`Listening::run`] from another thread.
#[derive(Clone, Debug)]
pub struct Stopper(watch::Sender<Phase>);

impl Stopper {
    /// Ends [`Listening::run`]. Pages that are being sent are aborted.
    pub fn stop(&self) {
        self.0.send_replace(Phase::Cutting);
    }
}
