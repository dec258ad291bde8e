//! Opens connections to PostgreSQL: TLS, passwords, several hosts, and a bounded wait for a database that starts.
//!
//! It knows no table and no store, so that other programs can use it. `tokio-postgres-rustls` performs the handshake: it
//! has the rustls of this workspace, takes our configuration with its provider, and supports channel binding.

mod address;
mod failure;
mod handshake;
mod password;
mod timeouts;
mod tls;
mod verifier;

use std::collections::BTreeSet;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ::postgres::config::{Config, SslMode};
use ::postgres::{Client, NoTls};

use crate::connector::address::{Address, Target};
use crate::connector::failure::{Attempt, combined, explain};
pub(crate) use crate::connector::failure::{Cause, Failure};
use crate::connector::handshake::Handshake;
use crate::connector::tls::{Mode, Protection};
use crate::lock::lock;

/// Receives messages for the operator. They never contain a password.
pub(crate) type Notice = Box<dyn Fn(&str) + Send + Sync>;

/// Reads an environment variable.
pub(crate) type Environment = fn(&str) -> Option<String>;

/// Where a database is and how to connect to it.
pub(crate) struct Connector {
    address: Address,
    protection: Protection,
    application: &'static str,
    notice: Notice,
    /// The messages that were given, so that a new connection does not repeat them.
    noticed: Mutex<BTreeSet<String>>,
}

impl Connector {
    /// Reads a URL, the environment variables of libpq, and the files that both name.
    pub(crate) fn new(
        url: &str,
        application: &'static str,
        environment: Environment,
        notice: Notice,
    ) -> Result<Self, Failure> {
        let address = Address::parse(url, environment)?;
        let protection = tls::protection(&address.tls)?;
        Ok(Self { address, protection, application, notice, noticed: Mutex::default() })
    }

    /// Connects to the first host of the URL that accepts the connection. `patience` is the TCP timeout of the
    /// connection.
    pub(crate) fn open(&self, patience: Duration) -> Result<Client, Failure> {
        let mut failures = Vec::new();
        for target in self.address.ordered_targets() {
            match self.open_one(target, patience) {
                Ok(client) => return Ok(client),
                Err(failure) => failures.push(failure),
            }
        }
        Err(combined(failures))
    }

    /// Connects as [`open`](Self::open) does, and repeats this for at most `limit` while no host can be reached.
    pub(crate) fn open_waiting(
        self: &Arc<Self>,
        patience: Duration,
        limit: Duration,
    ) -> Result<Client, Failure> {
        let started = Instant::now();
        if limit.is_zero() {
            return self.open(patience);
        }
        let mut announced = false;
        loop {
            let left = limit.saturating_sub(started.elapsed());
            let failure = match self.open_within(patience, left) {
                Ok(client) => {
                    if announced {
                        let waited = started.elapsed().as_secs();
                        (self.notice)(&format!("connected to the database after {waited} s"));
                    }
                    return Ok(client);
                }
                Err(failure) => failure,
            };
            if !failure.may_pass() {
                return Err(failure);
            }
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return Err(failure.after(limit));
            }
            if !announced {
                let limit = limit.as_secs();
                (self.notice)(&format!("waiting up to {limit} s for the database: {failure}"));
                announced = true;
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "a database that starts announces nothing"
            )]
            std::thread::sleep(left.min(PAUSE));
        }
    }

    /// Connects on another thread: a peer that accepts the connection and then sends nothing would block this one.
    fn open_within(
        self: &Arc<Self>,
        patience: Duration,
        limit: Duration,
    ) -> Result<Client, Failure> {
        let (sender, receiver) = channel();
        let connector = Arc::clone(self);
        std::thread::spawn(move || sender.send(connector.open(patience)).is_ok());
        receiver.recv_timeout(limit).unwrap_or_else(|_error| {
            let names = self.address.ordered_targets().into_iter().map(Target::name);
            let names = names.collect::<Vec<_>>().join(", ");
            Err(Failure::new(Cause::Unreachable, format!("{names}: no answer")))
        })
    }

    fn open_one(&self, target: &Target, patience: Duration) -> Result<Client, Failure> {
        let mut config = self.address.config(target);
        timeouts::set_missing(&mut config, patience);
        if config.get_application_name().is_none() {
            config.application_name(self.application);
        }
        self.find_password(&mut config, target);
        let handshake = match &self.protection.client {
            // PostgreSQL has no TLS over a socket, and libpq ignores `sslmode` there.
            Some(client) if !target.is_socket() => Some(Handshake::new(client.clone())),
            _ => None,
        };
        let result = if let Some(handshake) = &handshake {
            let prefer = self.protection.mode == Mode::Prefer;
            config.ssl_mode(if prefer { SslMode::Prefer } else { SslMode::Require });
            config.connect(handshake.clone())
        } else {
            config.ssl_mode(SslMode::Disable);
            config.connect(NoTls)
        };
        let encrypted = handshake.is_some_and(|handshake| handshake.was_made());
        match result {
            Ok(client) => {
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
        if !lock(&self.noticed).contains(&text) {
            (self.notice)(&text);
            lock(&self.noticed).insert(text);
        }
    }
}

/// Pause between two attempts to reach a database.
const PAUSE: Duration = Duration::from_secs(1);
