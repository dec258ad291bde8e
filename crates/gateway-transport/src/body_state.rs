//! The shared part of the bodies of async and blocking transports: their states, and the conversions into them.
use std::fmt;

use bytes::Bytes;

use crate::TransportError;

/// A body that is complete, is still arriving from a source, or has failed.
pub(crate) enum State<S> {
    /// A complete body needs no allocation.
    Full(Bytes),
    Source(S),
    Failed(TransportError),
}

impl<S> State<S> {
    pub(crate) const fn empty() -> Self {
        Self::Full(Bytes::new())
    }

    /// Drops the source if it has ended, which `result` says, or has failed.
    ///
    /// The source is never read again: many sources panic after their end, or report an end after a failure.
    pub(crate) fn release_after(&mut self, result: Result<bool, &TransportError>) {
        match result {
            Ok(false) => {}
            Ok(true) => *self = Self::empty(),
            Err(error) => *self = Self::Failed(error.without_source()),
        }
    }

    /// Prints the body of this name.
    pub(crate) fn print(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Full(data) => write!(f, "{name}({} bytes)", data.len()),
            Self::Source(_) => write!(f, "{name}(stream)"),
            Self::Failed(error) => write!(f, "{name}({error})"),
        }
    }
}

/// Implements `Debug`, `Default` and the conversions from complete bodies for a body with a [`State`].
macro_rules! conversions {
    ($body:ident) => {
        impl std::fmt::Debug for $body {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.print(stringify!($body), f)
            }
        }

        impl Default for $body {
            fn default() -> Self {
                Self::empty()
            }
        }

        impl From<Bytes> for $body {
            fn from(data: Bytes) -> Self {
                Self(State::Full(data))
            }
        }

        impl From<Vec<u8>> for $body {
            fn from(data: Vec<u8>) -> Self {
                Bytes::from(data).into()
            }
        }

        impl From<String> for $body {
            fn from(text: String) -> Self {
                Bytes::from(text).into()
            }
        }

        impl From<&'static str> for $body {
            fn from(text: &'static str) -> Self {
                Bytes::from_static(text.as_bytes()).into()
            }
        }
    };
}

pub(crate) use conversions;
