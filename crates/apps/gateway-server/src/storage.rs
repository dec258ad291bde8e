//! The calls of the operations: their parameters, what they read from storage, and the records that they return. If the
//! spec gets a new operation or parameter, the server does not compile until this module reads it.

use crate::error::Error;
use crate::generated::operations::{GET_CREDITS, LIST_CANDIDATES, LIST_VACANCIES, Operation};
use crate::parameter::{self, Pairs, Problem};
use crate::store::{CandidateFilter, Cursor, Page, Snapshot, Store, Versions};

/// An operation with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    ListCandidates { vacancy_id: Option<u64>, status: Option<String> },
    ListVacancies,
    GetCredits,
}

impl Call {
    /// Reads an operation's parameters and ignores unknown ones.
    pub(crate) fn read(operation: Operation, pairs: &Pairs<'_>) -> Result<Self, Problem> {
        Ok(match operation {
            Operation::ListCandidates => {
                let [vacancy_id, status] = &LIST_CANDIDATES;
                let vacancy_id = parameter::integer(pairs, vacancy_id)?;
                Self::ListCandidates { vacancy_id, status: parameter::text(pairs, status)? }
            }
            Operation::ListVacancies => {
                let [] = LIST_VACANCIES;
                Self::ListVacancies
            }
            Operation::GetCredits => {
                let [] = GET_CREDITS;
                Self::GetCredits
            }
        })
    }

    /// Returns a notice for the client about the parameters, if any.
    pub(crate) fn notice(&self) -> Option<&'static str> {
        match self {
            Self::ListCandidates { vacancy_id: None, status: Some(_) } => {
                Some("status has no effect without vacancy_id")
            }
            _ => None,
        }
    }

    /// Returns the versions of the data that the call reads.
    pub(crate) fn versions(&self, versions: &Versions) -> Vec<i64> {
        let Versions { candidates, statuses, vacancies, credits } = *versions;
        match self {
            Self::ListCandidates { vacancy_id: None, .. } => vec![candidates],
            Self::ListCandidates { vacancy_id: Some(_), .. } => vec![candidates, statuses],
            Self::ListVacancies => vec![vacancies],
            Self::GetCredits => vec![credits],
        }
    }

    /// Reads one page of a list, or the object, from storage. Returns where the next page begins, or `None` at the end.
    pub(crate) fn fetch(
        &self,
        store: &Store,
        snapshot: Snapshot,
        page: Page,
        records: &mut Records<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let mut push = |record: &[u8]| records.push(record);
        match self {
            Self::ListCandidates { vacancy_id, status } => {
                let filter = filter(*vacancy_id, status.as_deref());
                store.candidates(snapshot, &filter, page, &mut push)
            }
            Self::ListVacancies => store.vacancies(snapshot, page, &mut push),
            Self::GetCredits => store.credits(snapshot.account, &mut push).map(|()| None),
        }
    }
}

fn filter(vacancy_id: Option<u64>, status: Option<&str>) -> CandidateFilter {
    match (vacancy_id.map(i64::try_from), status) {
        (None, _) => CandidateFilter::All,
        // Larger than any id in the database: the vacancy does not exist.
        (Some(Err(_too_large)), _) => CandidateFilter::Nothing,
        (Some(Ok(vacancy)), None) => CandidateFilter::Vacancy(vacancy),
        (Some(Ok(vacancy)), Some(status)) => CandidateFilter::Status(vacancy, status.to_owned()),
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
    /// The field that contains the list.
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

    /// Appends a record that is already JSON text.
    pub(crate) fn push(&mut self, record: &[u8]) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.out.extend_from_slice(record);
    }
}
