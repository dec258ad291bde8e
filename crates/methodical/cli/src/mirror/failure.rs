//! From an error of the mirror to what a person reads.

use std::error::Error as _;

use methodical_mirror::{Error, ErrorKind};

use crate::exit::Exit;
use crate::failure::Failure;

/// Returns the failure with which the program ends because of an error of the mirror.
pub(crate) fn explained(error: &Error) -> Failure {
    explained_as(Exit::Unwritten, error)
}

/// Returns the failure if a mirror cannot be opened or read. A file or database that cannot be read is not an output.
pub(crate) fn unreadable(error: &Error) -> Failure {
    explained_as(Exit::Usage, error)
}

/// Returns the failure with an exit code for a failure of the file or database.
fn explained_as(of_store: Exit, error: &Error) -> Failure {
    let exit = match error.kind() {
        ErrorKind::Brake => Exit::Braked,
        ErrorKind::Busy => Exit::Busy,
        ErrorKind::Store | ErrorKind::Io => of_store,
        ErrorKind::Call | ErrorKind::Unreachable => Exit::Network,
        ErrorKind::Delivery | ErrorKind::Filter => Exit::Contract,
        _ => Exit::Usage,
    };
    let mut said = error.to_string();
    let mut failure = Failure::new(exit, said.clone());
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // The texts of some errors contain those of their causes.
        if !said.contains(&text) {
            failure = failure.because(text.clone());
            said.push_str(&text);
        }
        source = cause.source();
    }
    failure
}
