//! The history of runs: what each sync of a table did, also a failed one.

use crate::error::{Error, ErrorKind};
use crate::history::report::Report;

/// A sync of one table by [`Mirror::sync_all`](crate::Mirror::sync_all), as the mirror remembers it. The last [`PastRun::KEPT`] ones are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PastRun {
    /// When it began, in seconds since 1970 (UTC).
    pub started_at: i64,
    /// When it ended, in seconds since 1970 (UTC).
    pub ended_at: i64,
    /// The table.
    pub table: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it did not end as [`Outcome::Complete`]. It has no value of a record and no token.
    pub reason: Option<String>,
    /// The counts. They are zero if nothing was committed.
    pub report: Report,
    /// How many calls were made.
    pub calls: u64,
}

/// The outcome of a [`PastRun`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outcome {
    /// The table is up to date.
    #[default]
    Complete,
    /// The values of some groups could not be recovered.
    Partial,
    /// The brake or the check of a filter refused the answers. Nothing was committed.
    Refused,
    /// A call or the store failed. Nothing was committed.
    Failed,
}

impl Outcome {
    /// Returns the name of the outcome.
    ///
    /// ```
    /// assert_eq!(methodical_mirror::Outcome::Refused.as_str(), "refused");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Partial => "partial",
            Self::Refused => "refused",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn of(name: &str) -> Option<Self> {
        [Self::Complete, Self::Partial, Self::Refused, Self::Failed]
            .into_iter()
            .find(|outcome| outcome.as_str() == name)
    }

    pub(crate) fn of_error(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::Brake | ErrorKind::Filter => Self::Refused,
            _ => Self::Failed,
        }
    }
}

impl PastRun {
    /// Maximum number of runs that a mirror keeps.
    pub const KEPT: u32 = 1000;
}
