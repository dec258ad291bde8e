//! The error type of this crate.

use std::borrow::Cow;
use std::fmt;

/// The kind of an error, so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A setting is invalid: a flag, an environment variable, or the URL of a database.
    Config,
    /// Another process has locked the database; the same call may work later.
    StorageBusy,
    /// A statement took longer than a request may wait for it.
    StorageSlow,
    /// The rows of the revision that was being read have been removed. A repeated call reads the newest revision.
    SnapshotGone,
    /// The disk is full. Nothing was changed.
    StorageFull,
    /// The database file is damaged.
    StorageCorrupt,
    /// The database belongs to another program, or has an unknown schema version.
    StorageForeign,
    /// The database was written by a newer release.
    StorageNewer,
    /// The database cannot be reached, or reported an error.
    Storage,
    /// The server is overloaded; the same call may work later.
    Overloaded,
    /// Records were deleted, but bytes of them remain in files; the message names them.
    ErasurePending,
    /// An import would remove more records than allowed; the message has the number.
    RemovalsRefused,
    /// The named account, token, record or file does not exist.
    NotFound,
    /// An account of this name already exists.
    Exists,
    /// The data to import is invalid; the message names the file and line.
    Import,
    /// The address cannot be bound, or the certificate cannot be read.
    Listen,
    /// Reading or writing a file or a stream failed.
    Io,
}

impl ErrorKind {
    /// Returns the exit code of the program: 2 for invalid arguments or input, 3 for a refused database, 4 for removals
    /// that were not accepted, 5 for an erasure that is not complete, otherwise 1.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::Config | Self::NotFound | Self::Exists | Self::Import => 2,
            Self::StorageCorrupt | Self::StorageForeign | Self::StorageNewer => 3,
            Self::RemovalsRefused => 4,
            Self::ErasurePending => 5,
            _ => 1,
        }
    }
}

/// An error of the server or of one of its commands. The value is one pointer wide.
///
/// The message never contains a token or the value of a field.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    context: Cow<'static, str>,
    place: Option<Place>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, context: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { kind, context: context.into(), place: None, source: None }))
    }

    /// Creates an error for an invalid record.
    pub(crate) fn at(place: Place, context: impl Into<Cow<'static, str>>) -> Self {
        let kind = ErrorKind::Import;
        Self(Box::new(Inner { kind, context: context.into(), place: Some(place), source: None }))
    }

    pub(crate) fn caused(
        kind: ErrorKind,
        context: impl Into<Cow<'static, str>>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        let source = Some(source.into());
        Self(Box::new(Inner { kind, context: context.into(), place: None, source }))
    }

    /// Creates an error for a file that cannot be read.
    pub(crate) fn unreadable(name: impl fmt::Display, error: std::io::Error) -> Self {
        let kind = Self::from(std::io::Error::from(error.kind())).kind();
        Self::caused(kind, format!("cannot read {name}"), error)
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns the position of the invalid record in the input, if the error is about one.
    pub fn place(&self) -> Option<Place> {
        self.0.place
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.context)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&**self.0.source.as_ref()?)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        let (kind, context) = match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => (
                ErrorKind::StorageFull,
                "cannot write: the disk is full; free some space and try again",
            ),
            std::io::ErrorKind::NotFound => (ErrorKind::NotFound, "cannot read or write"),
            _ => (ErrorKind::Io, "cannot read or write"),
        };
        Self::caused(kind, context, error)
    }
}

/// Returns the message of an error, followed by the message of each cause.
///
/// Causes name files, tables and error codes of the database, never values.
pub(crate) fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}

/// The position of a record in an import's input, for error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The index of the file, from 0.
    pub file: u32,
    /// The line in the file, counted from 1.
    pub line: u64,
}

impl Place {
    const LINE_BITS: u32 = 40;

    /// Packs the position into one integer, for the staging tables of an import.
    pub(crate) fn pack(self) -> i64 {
        let line = self.line & ((1 << Self::LINE_BITS) - 1);
        i64::try_from(u64::from(self.file) << Self::LINE_BITS | line).unwrap_or(i64::MAX)
    }

    /// Reverses [`pack`](Self::pack).
    pub(crate) fn unpack(packed: i64) -> Self {
        let packed = u64::try_from(packed).unwrap_or(0);
        let file = u32::try_from(packed >> Self::LINE_BITS).unwrap_or(u32::MAX);
        Self { file, line: packed & ((1 << Self::LINE_BITS) - 1) }
    }
}
