//! How a check ends.

use std::error::Error as StdError;
use std::fmt;
use std::fmt::Write as _;

use gateway_transport::{ErrorKind, TransportError};

use crate::certificates::CertificateError;

/// How a check ends: `Ok` if the transport does what it should.
pub type Outcome<T = ()> = Result<T, Stop>;

/// Why a check did not come to a good end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The transport does something else. The text says what.
    Failed(String),
    /// The check does not apply to this transport. The text says why.
    NotApplicable(String),
}

impl Stop {
    /// Makes a failure of a text.
    pub fn failed(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(text) | Self::NotApplicable(text) => f.write_str(text),
        }
    }
}

impl StdError for Stop {}

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        Self::failed(format!("unexpected error: {}", describe(&error)))
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::failed(format!("the kit itself failed: {error}"))
    }
}

impl From<http::Error> for Stop {
    fn from(error: http::Error) -> Self {
        Self::failed(format!("the kit itself failed: {error}"))
    }
}

impl From<http::header::InvalidHeaderValue> for Stop {
    fn from(error: http::header::InvalidHeaderValue) -> Self {
        Self::failed(format!("the kit itself failed: {error}"))
    }
}

impl From<CertificateError> for Stop {
    fn from(error: CertificateError) -> Self {
        Self::failed(format!("the kit itself failed: {error}"))
    }
}

/// Kind, phase, sent, and the texts of the error and all its sources.
pub(super) fn describe(error: &TransportError) -> String {
    let mut text = format!("{:?}/{:?}/{:?}: {error}", error.kind(), error.phase(), error.sent());
    let mut next = error.source();
    while let Some(source) = next {
        write!(text, ": {source}").unwrap_or_default();
        next = source.source();
    }
    text
}

/// Fails unless `error` is of one of these kinds.
pub(super) fn expect_kind(error: &TransportError, kinds: &[ErrorKind]) -> Outcome {
    if kinds.contains(&error.kind()) {
        return Ok(());
    }
    Err(Stop::failed(format!("an error of {kinds:?} was expected: {}", describe(error))))
}

/// Fails with a text unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return Err($crate::conformance::Stop::failed(format!($($text)+)));
        }
    };
}

/// Fails with both values unless they are equal.
macro_rules! ensure_eq {
    ($left:expr, $right:expr, $what:literal) => {{
        let (left, right) = (&$left, &$right);
        if left != right {
            let text = format!("{}: {left:?} instead of {right:?}", $what);
            return Err($crate::conformance::Stop::failed(text));
        }
    }};
}

pub(super) use ensure;
pub(super) use ensure_eq;
