//! The connector, and the course of one connection.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

use ::postgres::Client;

use crate::error::{Error, ErrorKind};
use crate::settings::Settings;

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector(Arc<Settings>);

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the files of TLS that both name.
    ///
    /// `application` is the name of the program in the views of the database, unless the URL has `application_name`.
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
    /// let error = Connector::new(url, "archive").unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::Setting);
    /// assert_eq!(
    ///     error.to_string(),
    ///     "sslmode must be disable, prefer, require, verify-ca or verify-full"
    /// );
    /// ```
    pub fn new(url: &str, application: &str) -> Result<Self, Error> {
        let mut settings = Settings::parse(url, &|name| std::env::var(name).ok())?;
        if settings.config.get_application_name().is_none() {
            settings.config.application_name(application);
        }
        Ok(Self(Arc::new(settings)))
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// Each host has 10 seconds for the whole attempt, unless the URL has `connect_timeout`.
    /// While 64 attempts have no answer, it fails immediately.
    ///
    /// # Errors
    ///
    /// The failure of the last host that was tried, or of the password file.
    pub fn open(&self) -> Result<Client, Error> {
        let Self(settings) = self;
        let unreachable = |cause: &str| {
            let text = format!("{}: {cause}", settings.names());
            Err(Error::new(ErrorKind::Unreachable, text))
        };
        // Each attempt holds the settings until it ends. A peer that never answers keeps its thread and its socket.
        if Arc::strong_count(settings) > ATTEMPTS {
            return unreachable("too many earlier attempts have no answer");
        }
        // On another thread: a name server or a silent socket would block this one for longer than the limit.
        let (sender, receiver) = sync_channel(1);
        let own = Arc::clone(settings);
        let attempt = move || sender.send(own.connect()).is_ok();
        if let Err(error) = Builder::new().spawn(attempt) {
            return unreachable(&format!("cannot start a thread: {error}"));
        }
        let hosts = u32::try_from(settings.config.get_hosts().len()).unwrap_or(u32::MAX);
        let each = settings.config.get_connect_timeout();
        let limit = each.map_or(Duration::MAX, |each| each.saturating_mul(hosts));
        receiver.recv_timeout(limit).unwrap_or_else(|_timeout| unreachable("no answer"))
    }

    /// Connects as [`open`](Self::open) does, and begins further attempts for at most `limit` while no host can be reached.
    ///
    /// `notice` receives a warning if a connection to another machine may be unencrypted or unverified, and a message
    /// when it begins to wait; both without a password. A refused password or an unknown database fails without waiting.
    ///
    /// # Errors
    ///
    /// As those of [`open`](Self::open).
    pub fn open_waiting(&self, limit: Duration, notice: impl Fn(&str)) -> Result<Client, Error> {
        if let Some(warning) = self.0.warning() {
            notice(&warning);
        }
        let (started, mut is_noticed) = (Instant::now(), false);
        loop {
            match self.open() {
                Err(error)
                    if matches!(error.kind(), ErrorKind::Busy | ErrorKind::Unreachable)
                        && started.elapsed() < limit =>
                {
                    if !is_noticed {
                        let seconds = limit.as_secs();
                        notice(&format!("waiting up to {seconds} s for the database: {error}"));
                    }
                    is_noticed = true;
                    std::thread::park_timeout(PAUSE);
                }
                opened => return opened,
            }
        }
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("hosts", &self.0.names()).finish_non_exhaustive()
    }
}

/// Maximum number of attempts at a time, less the clones of the connector.
const ATTEMPTS: usize = 64;

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);
