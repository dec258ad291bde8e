//! The data of one account at one revision, and how much of it to read.

use std::fmt;

use bytes::Bytes;

use crate::store::cursor::Cursor;
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
    /// The versions of the lists in this data.
    pub versions: Versions,
    /// The credit balance as JSON, if it was read with the token and is not damaged.
    pub credits: Option<Bytes>,
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
}

/// The versions of the lists of an account: random bits, drawn when a revision changes the list; 0 for an account
/// without data. A list with the same version has the same bytes.
///
/// Revisions are counted, so a restored or recreated database reaches the same numbers with other data, but not with the
/// same versions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Versions {
    /// The version of the candidates.
    pub candidates: i64,
    /// The version of their statuses in vacancies, by which the list of candidates is filtered.
    pub statuses: i64,
    /// The version of the vacancies.
    pub vacancies: i64,
    /// The version of the credit balance.
    pub credits: i64,
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
    /// Where the page begins: [`Cursor::START`], or the result of reading the page before.
    pub from: Cursor,
    /// Maximum number of records.
    pub limit: u32,
}

/// Receives the records of a page in ascending order of their ids, or one object, each as the JSON text that a response
/// sends.
pub type RecordSink<'s> = &'s mut dyn FnMut(&[u8]);
