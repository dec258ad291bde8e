//! The storage queries of the operations. After the spec has a new operation, the server does not
//! compile until it is added here.

use bytes::Bytes;

use crate::error::Error;
use crate::generated::call::{Call, Storage};
use crate::generated::parameters;
use crate::records::Records;
use crate::store::{CandidateFilter, Cursor, Page, Principal, Snapshot, Store, Versions};

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

/// Returns the response to a call if it was read with the token: the balance is in the row of the account, and a second
/// statement would take a tenth of the time of a small response.
pub(crate) fn read_with_token(call: &Call, principal: &Principal) -> Option<Bytes> {
    if matches!(call, Call::GetCredits) { principal.credits.clone() } else { None }
}

/// Returns the versions of the data that a call reads. A new operation is taken to read everything.
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
    match (parameters.vacancy_id.map(i64::try_from), &parameters.status) {
        (None, _) => CandidateFilter::All,
        // Larger than any id in the database: the vacancy does not exist.
        (Some(Err(_too_large)), _) => CandidateFilter::Nothing,
        (Some(Ok(vacancy)), None) => CandidateFilter::Vacancy(vacancy),
        (Some(Ok(vacancy)), Some(status)) => CandidateFilter::Status(vacancy, status.clone()),
    }
}
