//! The error of this crate: the cause, and the next step.

use std::error::Error as StdError;
use std::{fmt, io};

use ::postgres::error::SqlState;
use tokio_rustls::rustls;

/// The reason why a connection was not opened.
///
/// The value is one pointer wide. `Display` prints a lowercase fragment that names the next step and never contains a
/// password.
#[derive(Debug)]
pub struct Error(Box<(ErrorKind, String)>);

/// The kind of an [`Error`], for callers that react to it.
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

/// Describes an error of the driver, and names the next step. `hosts` begins the text.
pub(crate) fn explain(error: &::postgres::Error, hosts: &str) -> Error {
    use ErrorKind::{Busy, Refused, Unreachable};
    let source = error.source();
    let failed = source.and_then(|source| source.downcast_ref::<io::Error>());
    let is_of_tls =
        matches!(failed.and_then(io::Error::get_ref), Some(cause) if cause.is::<rustls::Error>());
    let is_of_network = failed.is_some() || error.is_closed();
    let state = error.code().map(SqlState::code);
    let (kind, next) = match state {
        Some("53300") => (Busy, "try again later"),
        Some("57P01" | "57P02" | "57P03") => (Unreachable, "it is starting or stopping"),
        Some(state) if state.starts_with("08") => (Unreachable, "try again later"),
        Some("28P01") => (Refused, "correct the URL, PGPASSWORD or the password file"),
        Some("28000") => (Refused, "check sslmode, sslcert and sslkey in the URL, and pg_hba.conf"),
        Some("3D000") => (Refused, "create it, or correct the URL"),
        Some(_) => (Refused, "see the log of the database"),
        None if is_of_tls => (
            Refused,
            "check the host name, sslcert and sslkey, and that sslrootcert contains the certificate of its CA",
        ),
        None if is_of_network => {
            (Unreachable, "check the host and the port, and that the database is running")
        }
        // An error that the driver makes itself, such as "password missing" or "server does not support TLS".
        None => (Refused, "check sslmode in the URL, PGPASSWORD and the password file"),
    };
    // It is shown on a terminal or in a line of a log.
    let text = error.as_db_error().map(|refusal| refusal.message().to_owned());
    let text =
        text.or_else(|| source.map(ToString::to_string)).unwrap_or_else(|| error.to_string());
    let text = text.replace(char::is_control, " ").replace('"', "`");
    let state = state.map(|state| format!(" (SQLSTATE {state})")).unwrap_or_default();
    Error::new(kind, format!("{hosts}: {text}; {next}{state}"))
}
