//! The storage queries of the operations, and the records that they return. If the spec gets a new operation, the
//! server does not compile until the operation is added here.

use crate::error::Error;
use crate::generated::call::{Call, Storage};
use crate::generated::parameters;
use crate::store::{CandidateFilter, Cursor, Page, Snapshot, Store, Versions};

impl Storage for Store {
    fn list_candidates(
        &self,
        snapshot: Snapshot,
        parameters: &parameters::ListCandidates,
        page: Page,
        records: &mut Records<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.candidates(snapshot, &filter(parameters), page, &mut |record| records.push(record))
    }

    fn list_vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        records: &mut Records<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.vacancies(snapshot, page, &mut |record| records.push(record))
    }

    fn get_credits(&self, snapshot: Snapshot, object: &mut Vec<u8>) -> Result<(), Error> {
        self.credits(snapshot.account, &mut |record| object.extend_from_slice(record))
    }
}

/// Returns the versions of the data that a call reads. A new operation is assumed to read everything.
pub(crate) fn versions(call: &Call, versions: &Versions) -> Vec<i64> {
    let Versions { candidates, statuses, vacancies, credits } = *versions;
    if let Call::ListCandidates(parameters) = call {
        let all = parameters.vacancy_id.is_none();
        return if all { vec![candidates] } else { vec![candidates, statuses] };
    }
    if matches!(call, Call::ListVacancies) {
        return vec![vacancies];
    }
    if matches!(call, Call::GetCredits) {
        return vec![credits];
    }
    vec![candidates, statuses, vacancies, credits]
}

fn filter(parameters: &parameters::ListCandidates) -> CandidateFilter {
    // Without `..`, so that a parameter added to the spec does not compile until it is read here.
    let parameters::ListCandidates { vacancy_id, status } = parameters;
    match (vacancy_id.map(i64::try_from), status) {
        (None, _) => CandidateFilter::All,
        // Larger than any id in the database: the vacancy does not exist.
        (Some(Err(_too_large)), _) => CandidateFilter::Nothing,
        (Some(Ok(vacancy)), None) => CandidateFilter::Vacancy(vacancy),
        (Some(Ok(vacancy)), Some(status)) => CandidateFilter::Status(vacancy, status.clone()),
    }
}

/// The JSON text around the records of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The text before the first record.
    pub(crate) open: &'static str,
    /// The text after the last record.
    pub(crate) close: &'static str,
}

/// The object that contains the list in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The operation whose responses have this envelope.
    pub(crate) method: &'static str,
    /// The field whose value says whether the call succeeded.
    pub(crate) marker: &'static str,
    /// The value of the marker after a success.
    pub(crate) success: &'static str,
    /// The field of the list.
    pub(crate) items: &'static str,
}

/// Appends records to a buffer, with commas between them.
#[derive(Debug)]
pub(crate) struct Records<'o> {
    out: &'o mut Vec<u8>,
    is_first: bool,
}

impl<'o> Records<'o> {
    /// Appends to `out`. `is_first` says whether the next record is the first of its response.
    pub(crate) fn new(out: &'o mut Vec<u8>, is_first: bool) -> Self {
        Self { out, is_first }
    }

    /// Appends a record that is JSON already.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.next().extend_from_slice(record);
    }

    /// Returns the buffer for the next record.
    pub(crate) fn next(&mut self) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.out
    }
}
