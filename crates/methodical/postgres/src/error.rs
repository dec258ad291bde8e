//! The error of this crate: the cause, and the next step.

use std::error::Error as StdError;
use std::time::Duration;
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
/// use methodical_postgres::{Connector, ErrorKind, Options};
///
/// let error = Connector::new("postgres://archive@/archive", Options::new("archive")).unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::Setting);
/// assert_eq!(error.to_string(), "the URL has no host; expected postgres://USER@HOST/NAME");
/// ```
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    text: String,
    waited: Option<Duration>,
}

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
        Self(Box::new(Inner { kind, text: text.into(), waited: None }))
    }

    /// Returns the kind of the failure.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the limit of [`open_waiting`](crate::Connector::open_waiting), if it has passed.
    pub fn waited(&self) -> Option<Duration> {
        self.0.waited
    }

    /// Adds the limit of a wait.
    pub(crate) fn after(mut self, limit: Duration) -> Self {
        self.0.waited = Some(limit);
        self
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { kind, text, waited } = &*self.0;
        let mut debug = f.debug_struct("Error");
        debug.field("kind", kind).field("text", text).field("waited", waited).finish()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)?;
        match self.0.waited {
            Some(limit) => write!(f, "; gave up after {} s", limit.as_secs()),
            None => Ok(()),
        }
    }
}

impl StdError for Error {}

/// Describes an error of the driver. The text of the database is dropped, because it may quote data.
pub(crate) fn explain(error: &::postgres::Error, settings: &Settings) -> Error {
    let names = settings.names();
    let (kind, text) = if let Some(state) = error.code() {
        of_state(state.code(), settings)
    } else if let Some(error) = find_rustls(error) {
        (ErrorKind::Refused, of_tls(error, &names))
    } else if let Some(error) = error.source().and_then(|source| source.downcast_ref::<io::Error>())
    {
        let is_end = matches!(error.kind(), io::ErrorKind::UnexpectedEof);
        let in_handshake = is_end && settings.mode != Mode::Disable;
        let help = if in_handshake { "; the TLS handshake may have failed" } else { "" };
        (ErrorKind::Unreachable, format!("{error}{help}"))
    } else if error.is_closed() {
        (ErrorKind::Unreachable, "the server closed the connection".to_owned())
    } else {
        (ErrorKind::Refused, of_driver(error))
    };
    Error::new(kind, format!("{names}: {text}"))
}

fn of_state(state: &str, settings: &Settings) -> (ErrorKind, String) {
    let user = settings.config.get_user().unwrap_or_default();
    let (kind, text) = match state {
        "28P01" => (
            ErrorKind::Refused,
            format!(
                "the database refused the password of user `{user}`; \
                 correct the URL, PGPASSWORD or the password file"
            ),
        ),
        "28000" => {
            let help = match (settings.mode != Mode::Disable, settings.has_certificate) {
                (false, _) => "if it requires TLS, set sslmode=verify-full in the URL",
                (true, false) => {
                    "if it requires a client certificate, set sslcert and sslkey in the URL"
                }
                (true, true) => "check the client certificate in sslcert, and pg_hba.conf",
            };
            (ErrorKind::Refused, format!("the database does not admit user `{user}`; {help}"))
        }
        "3D000" => {
            let database = settings.config.get_dbname().unwrap_or(user);
            let text =
                format!("database `{database}` does not exist; create it, or correct the URL");
            (ErrorKind::Refused, text)
        }
        "42501" => (
            ErrorKind::Refused,
            format!("user `{user}` may not connect to the database; grant CONNECT to it"),
        ),
        "53300" => {
            (ErrorKind::Busy, "the database has no free connection; try again later".to_owned())
        }
        "57P01" | "57P02" | "57P03" => {
            (ErrorKind::Unreachable, "the database is starting or stopping".to_owned())
        }
        _ if state.starts_with("08") => {
            (ErrorKind::Unreachable, "the connection to the database failed".to_owned())
        }
        _ => (ErrorKind::Refused, "the database refused the connection".to_owned()),
    };
    (kind, format!("{text} (SQLSTATE {state})"))
}

