#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod settings;
mod tls;

use std::error::Error as StdError;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{Builder, park_timeout};
use std::time::{Duration, Instant};
use std::{fmt, io};

use ::postgres::Client;
use ::postgres::error::SqlState;

use crate::settings::Settings;

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector(Arc<Settings>);

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the TLS files that both name.
    ///
    /// `application` is the program name in database views, unless the URL has `application_name`.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Setting`] if one of them is invalid. The message does not contain the URL.
    pub fn new(url: &str, application: &str) -> Result<Self, Error> {
        let mut settings = Settings::parse(url, |name| std::env::var(name).ok())?;
        if settings.config.get_application_name().is_none() {
            settings.config.application_name(application);
        }
        Ok(Self(Arc::new(settings)))
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// Each host has 10 seconds for the whole attempt, unless the URL has `connect_timeout`. The call fails immediately
    /// while 64 earlier attempts are still waiting for an answer.
    ///
    /// # Errors
    ///
    /// Fails with the error of the last host that was tried, or of the password file.
    pub fn open(&self) -> Result<Client, Error> {
        let Settings { config, hosts, names, .. } = &*self.0;
        let unreachable = |why: &str| Error::new(ErrorKind::Unreachable, format!("{names}: {why}"));
        // Each attempt holds the settings until it ends. If the peer never answers, the thread and the socket remain.
        if Arc::strong_count(&self.0) > ATTEMPTS {
            return Err(unreachable("too many earlier attempts are still waiting; try later"));
        }
        // Connect on another thread: a name server or a silent socket could block this one for longer than the limit.
        let (sender, receiver) = sync_channel(1);
        let own = Arc::clone(&self.0);
        Builder::new()
            .spawn(move || sender.send(own.connect()).is_ok())
            .map_err(|error| unreachable(&format!("cannot start a thread: {error}")))?;
        let each = config.get_connect_timeout().copied().unwrap_or_default();
        let limit = each.saturating_mul(u32::try_from(hosts.len()).unwrap_or(u32::MAX));
        receiver.recv_timeout(limit).unwrap_or_else(|_timeout| {
            Err(unreachable("no answer in time; check the host, the port and connect_timeout"))
        })
    }

    /// Connects like [`open`](Self::open), but retries while the database cannot be reached, is starting or
    /// stopping, or has no free connection. No attempt starts after `limit`, but the last one may end later.
    ///
    /// `notice` receives a warning if a connection to another machine may be unencrypted or unverified, and a message
    /// when the wait begins, both without passwords. A refused password or an unknown database fails immediately.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`open`](Self::open).
    pub fn open_waiting(&self, limit: Duration, notice: impl Fn(&str)) -> Result<Client, Error> {
        if !self.0.is_safe {
            notice(&format!(
                "the connection to the database at {} may be unencrypted or unverified; set sslmode=verify-full",
                self.0.names
            ));
        }
        let started = Instant::now();
        let mut notice = Some(notice);
        loop {
            let opened = self.open();
            let Err(error) = &opened else { return opened };
            let is_final = !matches!(error.kind(), ErrorKind::Busy | ErrorKind::Unreachable);
            if is_final || started.elapsed() >= limit {
                return opened;
            }
            if let Some(notice) = notice.take() {
                notice(&format!("waiting up to {} s for the database: {error}", limit.as_secs()));
            }
            park_timeout(PAUSE);
        }
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector").field("hosts", &self.0.names).finish_non_exhaustive()
    }
}

/// The reason why a connection was not opened.
///
/// The value is one pointer wide. `Display` prints a lowercase fragment with the next step, without a password.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, String)>);

/// The kind of an [`Error`], so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The URL, an environment variable, or a file that one of them names is invalid.
    Setting,
    /// The database refused the connection, or this side did, for example because of an invalid certificate.
    Refused,
    /// The database has no free connection. A later attempt may succeed.
    Busy,
    /// The database cannot be reached, or is not ready. A later attempt may succeed.
    Unreachable,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self(Box::new((kind, text.into())))
    }

    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.0
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.1)
    }
}

impl StdError for Error {}

/// Describes a driver error and names the next step. The text starts with `hosts`.
pub(crate) fn explain(error: &::postgres::Error, hosts: &str) -> Error {
    use ErrorKind::{Busy, Refused, Unreachable};
    let source = error.source();
    let failed = source.and_then(|source| source.downcast_ref::<io::Error>());
    let cause = failed.and_then(io::Error::get_ref);
    let state = error.code().map(SqlState::code);
    let (kind, next) = match state {
        Some("53300") => (Busy, "try again later"),
        Some("57P01" | "57P02" | "57P03") => (Unreachable, "it is starting or stopping; try later"),
        Some(state) if state.starts_with("08") => (Unreachable, "try again later"),
        Some("28P01") => (Refused, "correct the URL, PGPASSWORD or the password file"),
        Some("28000") => (Refused, "check sslmode, sslcert and sslkey in the URL, and pg_hba.conf"),
        Some("3D000") => (Refused, "create it, or correct the URL"),
        Some(_) => (Refused, "see the log of the database"),
        None if matches!(cause, Some(cause) if cause.is::<tokio_rustls::rustls::Error>()) => (
            Refused,
            "check the host name, sslcert and sslkey, and that sslrootcert contains the CA certificate of the server",
        ),
        None if failed.is_some() || error.is_closed() => {
            (Unreachable, "check the host and the port, and that the database is running")
        }
        // An error from the driver itself, such as "password missing" or "server does not support TLS".
        None => (Refused, "check sslmode in the URL, PGPASSWORD and the password file"),
    };
    // The text is shown on a terminal or in a log line.
    let text = error.as_db_error().map(|refusal| refusal.message().to_owned());
    let text =
        text.or_else(|| source.map(ToString::to_string)).unwrap_or_else(|| error.to_string());
    let text = text.replace(char::is_control, " ").replace('"', "`");
    let state = state.map(|state| format!(" (SQLSTATE {state})")).unwrap_or_default();
    Error::new(kind, format!("{hosts}: {text}; {next}{state}"))
}

/// Maximum number of concurrent attempts. Each further clone of the connector counts as an attempt.
const ATTEMPTS: usize = 64;

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);
