//! The connector, and the course of one connection.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use ::postgres::Client;
use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, explain};
use crate::settings::{Settings, TIMEOUT};

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    settings: Settings,
    /// Receives messages for the operator. They never contain a password.
    notice: Box<dyn Fn(&str) + Send + Sync>,
    /// The messages that were given, so that a new connection does not repeat them.
    noticed: Mutex<BTreeSet<String>>,
    /// Attempts that have not ended.
    attempts: AtomicUsize,
}

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the files that both name.
    ///
    /// `application` is the name of the program in the views of the database, unless the URL has `application_name`.
    /// `notice` receives warnings, each of them once, and messages while waiting. They never contain a password.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Setting`] if one of them is invalid. The text does not repeat the URL, because it may
    /// contain a password.
    ///
    /// # Examples
    ///
    /// ```
    /// use methodical_postgres::{Connector, ErrorKind};
    ///
    /// let url = "postgres://u:secret@db.example/d?sslmode=on";
    /// let error = Connector::new(url, "archive", |text| eprintln!("{text}")).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Setting);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "sslmode must be disable, prefer, require, verify-ca or verify-full"
    /// );
    /// ```
    pub fn new(
        url: &str,
        application: &str,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let mut settings = Settings::parse(url, &|name| std::env::var(name).ok())?;
        if settings.config.get_application_name().is_none() {
            settings.config.application_name(application);
        }
        let notice = Box::new(notice);
        let (noticed, attempts) = (Mutex::default(), AtomicUsize::new(0));
        Ok(Self { shared: Arc::new(Shared { settings, notice, noticed, attempts }) })
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// Each host has 10 seconds for the whole attempt, unless the URL has `connect_timeout`.
    ///
    /// # Errors
    ///
    /// The failure of the last host that was tried.
    pub fn open(&self) -> Result<Client, Error> {
        self.open_within(Duration::MAX)
    }

    /// Connects as [`open`](Self::open) does, and repeats this for at most `limit` while no host can be reached.
    ///
    /// A notice says that it waits. A refused password or an unknown database fails without waiting.
    ///
    /// # Errors
    ///
    /// As those of [`open`](Self::open).
    pub fn open_waiting(&self, limit: Duration) -> Result<Client, Error> {
        if limit.is_zero() {
            return self.open();
        }
        let (started, seconds, notice) = (Instant::now(), limit.as_secs(), &self.shared.notice);
        let left = || limit.saturating_sub(started.elapsed());
        let is_temporary =
            |error: &Error| matches!(error.kind(), ErrorKind::Busy | ErrorKind::Unreachable);
        let mut announced = false;
        loop {
            match self.open_within(left()) {
                Err(error) if is_temporary(&error) && left().is_zero() => {
                    let text = format!("{error}; gave up after {seconds} s");
                    return Err(Error::new(error.kind(), text));
                }
                Err(error) if is_temporary(&error) => {
                    if !std::mem::replace(&mut announced, true) {
                        notice(&format!("waiting up to {seconds} s for the database: {error}"));
                    }
                    std::thread::park_timeout(left().min(PAUSE));
                }
                opened => {
                    if announced && opened.is_ok() {
                        let waited = started.elapsed().as_secs();
                        notice(&format!("connected to the database after {waited} s"));
                    }
                    return opened;
                }
            }
        }
    }

    /// Connects on another thread: a name server or a silent socket would block this one for longer than the limit. Such a
    /// thread ends when its peer answers or is gone, so there may be few of them.
    fn open_within(&self, limit: Duration) -> Result<Client, Error> {
        let config = &self.shared.settings.config;
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(u32::MAX);
        let each = config.get_connect_timeout().copied().unwrap_or(TIMEOUT);
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
            let opened = shared.open();
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
    fn open(&self) -> Result<Client, Error> {
        let mut config = self.settings.config.clone();
        match self.settings.find_password() {
            Ok(Some(password)) => drop(config.password(password)),
            Ok(None) => {}
            Err(warning) => self.notice_once(warning),
        }
        let connected = config.connect(self.settings.tls.clone());
        let client = connected.map_err(|error| explain(&error, &self.settings))?;
        if let Some(warning) = self.settings.warning() {
            self.notice_once(warning);
        }
        Ok(client)
    }

    fn notice_once(&self, text: String) {
        let mut noticed = self.noticed.lock();
        if !noticed.contains(&text) {
            (self.notice)(&text);
            noticed.insert(text);
        }
    }
}

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);

/// Maximum number of attempts at a time.
const ATTEMPTS: usize = 64;
