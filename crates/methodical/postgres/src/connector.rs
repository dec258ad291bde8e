//! The connector, its options, and the course of one connection.

mod address;
mod error;
mod password;
mod startup;
mod timeouts;
mod tls;
mod verifier;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ::postgres::Client;
use ::postgres::config::{Config, SslMode, SslNegotiation};

use crate::connector::address::{Address, Target};
use crate::connector::error::{Attempt, combined, explain};
pub use crate::connector::error::{Error, ErrorKind};
use crate::connector::startup::Startup;
use crate::connector::tls::{Mode, Protection};

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector {
    shared: Arc<Shared>,
}

struct Shared {
    address: Address,
    protection: Protection,
    application: String,
    notice: Notice,
    /// The messages that were given, so that a new connection does not repeat them.
    noticed: Mutex<BTreeSet<String>>,
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
        let address = Address::parse(url, &environment)?;
        let protection = tls::protection(&address.tls)?;
        let noticed = Mutex::default();
        let shared = Shared { address, protection, application, notice, noticed };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// `timeout` limits the wait for a silent peer: the start of the connection, unless the URL has `connect_timeout`,
    /// and the TCP timeouts that the URL does not set. It is at least 5 seconds.
    ///
    /// # Errors
    ///
    /// The failures of all hosts, or the first one that another attempt would not change.
    pub fn open(&self, timeout: Duration) -> Result<Client, Error> {
        self.shared.open(timeout, None)
    }

    /// Connects as [`open`](Self::open) does, and repeats this for at most `limit` while no host can be reached.
    ///
    /// A notice says that it waits. A refused password or an unknown database fails without waiting.
    ///
    /// # Errors
    ///
    /// As those of [`open`](Self::open). After the limit, [`Error::waited`] returns it.
    pub fn open_waiting(&self, timeout: Duration, limit: Duration) -> Result<Client, Error> {
        let started = Instant::now();
        if limit.is_zero() {
            return self.open(timeout);
        }
        let notice = &self.shared.notice;
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
            if !error.may_pass() {
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
            #[expect(
                clippy::disallowed_methods,
                reason = "a database that starts announces nothing"
            )]
            std::thread::sleep(left.min(PAUSE));
        }
    }

    /// Connects on another thread: a name server or a silent socket would block this one for longer than the limit.
    fn open_within(&self, timeout: Duration, limit: Duration) -> Result<Client, Error> {
        let (sender, receiver) = channel();
        let shared = Arc::clone(&self.shared);
        std::thread::spawn(move || sender.send(shared.open(timeout, Some(limit))).is_ok());
        receiver.recv_timeout(limit).unwrap_or_else(|_error| {
            let names = self.shared.address.ordered_targets().into_iter().map(Target::name);
            let names = names.collect::<Vec<_>>().join(", ");
            Err(Error::new(ErrorKind::Unreachable, format!("{names}: no answer")))
        })
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<_> =
            self.shared.address.ordered_targets().into_iter().map(Target::name).collect();
        f.debug_struct("Connector").field("hosts", &hosts).finish_non_exhaustive()
    }
}

impl Shared {
    /// Tries the hosts one after the other. Each has its share of `limit`.
    fn open(&self, timeout: Duration, limit: Option<Duration>) -> Result<Client, Error> {
        let started = Instant::now();
        let mut failures = Vec::new();
        let targets = self.address.ordered_targets();
        for (target, hosts_left) in targets.iter().zip((1..=targets.len()).rev()) {
            let share = limit.map(|limit| {
                let left = limit.saturating_sub(started.elapsed());
                left / u32::try_from(hosts_left).unwrap_or(u32::MAX)
            });
            match self.open_one(target, timeout, share) {
                Ok(client) => return Ok(client),
                Err(error) => failures.push(error),
            }
        }
        Err(combined(failures))
    }

    fn open_one(
        &self,
        target: &Target,
        timeout: Duration,
        limit: Option<Duration>,
    ) -> Result<Client, Error> {
        let mut config = self.address.config(target);
        let startup_limit = timeouts::set_missing(&mut config, timeout, limit);
        if config.get_application_name().is_none() {
            config.application_name(&self.application);
        }
        self.find_password(&mut config, target);
        let startup = Startup::new(
            // PostgreSQL has no TLS over a socket, and libpq ignores `sslmode` there.
            self.protection.client.clone().filter(|_client| !target.is_socket()),
            self.protection.mode == Mode::Prefer,
            config.get_ssl_negotiation() == SslNegotiation::Direct,
            startup_limit,
        );
        if target.is_socket() {
            config.ssl_mode(SslMode::Disable);
        } else {
            // The driver passes the connection to us before it sends anything.
            config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
        }
        let result = config.connect(startup.clone());
        let encrypted = startup.is_encrypted();
        match result {
            Ok(client) => {
                startup.end();
                self.notice_protection(target, encrypted);
                Ok(client)
            }
            Err(error) => {
                let attempt = Attempt {
                    name: target.name(),
                    host: target.host(),
                    encrypted,
                    certificate: self.protection.certificate,
                    user: config.get_user().unwrap_or_default(),
                    database: config.get_dbname(),
                };
                Err(explain(&error, &attempt))
            }
        }
    }

    fn find_password(&self, config: &mut Config, target: &Target) {
        if config.get_password().is_some() {
            return;
        }
        let wanted = password::Wanted {
            hosts: target.password_names(),
            port: target.port,
            user: config.get_user().unwrap_or_default().to_owned(),
            database: config
                .get_dbname()
                .or_else(|| config.get_user())
                .unwrap_or_default()
                .to_owned(),
        };
        match password::find(&self.address.passwords, &wanted) {
            Ok(Some(password)) => drop(config.password(password)),
            Ok(None) => {}
            Err(text) => self.notice_once(text),
        }
    }

    fn notice_protection(&self, target: &Target, encrypted: bool) {
        if target.is_local() {
            return;
        }
        let name = target.name();
        if !encrypted {
            self.notice_once(format!(
                "warning: the connection to the database at {name} is not encrypted; \
                 set sslmode=verify-full in its URL"
            ));
        } else if !self.protection.verified {
            self.notice_once(format!(
                "warning: the certificate of the database at {name} is not verified; \
                 set sslmode=verify-full in its URL, and sslrootcert=FILE for a private CA"
            ));
        }
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

/// Pause between two attempts to reach a database.
const PAUSE: Duration = Duration::from_secs(1);
