//! The error of a dashboard that cannot start.

use std::error::Error as StdError;
use std::{fmt, io};

/// The error of a dashboard that cannot start.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(Box::new(Inner { text: text.into(), source: None }))
    }

    pub(crate) fn because(mut self, source: impl Into<io::Error>) -> Self {
        self.0.source = Some(source.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.text)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_ref().map(|source| {
            let source: &(dyn StdError + 'static) = source;
            source
        })
    }
}
