//! The error of this crate: the cause, and the next step.

use std::error::Error as StdError;
use std::{fmt, io};

use tokio_rustls::rustls::{self, AlertDescription, CertificateError};

use crate::settings::{Mode, Settings};

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
/// let error = Connector::new("postgres://archive@/archive", "archive", |_notice| {}).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Setting);
/// assert_eq!(error.to_string(), "the URL has no host; expected postgres://USER@HOST/NAME");
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
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    let (kind, text) = if let Some(refusal) = error.as_db_error() {
        let state = refusal.code().code();
        let (kind, next) = of_state(state, settings);
        // A terminal or a line of a log shows it.
        let message = refusal.message().replace(char::is_control, " ").replace('"', "`");
        (kind, format!("{message}; {next} (SQLSTATE {state})"))
    } else if let Some(error) = find_rustls(error) {
        (ErrorKind::Refused, format!("{error}; {}", of_tls(error)))
    } else if let Some(error) = source {
        let in_handshake =
            error.kind() == io::ErrorKind::UnexpectedEof && settings.mode != Mode::Disable;
        let next = if in_handshake { "; the TLS handshake may have failed" } else { "" };
        (ErrorKind::Unreachable, format!("{error}{next}"))
    } else if error.is_closed() {
        (ErrorKind::Unreachable, "the server closed the connection".to_owned())
    } else {
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        let known = OF_DRIVER.iter().find(|(known, _)| *known == text);
        let next = known.map_or("check the URL", |(_, next)| next);
        (ErrorKind::Refused, format!("{text}; {next}"))
    };
    Error::new(kind, format!("{}: {text}", settings.names()))
}

/// Returns the kind of a refusal by the database, and the next step.
fn of_state(state: &str, settings: &Settings) -> (ErrorKind, &'static str) {
    use ErrorKind::{Busy, Refused, Unreachable};
    match state {
        "28P01" => (Refused, "correct the URL, PGPASSWORD or the password file"),
        "28000" if settings.mode == Mode::Disable => {
            (Refused, "if it requires TLS, set sslmode=verify-full in the URL")
        }
        "28000" if settings.has_certificate => {
            (Refused, "check the client certificate in sslcert, and pg_hba.conf")
        }
        "28000" => {
            (Refused, "if it requires a client certificate, set sslcert and sslkey in the URL")
        }
        "3D000" => (Refused, "create it, or correct the URL"),
        "42501" => (Refused, "grant CONNECT to the user"),
        "53300" => (Busy, "try again later"),
        "57P01" | "57P02" | "57P03" => (Unreachable, "the database is starting or stopping"),
        _ if state.starts_with("08") => (Unreachable, "try again later"),
        _ => (Refused, "see the log of the database"),
    }
}

/// Returns the next step after an error of TLS.
fn of_tls(error: &rustls::Error) -> &'static str {
    use AlertDescription::{CertificateRequired, DecryptError, UnknownCA};
    use CertificateError as Of;
    use rustls::Error::{AlertReceived, InvalidCertificate};
    match error {
        InvalidCertificate(Of::NotValidForName | Of::NotValidForNameContext { .. }) => {
            "use a name that the certificate contains, or set sslmode=verify-ca"
        }
        InvalidCertificate(Of::Expired | Of::ExpiredContext { .. }) => "renew it on the server",
        InvalidCertificate(Of::NotValidYet | Of::NotValidYetContext { .. }) => "check the clocks",
        InvalidCertificate(Of::UnknownIssuer | Of::BadSignature) => {
            "set sslrootcert to the file with the certificate of its CA"
        }
        InvalidCertificate(error) if format!("{error:?}").contains("CaUsedAsEndEntity") => {
            "create a certificate for the server, and set sslrootcert to the file of the CA"
        }
        AlertReceived(CertificateRequired) => "set sslcert and sslkey",
        AlertReceived(UnknownCA | DecryptError) => "check sslcert and sslkey",
        _ => "check sslmode, sslrootcert and sslcert",
    }
}

/// The next steps after errors that the driver makes itself. It has no type that tells them apart.
const OF_DRIVER: [(&str, &str); 4] = [
    (
        "server does not support TLS",
        "enable `ssl` there, or set sslmode=disable if the network is trusted",
    ),
    ("no hostname provided for TLS handshake", "set host beside hostaddr"),
    ("password missing", "set PGPASSWORD, or add it to the password file"),
    (
        "server did not use channel binding",
        "set channel_binding=prefer, or let the server use TLS and scram-sha-256",
    ),
];

/// Finds the error of rustls among the causes. An I/O error hides it from [`StdError::source`].
fn find_rustls(error: &::postgres::Error) -> Option<&rustls::Error> {
    fn cause<'e>(error: &&'e (dyn StdError + 'static)) -> Option<&'e (dyn StdError + 'static)> {
        match (*error).downcast_ref::<io::Error>() {
            Some(error) => error.get_ref().map(|inner| -> &(dyn StdError + 'static) { inner }),
            None => (*error).source(),
        }
    }
    std::iter::successors(error.source(), cause).find_map(|error| error.downcast_ref())
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::Error::{AlertReceived, InvalidCertificate};

    use super::*;

    fn settings(mode: &str, has_certificate: bool) -> Settings {
        let url = format!("postgres://u@db.example/?sslmode={mode}");
        let mut settings = Settings::parse(&url, &|_name| None).unwrap();
        settings.has_certificate = has_certificate;
        settings
    }

    #[test]
    fn each_failure_has_a_kind_and_a_next_step() {
        for (state, kind, next) in [
            ("28P01", ErrorKind::Refused, "correct the URL, PGPASSWORD or the password file"),
            ("3D000", ErrorKind::Refused, "create it, or correct the URL"),
            ("42501", ErrorKind::Refused, "grant CONNECT to the user"),
            ("53300", ErrorKind::Busy, "try again later"),
            ("57P01", ErrorKind::Unreachable, "the database is starting or stopping"),
            ("08006", ErrorKind::Unreachable, "try again later"),
            ("XX000", ErrorKind::Refused, "see the log of the database"),
        ] {
            assert_eq!(of_state(state, &settings("require", false)), (kind, next), "{state}");
        }
        for (mode, certificate, expected) in [
            ("disable", false, "if it requires TLS, set sslmode=verify-full"),
            ("disable", true, "if it requires TLS, set sslmode=verify-full"),
            ("require", false, "if it requires a client certificate, set sslcert and sslkey"),
            ("require", true, "check the client certificate in sslcert"),
        ] {
            let (kind, next) = of_state("28000", &settings(mode, certificate));
            assert_eq!(kind, ErrorKind::Refused);
            assert!(next.contains(expected), "{next}");
        }
        for (error, next) in [
            (InvalidCertificate(CertificateError::NotValidForName), "sslmode=verify-ca"),
            (InvalidCertificate(CertificateError::Expired), "renew it on the server"),
            (InvalidCertificate(CertificateError::NotValidYet), "check the clocks"),
            (InvalidCertificate(CertificateError::UnknownIssuer), "set sslrootcert to the file"),
            (InvalidCertificate(CertificateError::Revoked), "check sslmode, sslrootcert and"),
            (AlertReceived(AlertDescription::CertificateRequired), "set sslcert and sslkey"),
            (AlertReceived(AlertDescription::UnknownCA), "check sslcert and sslkey"),
            (AlertReceived(AlertDescription::DecryptError), "check sslcert and sslkey"),
            (AlertReceived(AlertDescription::HandshakeFailure), "check sslmode, sslrootcert and"),
        ] {
            assert!(of_tls(&error).contains(next), "{error}");
        }
    }
}
