//! The error of an export.

use std::error::Error as StdError;
use std::fmt;

/// An error of an export. Its text never contains a credential or a record's value.
pub struct Error {
    kind: ErrorKind,
    text: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`], so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The destination's URL cannot be used.
    Url,
    /// The destination refused the request, or cannot be reached.
    Store,
    /// The mirror cannot be read.
    Mirror,
    /// A record or a table cannot be written as Parquet.
    Data,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), source: None }
    }

    pub(crate) fn because(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }

    /// Returns the kind of the error.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, text, source } = self;
        let mut error = f.debug_struct("Error");
        error.field("kind", kind).field("text", text).field("source", source).finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&**self.source.as_ref()?)
    }
}

impl From<methodical_mirror::Error> for Error {
    fn from(error: methodical_mirror::Error) -> Self {
        Self::new(ErrorKind::Mirror, "cannot read the mirror").because(error)
    }
}

/// Creates the error for a Parquet file that cannot be encoded.
pub(crate) fn unwritable(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Error {
    Error::new(ErrorKind::Data, "cannot write a Parquet file").because(error)
}
