//! The error of a jq filter that fails on its input.

use std::error::Error;
use std::fmt;

/// The message of the filter.
#[derive(Debug)]
pub(crate) struct JqError(pub(crate) String);

impl fmt::Display for JqError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for JqError {}
