//! The data of one account at one revision, and how much of it to read.

use std::fmt;

use crate::token::TokenId;

/// The number of an account in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub(crate) i64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The account that a valid token belongs to, at its current revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The data that the request may read.
    pub snapshot: Snapshot,
    /// The public name of the token.
    pub token: TokenId,
}

/// The data of one account at one revision. Later imports do not change it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// The account.
    pub account: AccountId,
    /// The revision of its data.
    pub revision: i64,
    /// Random bits drawn for the revision; 0 for an account without data. Revisions are counted, so a restored or
    /// recreated database reaches the same numbers with other data, but not with the same tags.
    pub tag: i64,
}

/// A filter on the candidates of an account.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CandidateFilter {
    /// All candidates.
    All,
    /// The candidates associated with this vacancy.
    Vacancy(i64),
    /// The candidates with exactly this status in this vacancy.
    Status(i64, String),
    /// No candidates: the requested vacancy cannot exist.
    Nothing,
}

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The exclusive lower bound of the ids; [`Page::START`] for the first page.
    pub after: i64,
    /// Maximum number of records.
    pub limit: u32,
}

impl Page {
    /// A value below every possible id.
    pub const START: i64 = -1;
}

/// Receives the records of a page in ascending order of their ids, or one object, each as the JSON text that a response
/// sends.
pub type RecordSink<'s> = &'s mut dyn FnMut(&[u8]);
