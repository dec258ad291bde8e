//! The parameters of each operation, read and checked.

use crate::parameter::{self, Problem};
use crate::query::Pairs;

/// The parameters of `candidates/list` (spec 4.1).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ListCandidates {
    /// Only candidates of this vacancy.
    pub(crate) vacancy_id: Option<u64>,
    /// Only candidates that have this status in the vacancy.
    pub(crate) status: Option<String>,
}

impl ListCandidates {
    /// Reads the parameters and ignores those that nobody defined.
    pub(crate) fn read(pairs: &Pairs<'_>) -> Result<Self, Problem> {
        Ok(Self {
            vacancy_id: parameter::integer(pairs, "vacancy_id")?,
            status: parameter::text(pairs, "status")?,
        })
    }

    /// Names the parameter that has no effect because the one it needs is missing, and that one.
    pub(crate) fn without_effect(&self) -> Option<(&'static str, &'static str)> {
        if self.status.is_some() && self.vacancy_id.is_none() {
            return Some(("status", "vacancy_id"));
        }
        None
    }
}
