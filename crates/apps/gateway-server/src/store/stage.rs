//! The target and the report of an import.

use crate::error::Error;
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::place::Place;

/// The status of a candidate in a vacancy (section 3 of the contract). The service never sends it as a record; the
/// filters of `candidates/list` use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplicationRow<'a> {
    /// The id of the vacancy.
    pub vacancy_id: i64,
    /// The id of the candidate.
    pub candidate_id: i64,
    /// The name of the status.
    pub status: &'a str,
}

/// Receives the records of one import. Readers see none of them before the whole import is committed.
///
/// # Errors
///
/// Every method fails if the database fails, or if the record contradicts another one of the same import.
#[expect(
    clippy::missing_errors_doc,
    reason = "the errors are the same for all methods; see the trait"
)]
pub trait Stage {
    /// Adds or replaces a vacancy. `id` is the id of the row as a number.
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error>;
    /// Adds or replaces a candidate. `id` is the id of the row as a number.
    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error>;
    /// Sets the status of a candidate in a vacancy. The import may stage both before or after it.
    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error>;
    /// Sets the credit balance.
    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error>;
}

/// Stages the records of an import. If it returns an error, the import is rolled back.
pub type Fill<'f> = &'f mut dyn FnMut(&mut dyn Stage) -> Result<(), Error>;

/// Whether an import or a deletion keeps its changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportMode {
    /// Check and count everything, then roll back.
    DryRun,
    /// Keep everything, or nothing after an error.
    Commit,
}

/// The changes made by an import, per kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Vacancies.
    pub vacancies: Changes,
    /// Candidates.
    pub candidates: Changes,
    /// Statuses of candidates in vacancies.
    pub applications: Changes,
    /// Whether the credit balance changed.
    pub credits_changed: bool,
    /// The revision after the import.
    pub revision: i64,
}

impl ImportReport {
    /// Returns whether anything changed.
    pub fn changed_anything(&self) -> bool {
        self.credits_changed
            || [self.vacancies, self.candidates, self.applications]
                .iter()
                .any(Changes::changed_anything)
    }

    /// Returns the number of removed records.
    pub fn removed(&self) -> u64 {
        self.vacancies.removed + self.candidates.removed + self.applications.removed
    }

    /// Returns whether more than 50 records, and more than 10 %, of a kind were removed.
    pub fn removes_many(&self) -> bool {
        [self.vacancies, self.candidates, self.applications].iter().any(|changes| {
            let before = changes.changed + changes.unchanged + changes.removed;
            changes.removed > 50.max(before / 10)
        })
    }
}

/// Numbers of added, changed, unchanged and removed records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Records that did not exist before.
    pub added: u64,
    /// Records that existed with other content.
    pub changed: u64,
    /// Records that existed with the same content.
    pub unchanged: u64,
    /// Records that existed and were not among those of a replacing import.
    pub removed: u64,
}

impl Changes {
    pub(crate) fn changed_anything(&self) -> bool {
        self.added + self.changed + self.removed > 0
    }
}
