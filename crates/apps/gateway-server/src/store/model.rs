//! The data types of the store: accounts, snapshots, pages, imports.

use std::fmt;

use crate::config::UnixTime;
use crate::error::{Error, ErrorKind, Place};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::token::TokenId;

/// The number of an account in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub(crate) i64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The id of the account in the database.
    pub id: AccountId,
    /// The name that commands use for the account.
    pub name: String,
    /// How many times the account's data has changed.
    pub revision: i64,
    /// When it was created.
    pub created_at: UnixTime,
}

/// A description of a token, without its secret text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// The token's public name.
    pub id: TokenId,
    /// The purpose of the token, as the operator entered it.
    pub label: String,
    /// When it was created.
    pub created_at: UnixTime,
    /// When it expires; `None` if it never does.
    pub expires_at: Option<UnixTime>,
    /// When it was revoked; `None` if it was not.
    pub revoked_at: Option<UnixTime>,
}

/// The account that a valid token belongs to, at its current revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The data that the request may read.
    pub snapshot: Snapshot,
    /// The versions of the lists in this data.
    pub versions: Versions,
    /// The public name of the token.
    pub token: TokenId,
}

/// The data of one account at one revision. Later imports do not change this data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// The account that the data belongs to.
    pub account: AccountId,
    /// The revision of the account's data.
    pub revision: i64,
}

/// The versions of an account's lists. Each is a random number that is drawn when a revision changes the list, or 0 for
/// an account without data. Two lists with the same version have the same bytes.
///
/// Revisions are counted, so a restored or recreated database can reach the same revision with other data, but its
/// versions then differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Versions {
    /// The version of the candidates.
    pub candidates: i64,
    /// The version of their statuses in vacancies, which filter the list of candidates.
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
    /// No candidates, because the requested vacancy cannot exist.
    Nothing,
}

/// The position in a list: the id of the last record that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor(pub(super) i64);

impl Cursor {
    /// The start of a list. No id is below it.
    pub const START: Self = Self(-1);
}

/// A page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The position at which the page begins: [`Cursor::START`], or the one returned with the previous page.
    pub from: Cursor,
    /// Maximum number of records.
    pub limit: u32,
}

/// Receives the records of a page in ascending order of their ids, or one object, each as the JSON text that a response
/// sends.
pub type RecordSink<'s> = &'s mut dyn FnMut(&[u8]);

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

/// Receives the records of one import. Readers see them only after the whole import is committed.
///
/// # Errors
///
/// Every method fails if the database fails, or if the record contradicts another record of the same import.
#[expect(
    clippy::missing_errors_doc,
    reason = "the errors are the same for all methods; see the trait"
)]
pub trait Stage {
    /// Adds or replaces a vacancy. `id` is the id of the row as a number.
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error>;
    /// Adds or replaces a candidate. `id` is the id of the row as a number.
    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error>;
    /// Sets the status of a candidate in a vacancy. The candidate and the vacancy may be staged before or after it.
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
    /// Check and count all changes, then roll back.
    DryRun,
    /// Keep all changes, or none after an error.
    Commit,
}

/// The changes made by an import, per kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// Changes to vacancies.
    pub vacancies: Changes,
    /// Changes to candidates.
    pub candidates: Changes,
    /// Changes to the statuses of candidates in vacancies.
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
    /// Records that existed, but were not part of a replacing import.
    pub removed: u64,
}

impl Changes {
    pub(crate) fn changed_anything(&self) -> bool {
        self.added + self.changed + self.removed > 0
    }
}

/// The removals that a replacing import may make.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Removals {
    /// At most 50 records, or 10 % of a kind's records if that is more.
    #[default]
    Few,
    /// Exactly this number of records, of all kinds together.
    Exactly(u64),
}

impl Removals {
    /// Fails with [`ErrorKind::RemovalsRefused`](crate::ErrorKind::RemovalsRefused) if an import that is to be
    /// committed removes a number of records that is not permitted.
    pub(super) fn check(self, mode: ImportMode, report: &ImportReport) -> Result<(), Error> {
        let removed = report.removed();
        let is_accepted = match self {
            Self::Few => !report.removes_many(),
            Self::Exactly(number) => number == removed,
        };
        if is_accepted || mode == ImportMode::DryRun {
            return Ok(());
        }
        let ImportReport { vacancies, candidates, applications, .. } = report;
        let limit = match self {
            Self::Few => "including more than 50 and more than 10 % of one kind".to_owned(),
            Self::Exactly(number) => format!("not the {number} of --accept-removals"),
        };
        let text = format!(
            "the import would remove {removed} records, {limit}: {} vacancies, {} candidates, {} statuses; nothing was \
             imported; to accept exactly these removals, run the same command with --accept-removals {removed}",
            vacancies.removed, candidates.removed, applications.removed
        );
        Err(Error::new(ErrorKind::RemovalsRefused, text))
    }
}

/// The records that a deletion removes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Deletion {
    /// The candidates with these ids, and their statuses.
    Candidates(Vec<i64>),
    /// The vacancies with these ids, and the statuses of candidates in them.
    Vacancies(Vec<i64>),
    /// Statuses, each given by the ids of its vacancy and its candidate.
    Statuses(Vec<(i64, i64)>),
    /// The account with its records, credit balance and tokens. Its number is not reused.
    Account,
}

/// The treatment of an id that the account does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownIds {
    /// Fail with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound), and delete nothing.
    #[default]
    Refuse,
    /// Ignore it, and delete the other records.
    Ignore,
}

/// The rows that a deletion removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeletionReport {
    /// Number of vacancies.
    pub vacancies: u64,
    /// Number of candidates.
    pub candidates: u64,
    /// Number of statuses of candidates in vacancies.
    pub applications: u64,
    /// Tokens of a deleted account.
    pub tokens: u64,
    /// Superseded versions of records, in the whole account.
    pub superseded: u64,
    /// Ids that the account did not have.
    pub unknown: u64,
    /// The revision after the deletion or, for a deleted account, its last revision.
    pub revision: i64,
}

/// The result of a database check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// One line for each kind of damage that was found.
    pub damage: Vec<String>,
    /// Number of deletions whose traces have not been removed from the files. [`erase_traces`] removes them.
    ///
    /// [`erase_traces`]: crate::Store::erase_traces
    pub pending_erasures: u64,
}
