//! The operations of the service and the frames of their answers.

/// An operation, as the `method` parameter selects it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// `candidates/list` (spec 4.1).
    ListCandidates,
    /// `vacancies/list` (spec 4.2).
    ListVacancies,
    /// `credits/get` (spec 4.3).
    GetCredits,
}

impl Operation {
    /// All operations, in the order of the contract.
    pub(crate) const ALL: [Self; 3] = [Self::ListCandidates, Self::ListVacancies, Self::GetCredits];

    /// Finds the operation that a `method` value selects.
    pub(crate) fn from_method(method: &str) -> Option<Self> {
        match method {
            "candidates/list" => Some(Self::ListCandidates),
            "vacancies/list" => Some(Self::ListVacancies),
            "credits/get" => Some(Self::GetCredits),
            _ => None,
        }
    }

    /// Returns the `method` value that selects the operation.
    pub(crate) const fn method(self) -> &'static str {
        match self {
            Self::ListCandidates => "candidates/list",
            Self::ListVacancies => "vacancies/list",
            Self::GetCredits => "credits/get",
        }
    }
}

/// What stands before the first and after the last record of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Everything before the first record.
    pub(crate) open: &'static [u8],
    /// Everything after the last record.
    pub(crate) close: &'static [u8],
}

/// The frame of `candidates/list`.
pub(crate) const LIST_CANDIDATES: Frame =
    Frame { open: b"{\"status\":\"success\",\"result\":[", close: b"]}" };

/// The frame of `vacancies/list`.
pub(crate) const LIST_VACANCIES: Frame = Frame { open: b"[", close: b"]" };