fn of_tls(error: &rustls::Error, names: &str) -> String {
    use rustls::Error::{AlertReceived, InvalidCertificate};
    let text = match error {
        InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => {
            return format!(
                "the certificate of the server is not valid for the name of `{names}`; \
                 use a name that it contains, or set sslmode=verify-ca"
            );
        }
        InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. }) => {
            "the certificate of the server has expired; renew it on the server"
        }
        InvalidCertificate(
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. },
        ) => "the certificate of the server is not valid yet; check the clocks",
        InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            "the certificate of the server is not signed by a trusted CA; \
             set sslrootcert to the file with the certificate of its CA"
        }
        InvalidCertificate(error) if format!("{error:?}").contains("CaUsedAsEndEntity") => {
            "the certificate of the server is that of a CA; \
             create a certificate for the server, and set sslrootcert to the file of the CA"
        }
        AlertReceived(AlertDescription::CertificateRequired) => {
            "the server requires a client certificate; set sslcert and sslkey"
        }
        AlertReceived(AlertDescription::UnknownCA | AlertDescription::DecryptError) => {
            "the server does not accept the client certificate; check sslcert and sslkey"
        }
        error => return format!("TLS failed: {error}; check sslmode, sslrootcert and sslcert"),
    };
    text.to_owned()
}

/// Describes an error that the driver makes itself. It has no type that tells them apart.
fn of_driver(error: &::postgres::Error) -> String {
    let text = error.source().map(ToString::to_string).unwrap_or_default();
    let help = match &*text {
        "server does not support TLS" => {
            "the server does not offer TLS; enable `ssl` there, or set sslmode=disable if the network is trusted"
        }
        "no hostname provided for TLS handshake" => {
            "TLS needs the name of the host; set host beside hostaddr"
        }
        "password missing" => {
            "the server asks for a password; set PGPASSWORD, or add it to the password file"
        }
        "server did not use channel binding" => {
            "the server did not use channel binding; set channel_binding=prefer, \
             or let the server use TLS and scram-sha-256"
        }
        _ => return format!("{error}; check the URL"),
    };
    help.to_owned()
}

/// Finds the error of rustls among the causes. An I/O error hides it from [`StdError::source`].
fn find_rustls(error: &::postgres::Error) -> Option<&rustls::Error> {
    let mut source = error.source();
    while let Some(error) = source {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        source = match error.downcast_ref::<io::Error>() {
            Some(io) => match io.get_ref() {
                Some(inner) => Some(inner),
                None => None,
            },
            None => error.source(),
        };
    }
    None
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
    fn a_state_of_the_database_has_a_kind_and_a_next_step() {
        for (state, kind, expected) in [
            ("28P01", ErrorKind::Refused, "correct the URL, PGPASSWORD or the password file"),
            ("3D000", ErrorKind::Refused, "database `u` does not exist"),
            ("42501", ErrorKind::Refused, "grant CONNECT to it"),
            ("53300", ErrorKind::Busy, "no free connection; try again later"),
            ("57P01", ErrorKind::Unreachable, "is starting or stopping"),
            ("57P03", ErrorKind::Unreachable, "is starting or stopping"),
            ("08006", ErrorKind::Unreachable, "the connection to the database failed"),
            ("XX000", ErrorKind::Refused, "the database refused the connection"),
        ] {
            let (actual, text) = of_state(state, &settings("require", false));
            assert_eq!(actual, kind, "{state}");
            assert!(text.contains(expected), "{text}");
            assert!(text.ends_with(&format!(" (SQLSTATE {state})")), "{text}");
        }
    }

    #[test]
    fn the_next_step_of_a_refused_user_depends_on_the_connection() {
        for (mode, certificate, expected) in [
            ("disable", false, "if it requires TLS, set sslmode=verify-full"),
            ("disable", true, "if it requires TLS, set sslmode=verify-full"),
            ("require", false, "if it requires a client certificate, set sslcert and sslkey"),
            ("require", true, "check the client certificate in sslcert"),
        ] {
            let (kind, text) = of_state("28000", &settings(mode, certificate));
            assert_eq!(kind, ErrorKind::Refused);
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_failure_of_tls_has_a_next_step() {
        for (error, expected) in [
            (InvalidCertificate(CertificateError::NotValidForName), "valid for the name of `h`"),
            (InvalidCertificate(CertificateError::Expired), "renew it on the server"),
            (InvalidCertificate(CertificateError::NotValidYet), "check the clocks"),
            (InvalidCertificate(CertificateError::UnknownIssuer), "set sslrootcert to the file"),
            (InvalidCertificate(CertificateError::Revoked), "check sslmode, sslrootcert and"),
            (AlertReceived(AlertDescription::CertificateRequired), "set sslcert and sslkey"),
            (AlertReceived(AlertDescription::UnknownCA), "check sslcert and sslkey"),
            (AlertReceived(AlertDescription::DecryptError), "check sslcert and sslkey"),
            (AlertReceived(AlertDescription::HandshakeFailure), "check sslmode, sslrootcert and"),
        ] {
            let text = of_tls(&error, "h");
            assert!(text.contains(expected), "{text}");
        }
    }
}
