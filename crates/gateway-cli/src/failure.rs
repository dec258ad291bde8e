//! What the person is told when something did not work.

use std::error::Error as StdError;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use gateway_client::ErrorKind;

use crate::exit::Exit;
use crate::output::escape::printable;

/// A message of one line, and the exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    message: String,
}

impl Failure {
    /// Makes a failure of the person's own input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into() }
    }

    /// Makes the failure that says how many records are missing from the output.
    pub(crate) fn rejected(count: usize) -> Self {
        let records = if count == 1 { "1 record" } else { &format!("{count} records") };
        Self { exit: Exit::Rejected, message: format!("{records} could not be read") }
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    /// Writes the message to standard error.
    pub(crate) fn print(&self) {
        if self.exit != Exit::Done {
            // There is nowhere to report that standard error is closed.
            drop(writeln!(io::stderr(), "error: {}", printable(&self.message)));
        }
    }
}

impl From<gateway_client::Error> for Failure {
    fn from(error: gateway_client::Error) -> Self {
        let exit = match error.kind() {
            ErrorKind::Config | ErrorKind::Query => Exit::Usage,
            ErrorKind::Unauthorized | ErrorKind::Forbidden => Exit::NotAuthorised,
            ErrorKind::Connect
            | ErrorKind::Tls
            | ErrorKind::Timeout
            | ErrorKind::Interrupted
            | ErrorKind::Transport => Exit::Network,
            _ => Exit::Contract,
        };
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            _ = write!(message, ": {cause}");
            source = cause.source();
        }
        if let Some(hint) = hint(error.kind()) {
            _ = write!(message, "; {hint}");
        }
        Self { exit, message }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let exit = match error.kind() {
            io::ErrorKind::BrokenPipe => Exit::Done,
            _ => Exit::Usage,
        };
        Self { exit, message: format!("the output cannot be written: {error}") }
    }
}

/// What to do next.
fn hint(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::Unauthorized => Some("look at GATEWAY_TOKEN"),
        ErrorKind::Connect | ErrorKind::NotFound | ErrorKind::Redirected => {
            Some("look at GATEWAY_BASE_URL or --base-url")
        }
        _ => None,
    }
}
