//! The connector, and the course of one connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread::Builder;
use std::time::{Duration, Instant};

use ::postgres::Client;

use crate::error::{Error, ErrorKind, explain};
use crate::settings::{Settings, TIMEOUT};

/// Opens connections to one database.
///
/// A clone is cheap and shares the settings.
#[derive(Clone)]
pub struct Connector {
    settings: Arc<Settings>,
    /// Attempts that have not ended. A peer that never answers keeps its thread and its socket.
    attempts: Arc<AtomicUsize>,
}

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
        Ok(Self { settings: Arc::new(settings), attempts: Arc::default() })
    }

    /// Connects to the first host of the URL that accepts the connection.
    ///
    /// Each host has 10 seconds for the whole attempt, unless the URL has `connect_timeout`.
    /// While 64 attempts have no answer, it fails immediately.
    ///
    /// # Errors
    ///
    /// The failure of the last host that was tried, or of a password file that `passfile` or `PGPASSFILE` names.
    pub fn open(&self) -> Result<Client, Error> {
        let config = &self.settings.config;
        let hosts = config.get_hosts().len();
        let each = config.get_connect_timeout().copied().unwrap_or(TIMEOUT);
        let limit = each.saturating_mul(u32::try_from(hosts).unwrap_or(u32::MAX));
        // On another thread: a name server or a silent socket would block this one for longer than the limit.
        let (sender, receiver) = sync_channel(1);
        let (settings, attempts) = (Arc::clone(&self.settings), Arc::clone(&self.attempts));
        let unreachable = |cause: &str| {
            let text = format!("{}: {cause}", self.settings.names());
            Err(Error::new(ErrorKind::Unreachable, text))
        };
        if attempts.fetch_add(1, Ordering::Relaxed) >= ATTEMPTS {
            attempts.fetch_sub(1, Ordering::Relaxed);
            return unreachable("too many earlier attempts have no answer");
        }
        let attempt = move || {
            let opened = open(&settings);
            attempts.fetch_sub(1, Ordering::Relaxed);
            sender.send(opened).is_ok()
        };
        if let Err(error) = Builder::new().spawn(attempt) {
            self.attempts.fetch_sub(1, Ordering::Relaxed);
            return unreachable(&format!("cannot start a thread: {error}"));
        }
        receiver.recv_timeout(limit).unwrap_or_else(|_timeout| unreachable("no answer"))
    }

    /// Connects as [`open`](Self::open) does, and begins further attempts for at most `limit` while no host can be reached.
    ///
    /// `notice` receives a warning if a connection to another machine may be unencrypted or unverified, another one if
    /// `~/.pgpass` is ignored, and a message when it begins to wait; all without a password. A refused password or an unknown database fails without waiting.
    ///
    /// # Errors
    ///
    /// As those of [`open`](Self::open).
    pub fn open_waiting(&self, limit: Duration, notice: impl Fn(&str)) -> Result<Client, Error> {
        let settings = &self.settings;
        let ignored = settings.find_password().err().filter(|_| !settings.is_named);
        for text in settings.warning().into_iter().chain(ignored.map(|error| error.to_string())) {
            notice(&text);
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
        f.debug_struct("Connector").field("hosts", &self.settings.names()).finish_non_exhaustive()
    }
}

fn open(settings: &Settings) -> Result<Client, Error> {
    let mut config = settings.config.clone();
    match settings.find_password() {
        Ok(Some(password)) => drop(config.password(password)),
        Err(error) if settings.is_named => return Err(error),
        _ => {}
    }
    config.connect(settings.tls.clone()).map_err(|error| explain(&error, settings))
}

/// Maximum number of attempts at a time.
const ATTEMPTS: usize = 64;

/// Pause between two attempts while waiting.
const PAUSE: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_default_password_file_that_others_can_read_is_ignored_with_a_notice() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".pgpass");
        fs::write(&file, "*:*:*:*:canary\n").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
        let open = |variable: &str, path: &std::path::Path| {
            let environment = |name: &str| (name == variable).then(|| path.display().to_string());
            // No process listens there.
            let settings = Settings::parse("postgres://u@127.0.0.1:1/d", &environment).unwrap();
            let connector = Connector { settings: Arc::new(settings), attempts: Arc::default() };
            let notices = RefCell::new(Vec::new());
            let notice = |text: &str| notices.borrow_mut().push(text.to_owned());
            let error = connector.open_waiting(Duration::ZERO, notice).map(drop).unwrap_err();
            (error.kind(), notices.into_inner())
        };
        let (kind, notices) = open("HOME", home.path());
        assert_eq!((kind, notices.len()), (ErrorKind::Unreachable, 1), "{notices:?}");
        assert!(notices[0].ends_with("set its mode to 0600"), "{notices:?}");
        assert_eq!(open("PGPASSFILE", &file), (ErrorKind::Setting, vec![]));
    }
}
