//! The error of this crate: the cause, and the next step.

use std::error::Error as StdError;
use std::{fmt, io};

use tokio_rustls::rustls;

use crate::settings::Settings;

/// Why a connection was not opened.
///
/// The value is one pointer wide. The text is a lowercase fragment for people that names the next step. It never
/// contains a password.
///
/// # Examples
///
/// ```
/// use methodical_postgres::{Connector, ErrorKind};
///
/// let error = Connector::new("postgres://archive@db.example/archive?sslmode=on", "archive").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Setting);
/// ```
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, String)>);

/// The kind of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The URL, an environment variable or a file that they name is invalid.
    Setting,
    /// The database, or this side of the connection, refused it.
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

/// Describes an error of the driver, and names the next step.
pub(crate) fn explain(error: &::postgres::Error, settings: &Settings) -> Error {
    let failed = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let (kind, text) = if let Some(refusal) = error.as_db_error() {
        let state = refusal.code().code();
        let (kind, next) = of_state(state);
        // A terminal or a line of a log shows it.
        let message = refusal.message().replace(char::is_control, " ").replace('"', "`");
        (kind, format!("{message}; {next} (SQLSTATE {state})"))
    } else {
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        match failed.map(io::Error::get_ref) {
            Some(Some(cause)) if cause.is::<rustls::Error>() => {
                (ErrorKind::Refused, format!("{text}; {OF_TLS}"))
            }
            Some(_) => (ErrorKind::Unreachable, text),
            None if error.is_closed() => (ErrorKind::Unreachable, text),
            None => (ErrorKind::Refused, format!("{text}; {OF_DRIVER}")),
        }
    };
    Error::new(kind, format!("{}: {text}", settings.names()))
}

/// Returns the kind of a refusal by the database, and the next step.
fn of_state(state: &str) -> (ErrorKind, &'static str) {
    use ErrorKind::{Busy, Refused, Unreachable};
    match state {
        "28P01" => (Refused, "correct the URL, PGPASSWORD or the password file"),
        "28000" => (Refused, "check sslmode, sslcert and sslkey in the URL, and pg_hba.conf"),
        "3D000" => (Refused, "create it, or correct the URL"),
        "42501" => (Refused, "grant CONNECT to the user"),
        "53300" => (Busy, "try again later"),
        "57P01" | "57P02" | "57P03" => (Unreachable, "the database is starting or stopping"),
        _ if state.starts_with("08") => (Unreachable, "try again later"),
        _ => (Refused, "see the log of the database"),
    }
}

/// The next step after an error of TLS.
const OF_TLS: &str = "check the host name, sslrootcert, which must have the certificate of its CA, sslcert and sslkey";

/// The next step after an error that the driver makes itself, such as "password missing" or "server does not support TLS".
const OF_DRIVER: &str = "check sslmode in the URL, PGPASSWORD and the password file";
