//! The error of this crate.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

/// Implements `Debug` with only these fields; the others are personal or not useful.
macro_rules! debug_with {
    ($type:ident $(<$life:lifetime>)?: $($field:ident),*) => {
        impl std::fmt::Debug for $type $(<$life>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($type));
                $(shown.field(stringify!($field), &self.$field);)*
                shown.finish_non_exhaustive()
            }
        }
    };
}
pub(crate) use debug_with;

/// Gives the variants of an enum the names that the store and JSON use.
macro_rules! named {
    ($type:ident: $($variant:ident = $name:literal),*) => {
        impl $type {
            /// All variants.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// Returns the name of the variant.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// Returns the variant with this name; `None` if no variant has it.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.as_str() == name)
            }
        }
    };
}
pub(crate) use named;

/// Why a mirror could not be synced or read. One pointer wide.
///
/// `Display` prints a lowercase fragment. The text never contains a value of a record, a token or the mirror's secret.
#[derive(Debug)]
pub struct Error(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: ErrorKind,
    text: Cow<'static, str>,
    missing: Option<u64>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// The kind of an [`Error`], so that a caller can decide what to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The description of a table is invalid, or does not fit the existing table.
    Table,
    /// A record is not a JSON object with an identity.
    Record,
    /// Too many records are missing. Nothing was committed. [`Error::missing`] returns the number of missing records.
    DeletionGuard,
    /// The service does not apply a filter, so values cannot be recovered. Nothing was committed.
    Filter,
    /// Another process is syncing the mirror, or delivering to the consumer.
    Busy,
    /// The mirror belongs to another account or base URL.
    OtherSource,
    /// The mirror was written by a newer release.
    Newer,
    /// The file or schema is not a mirror, or is damaged.
    Foreign,
    /// The cursor belongs to another mirror, or its changes were removed. Take a new snapshot.
    Cursor,
    /// The consumer does not exist or is disabled, or its name is invalid.
    Consumer,
    /// A setting of a sink, such as a URL or a secret, is invalid.
    Setting,
    /// The receiver of events failed. The event is delivered again later.
    Delivery,
    /// A gauge has no samples, or its amount is not a decimal number.
    Gauge,
    /// The store failed.
    Store,
    /// The PostgreSQL database cannot be reached, is stopping, or closed the connection. A later attempt may succeed.
    Unreachable,
    /// PostgreSQL refuses the login or the statement: a wrong password, a missing privilege, or a read-only database.
    Denied,
    /// A file cannot be read or written, or other users may read it.
    Io,
    /// The call failed, or the list was incomplete. Nothing was committed. The source is the client's error.
    Call,
}

impl Error {
    /// Returns the kind of the error.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns how many records are newly missing, or seem to describe other people, if the deletion guard refused the
    /// list; otherwise `None`.
    pub fn missing(&self) -> Option<u64> {
        self.0.missing
    }

    pub(crate) fn new(kind: ErrorKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Inner { kind, text: text.into(), missing: None, source: None }))
    }

    pub(crate) fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.0.source = Some(source.into());
        self
    }

    pub(crate) fn with_missing(mut self, missing: u64) -> Self {
        self.0.missing = Some(missing);
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
        Some(&**self.0.source.as_ref()?)
    }
}
