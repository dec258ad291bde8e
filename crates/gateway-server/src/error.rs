//! The one error of this crate: what kind it is, what was being done, and what caused it.

use std::borrow::Cow;
use std::fmt;

use crate::store::Place;

/// What went wrong, as far as the caller can act on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A flag, a variable or a line of the configuration file makes no sense.
    Config,
    /// Somebody else holds the database; the same call may work later.
    StorageBusy,
    /// The database took longer over a statement than a request may wait.
    StorageSlow,
    /// The revision that was being read is so old that its rows were removed. The same call begins with the newest.
    SnapshotGone,
    /// The disk is full. Nothing was changed.
    StorageFull,
    /// The database file is damaged.
    StorageCorrupt,
    /// The file is no database of this program.
    StorageForeign,
    /// The database was written by a newer release.
    StorageNewer,
    /// The database could not be reached or answered with an error.
    Storage,
    /// The server has more to do than it gets done; the same call may work later.
    Overloaded,
    /// The named account, token or file does not exist.
    NotFound,
    /// An account of that name exists already.
    Exists,
    /// The data to import is wrong; the text names file and line.
    Import,
    /// The address could not be bound, or the certificate could not be read.
    Listen,
    /// A file or a stream failed.
    Io,
}

impl ErrorKind {
    /// Returns the exit code of the program: 2 for a wrong call or input, 3 for a database that is refused, else 1.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Config | Self::NotFound | Self::Exists | Self::Import => 2,
            Self::StorageCorrupt | Self::StorageForeign | Self::StorageNewer => 3,
            _ => 1,
        }
    }
}

/// A failure of the server or of one of its commands. One pointer wide.
///
/// The text never contains a token or a field of a record.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    context: Cow<'static, str>,
    place: Option<Place>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Makes an error that has no cause but itself.
    pub(crate) fn new(kind: ErrorKind, context: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { kind, context: context.into(), place: None, source: None }))
    }

    /// Makes the error of a record that is refused.
    pub(crate) fn at(place: Place, context: impl Into<Cow<'static, str>>) -> Self {
        let kind = ErrorKind::Import;
        Self(Box::new(Inner { kind, context: context.into(), place: Some(place), source: None }))
    }

    /// Makes an error with the failure that caused it.
    pub(crate) fn caused(
        kind: ErrorKind,
        context: impl Into<Cow<'static, str>>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let source = Some(source.into());
        Self(Box::new(Inner { kind, context: context.into(), place: None, source }))
    }

    /// Returns what the caller can do about it.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns where in the input the refused record stands.
    pub fn place(&self) -> Option<Place> {
        self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.context)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("context", &self.0.context)
            .field("source", &self.0.source)
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.0.source {
            Some(source) => Some(&**source),
            None => None,
        }
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let kind = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                ErrorKind::StorageFull
            }
            std::io::ErrorKind::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::Io,
        };
        Self::caused(kind, "reading or writing failed", error)
    }
}
