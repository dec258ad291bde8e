//! The errors of a jq filter.

use std::error::Error;
use std::fmt;

/// Why a filter did not end with success.
#[derive(Debug)]
pub(crate) enum JqError {
    /// It fails on its input: its message.
    Failed(String),
    /// It ended itself with `halt_error`: the exit code.
    Halted(u8),
}

impl fmt::Display for JqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(message) => f.write_str(message),
            Self::Halted(code) => write!(f, "it ended with `halt_error({code})`"),
        }
    }
}

impl Error for JqError {}
