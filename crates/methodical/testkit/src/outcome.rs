//! How a check ends, whether it judges a transport or a service.

use std::error::Error as StdError;
use std::fmt;

/// The result of a check function: `Ok` if the subject does what the check asks for.
pub type Outcome<T = ()> = Result<T, Stop>;

/// Why a check ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The subject does something else. The text says what.
    Fail(String),
    /// The check does not apply, or there is nothing to judge. The text says why.
    Skip(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fail(text) | Self::Skip(text) => f.write_str(text),
        }
    }
}

impl StdError for Stop {}

/// The verdict of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The subject does what the check asks for.
    Pass,
    /// The subject does something else. The text says what.
    Fail(String),
    /// The result is not judged, because the contract leaves the point open. The text says what was observed.
    Open(String),
    /// The check was not run, does not apply, or had nothing to judge. The text says why.
    Skip(String),
}

impl Verdict {
    /// Returns the verdict as one word: `pass`, `fail`, `open` or `skip`.
    ///
    /// ```
    /// assert_eq!(methodical_testkit::outcome::Verdict::Pass.word(), "pass");
    /// ```
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Open(_) => "open",
            Self::Skip(_) => "skip",
        }
    }

    /// Returns what was observed, or why the check was skipped; empty after a pass.
    ///
    /// ```
    /// use methodical_testkit::outcome::Verdict;
    ///
    /// assert_eq!(Verdict::Fail("status 404".into()).detail(), "status 404");
    /// ```
    pub fn detail(&self) -> &str {
        match self {
            Self::Pass => "",
            Self::Fail(detail) | Self::Open(detail) | Self::Skip(detail) => detail,
        }
    }
}

impl From<Outcome> for Verdict {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Ok(()) => Self::Pass,
            Err(Stop::Fail(text)) => Self::Fail(text),
            Err(Stop::Skip(text)) => Self::Skip(text),
        }
    }
}

/// Ends a check as failed.
///
/// # Errors
///
/// Always returns [`Stop::Fail`] with this text.
///
/// ```
/// use methodical_testkit::outcome::{Outcome, Verdict, fail};
///
/// assert_eq!(Verdict::from(fail("status 404")).word(), "fail");
/// ```
pub fn fail<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::Fail(text.into()))
}

/// Ends a check as skipped.
///
/// # Errors
///
/// Always returns [`Stop::Skip`] with this text.
///
/// ```
/// use methodical_testkit::outcome::{Outcome, Verdict, skip};
///
/// assert_eq!(Verdict::from(skip("the list is empty")).word(), "skip");
/// ```
pub fn skip<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::Skip(text.into()))
}

/// Ends a check as failed, with a formatted text, unless the condition holds.
///
/// ```
/// use methodical_testkit::outcome::{Outcome, ensure};
///
/// fn is_success(status: u16) -> Outcome {
///     ensure!(status == 200, "the status is {status}");
///     Ok(())
/// }
/// assert!(is_success(200).is_ok());
/// assert_eq!(is_success(404).unwrap_err().to_string(), "the status is 404");
/// ```
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return $crate::outcome::fail(format!($($text)+));
        }
    };
}

pub use crate::ensure;
