//! Connections to PostgreSQL as libpq opens them: TLS, passwords, several hosts, and a limit on every wait.
//!
//! A [`Connector`] reads the URL of a database once, with the environment variables and files of libpq. It then opens
//! any number of connections of the crate `postgres`. It knows no table.
//!
//! # Example
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use methodical_postgres::Connector;
//!
//! let url = "postgres://archive@db1.example,db2.example/archive?sslmode=verify-full";
//! let connector = Connector::new(url, "archive")?;
//! let mut client = connector.open_waiting(Duration::from_secs(60), |text| eprintln!("{text}"))?;
//! assert!(client.is_valid(Duration::from_secs(1)).is_ok());
//! # Ok::<(), methodical_postgres::Error>(())
//! ```
//!
//! # Settings
//!
//! The URL has the form `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/NAME?PARAMETER=VALUE`. These parameters have the
//! meaning that the [documentation of libpq] gives them. Other parameters are refused.
//!
//! | parameter | environment | meaning |
//! |---|---|---|
//! | `sslmode` | `PGSSLMODE` | `disable`, `prefer` (the default), `require`, `verify-ca` or `verify-full` |
//! | `sslrootcert` | `PGSSLROOTCERT` | file of trusted CAs, or `system`; the default of `verify-full` is `system` |
//! | `sslcert`, `sslkey` | `PGSSLCERT`, `PGSSLKEY` | client certificate and its key, PEM files |
//! | `sslnegotiation` | | `postgres` or `direct` |
//! | `channel_binding` | `PGCHANNELBINDING` | `disable`, `prefer` or `require` |
//! | `password` | `PGPASSWORD` | the password, if it is not in the URL |
//! | `passfile` | `PGPASSFILE` | the password file; `~/.pgpass` by default |
//! | `host`, `hostaddr`, `port` | | one or more hosts, in the order in which they are tried |
//! | `load_balance_hosts`, `target_session_attrs` | | which of several hosts are used |
//! | `connect_timeout` | | time limit in seconds of the attempt at each host |
//! | `tcp_user_timeout`, `keepalives`, `keepalives_idle`, `keepalives_interval`, `keepalives_retries` | | when the system closes a connection whose peer is gone |
//! | `application_name`, `options` | | as in libpq |
//!
//! # Differences from libpq
//!
//! - Every wait has a limit: timeouts that the URL does not set are 10 seconds.
//! - `sslmode=allow` is refused, because it never protects a connection.
//! - `Connector::open_waiting` warns of a connection to another machine that may be unencrypted or unverified.
//! - A password file or a private key that other users can access is an error. If root owns the file, its group may read it.
//! - The URL needs a host, even if it has `hostaddr`.
//! - In a password, write `%3F` for `?`. In a parameter, write `%40` for `@`, and repeat `host` for several hosts.
//!
//! [documentation of libpq]: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS

#![cfg_attr(docsrs, feature(doc_cfg))]

mod error;
mod settings;
mod tls;

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

use ::postgres::Client;

pub use crate::error::{Error, ErrorKind};
use crate::settings::Settings;

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector(Arc<Settings>);

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the TLS files that both name.
    ///
    /// `application` is the name of the program in the views of the database, unless the URL has `application_name`.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Setting`] if one of them is invalid. The message does not repeat the URL, because it may
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
    /// Fails with the error of the last host that was tried, or of the password file.
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
        // Done on another thread, because a name server or a silent socket would block this one for longer than the
        // limit.
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

    /// Connects like [`open`](Self::open), but keeps trying for up to `limit` while no host can be reached.
    ///
    /// `notice` receives a warning if a connection to another machine may be unencrypted or unverified, and a message
    /// when the wait begins. Neither contains a password. A refused password or an unknown database fails without
    /// waiting.
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

/// Maximum number of concurrent attempts, less the clones of the connector.
const ATTEMPTS: usize = 64;

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);
