//! The connector, its options, and the course of one connection.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::postgres::Client;

use crate::error::{Error, ErrorKind, explain};
use crate::settings::{MIN_TIMEOUT, Settings};

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    notice: Notice,
    /// The messages that were given, so that a new connection does not repeat them.
    noticed: Mutex<BTreeSet<String>>,
    /// Attempts that have not ended.
    attempts: AtomicUsize,
}

/// Receives messages for the operator. They never contain a password.
type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// Reads an environment variable.
type Environment = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the files that both name.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Setting`] if one of them is invalid. The text does not repeat the URL, because it may
    /// contain a password.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_postgres::{Connector, ErrorKind, Options};
    ///
    /// let error = Connector::new("postgres://u:secret@db.example/d?sslmode=on", Options::new("archive"));
    /// let error = error.unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Setting);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "sslmode must be disable, prefer, require, verify-ca or verify-full"
    /// );
    /// ```
    pub fn new(url: &str, options: Options) -> Result<Self, Error> {
        let Options { application, environment, notice } = options;
        let mut settings = Settings::parse(url, &environment)?;
        if settings.config.get_application_name().is_none() {
            settings.config.application_name(&application);
        }
        let (noticed, attempts) = (Mutex::default(), AtomicUsize::new(0));
        Ok(Self { shared: Arc::new(Shared { settings, notice, noticed, attempts }) })
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// `timeout` limits the wait for a silent peer: the attempt at each host, unless the URL has `connect_timeout`, and
    /// the TCP timeouts that the URL does not set. It is at least 5 seconds.
    ///
    /// # Errors
    ///
    /// The failure of the last host that was tried.
    pub fn open(&self, timeout: Duration) -> Result<Client, Error> {
        self.open_within(timeout, Duration::MAX)
    }

    /// Connects as [`open`](Self::open) does, and repeats this for at most `limit` while no host can be reached.
    ///
    /// A notice says that it waits. A refused password or an unknown database fails without waiting.
    ///
    /// # Errors
    ///
    /// As those of [`open`](Self::open). After the limit, [`Error::waited`] returns it.
    pub fn open_waiting(&self, timeout: Duration, limit: Duration) -> Result<Client, Error> {
        if limit.is_zero() {
            return self.open(timeout);
        }
        let (started, notice) = (Instant::now(), &self.shared.notice);
        let mut announced = false;
        loop {
            let left = limit.saturating_sub(started.elapsed());
            let error = match self.open_within(timeout, left) {
                Ok(client) => {
                    if announced {
                        let waited = started.elapsed().as_secs();
                        notice(&format!("connected to the database after {waited} s"));
                    }
                    return Ok(client);
                }
                Err(error) => error,
            };
            if !matches!(error.kind(), ErrorKind::Busy | ErrorKind::Unreachable) {
                return Err(error);
            }
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(error.after(limit));
            }
            if !announced {
                let limit = limit.as_secs();
                notice(&format!("waiting up to {limit} s for the database: {error}"));
                announced = true;
            }
            std::thread::park_timeout(left.min(PAUSE));
        }
    }

    /// Connects on another thread: a name server or a silent socket would block this one for longer than the limit. Such a
    /// thread ends when its peer answers or is gone, so there may be few of them.
    fn open_within(&self, timeout: Duration, limit: Duration) -> Result<Client, Error> {
        let timeout = timeout.max(MIN_TIMEOUT);
        let config = &self.shared.settings.config;
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
        let each = config.get_connect_timeout().copied().unwrap_or(timeout);
        let limit = limit.min(each.saturating_mul(hosts));
        let no_answer = || {
            let names = self.shared.settings.names();
            Error::new(ErrorKind::Unreachable, format!("{names}: no answer"))
        };
        if self.shared.attempts.load(Ordering::Relaxed) >= ATTEMPTS {
            return Err(no_answer());
        }
        let (sender, receiver) = sync_channel(1);
        let shared = Arc::clone(&self.shared);
        shared.attempts.fetch_add(1, Ordering::Relaxed);
        std::thread::spawn(move || {
            let opened = shared.open(timeout);
            shared.attempts.fetch_sub(1, Ordering::Relaxed);
            sender.send(opened).is_ok()
        });
        receiver.recv_timeout(limit).unwrap_or_else(|_error| Err(no_answer()))
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("hosts", &self.shared.settings.names()).finish()
    }
}

impl Shared {
    fn open(&self, timeout: Duration) -> Result<Client, Error> {
        let (config, warning) = self.settings.config(timeout);
        if let Some(warning) = warning {
            self.notice_once(warning);
        }
        let connected = config.connect(self.settings.tls.clone());
        let client = connected.map_err(|error| explain(&error, &self.settings))?;
        if let Some(warning) = self.settings.warning() {
            self.notice_once(warning);
        }
        Ok(client)
    }

    fn notice_once(&self, text: String) {
        // A set is usable also after a thread panicked with it.
        let mut noticed = self.noticed.lock().unwrap_or_else(PoisonError::into_inner);
        if !noticed.contains(&text) {
            (self.notice)(&text);
            noticed.insert(text);
        }
    }
}

/// Options of a [`Connector`].
///
/// # Examples
///
/// ```
/// use methodical_postgres::{Connector, Options};
///
/// let options = Options::new("archive").notice(|text| eprintln!("{text}"));
/// let connector = Connector::new("postgres://archive@localhost/archive", options)?;
/// # Ok::<(), methodical_postgres::Error>(())
/// ```
pub struct Options {
    application: String,
    environment: Environment,
    notice: Notice,
}

impl Options {
    /// Returns the default: reads the environment of the process, and drops notices.
    ///
    /// `application` is the name of the program in the views of the database, unless the URL has `application_name`.
    pub fn new(application: impl Into<String>) -> Self {
        Self {
            application: application.into(),
            environment: Box::new(|name| std::env::var(name).ok()),
            notice: Box::new(|_text| {}),
        }
    }

    /// Sets what replaces the environment variables of the process.
    #[must_use]
    pub fn environment(
        mut self,
        read: impl Fn(&str) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.environment = Box::new(read);
        self
    }

    /// Sets the receiver of warnings, and of messages while waiting. They never contain a password.
    ///
    /// A warning is given once, also if it applies to many connections.
    #[must_use]
    pub fn notice(mut self, receiver: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notice = Box::new(receiver);
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options").field("application", &self.application).finish_non_exhaustive()
    }
}

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of attempts at a time.
const ATTEMPTS: usize = 64;
