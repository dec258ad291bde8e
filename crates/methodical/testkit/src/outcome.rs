//! The outcome of a transport or service check.

/// The result of a check function: `Ok` if the transport or service does what the check requires.
pub(crate) type Outcome<T = ()> = Result<T, Stop>;

/// Why a check ended early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The transport or service does something else, which the text describes.
    Fail(String),
    /// The check does not apply, or there is nothing to judge. The text gives the reason.
    Skip(String),
}

/// The verdict of a check on a transport or a service.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The transport or service does what the check requires.
    Pass,
    /// The transport or service does something else, which the text describes.
    Fail(String),
    /// Neither pass nor fail, because the contract leaves the point open. The text describes what was observed.
    Open(String),
    /// The check was not run, does not apply, or had nothing to judge. The text gives the reason.
    Skip(String),
}

impl Verdict {
    /// Returns the verdict as one word: `pass`, `fail`, `open` or `skip`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail(_) => "fail",
            Self::Open(_) => "open",
            Self::Skip(_) => "skip",
        }
    }

    /// Returns what was observed, or why the check was skipped; empty after a pass.
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

/// Ends a check as failed. The text describes what was found and, unless the check's title does, what was expected.
pub(crate) fn fail<T>(text: impl Into<String>) -> Outcome<T> {
    Err(Stop::Fail(text.into()))
}

/// Ends a check as skipped, with the reason.
pub(crate) fn skip<T>(reason: impl Into<String>) -> Outcome<T> {
    Err(Stop::Skip(reason.into()))
}

/// Ends a check as failed, with formatted text, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($text:tt)+) => {
        if !$condition {
            return $crate::outcome::fail(format!($($text)+));
        }
    };
}

pub(crate) use ensure;
