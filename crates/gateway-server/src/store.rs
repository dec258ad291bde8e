//! What the service asks of a database, whichever it is.
//!
//! Every call is blocking and short: a list is read in pages by key, each its own small read, so that a slow reader
//! holds neither a connection nor a snapshot. What makes the pages one snapshot is the *revision*: every row carries
//! the revision it came with and the one that superseded it, and a list is read as of the revision it began with.

mod balance;
mod dictionary;
pub(crate) mod memory;
mod merge;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod rendered;
pub(crate) mod sql;
pub(crate) mod sqlite;

use std::fmt;
use std::time::Duration;

use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::generated::record::{CandidateRow, CreditsRow, VacancyRow};
use crate::token::{NewToken, TokenDigest, TokenId};

/// Names an account inside the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AccountId(pub(crate) i64);

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Who a valid token speaks for, and the data version of that account at this moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// What the account may read: its own data as of now.
    pub snapshot: Snapshot,
    /// The public name of the token.
    pub token: TokenId,
}

/// The data of one account as of one revision. Nothing that is imported later changes what it shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Snapshot {
    /// Whose data.
    pub account: AccountId,
    /// Which version of it.
    pub revision: i64,
    /// Random bits that came with the version. Revisions are counted, so that a database that was restored or made
    /// anew has the same numbers for other data; it has not the same tags. An account without data has 0.
    pub tag: i64,
}

/// Which candidates are asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CandidateFilter {
    /// All of the account.
    All,
    /// Those associated with a vacancy.
    Vacancy(i64),
    /// Those associated with a vacancy that have exactly this status in it.
    Status(i64, String),
    /// None: the vacancy cannot exist.
    Nothing,
}

/// How much of a list to read, and from where on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// Records with an id above this one; [`Page::START`] for the first page.
    pub after: i64,
    /// At most so many records.
    pub limit: u32,
}

impl Page {
    /// Before the smallest id there can be.
    pub const START: i64 = -1;
}

/// Takes the candidates of a page one by one, in ascending order of their ids, each as the JSON text that a list sends.
pub type CandidateSink<'s> = &'s mut dyn FnMut(&[u8]);

/// Takes the vacancies of a page one by one, in ascending order of their ids.
pub type VacancySink<'s> = &'s mut dyn FnMut(&VacancyRow<'_>);

/// Takes the credit balance.
pub type CreditsSink<'s> = &'s mut dyn FnMut(&CreditsRow<'_>);

/// An account, as an operator sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// Its number inside the database.
    pub id: AccountId,
    /// Its name, which commands use.
    pub name: String,
    /// How often its data changed.
    pub revision: i64,
    /// When it was made.
    pub created_at: UnixTime,
}

/// A token, as an operator sees it: everything but the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenInfo {
    /// Its public name.
    pub id: TokenId,
    /// What it was made for.
    pub label: String,
    /// When it was made.
    pub created_at: UnixTime,
    /// From when on it is refused, if ever.
    pub expires_at: Option<UnixTime>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<UnixTime>,
}

/// Where in the input a record stands: shown when it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which of the files, counted from 0.
    pub file: u32,
    /// Which line of it, counted from 1.
    pub line: u64,
}

impl Place {
    const LINE_BITS: u32 = 40;

    /// Packs the place into the one integer the database keeps while it imports.
    pub(crate) fn pack(self) -> i64 {
        let line = self.line & ((1 << Self::LINE_BITS) - 1);
        i64::try_from(u64::from(self.file) << Self::LINE_BITS | line).unwrap_or(i64::MAX)
    }

    pub(crate) fn unpack(packed: i64) -> Self {
        let packed = u64::try_from(packed).unwrap_or(0);
        let file = u32::try_from(packed >> Self::LINE_BITS).unwrap_or(u32::MAX);
        Self { file, line: packed & ((1 << Self::LINE_BITS) - 1) }
    }
}

/// A candidate with a status in a vacancy (spec 3): not a record of the service, but what its filters go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplicationRow<'a> {
    /// The vacancy.
    pub vacancy_id: i64,
    /// The candidate.
    pub candidate_id: i64,
    /// The name of the status the candidate has in it.
    pub status: &'a str,
}

/// Takes the records of one import. Nothing is visible to readers before all of it is.
///
/// # Errors
///
/// Every method fails when the database does.
#[expect(clippy::missing_errors_doc, reason = "all methods fail alike; the trait says how")]
pub trait Stage {
    /// Adds or replaces a vacancy. The number is the id of the row, read.
    fn vacancy(&mut self, place: Place, id: i64, row: &VacancyRow<'_>) -> Result<(), Error>;
    /// Adds or replaces a candidate. The number is the id of the row, read.
    fn candidate(&mut self, place: Place, id: i64, row: &CandidateRow<'_>) -> Result<(), Error>;
    /// Sets the status of a candidate in a vacancy; both may stand anywhere in the same import.
    fn application(&mut self, place: Place, row: &ApplicationRow<'_>) -> Result<(), Error>;
    /// Sets the credit balance.
    fn credits(&mut self, place: Place, row: &CreditsRow<'_>) -> Result<(), Error>;
}

/// Fills a stage; what it returns as an error undoes the import.
pub type Fill<'f> = &'f mut dyn FnMut(&mut dyn Stage) -> Result<(), Error>;

/// Whether an import is for real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImportMode {
    /// Everything is checked, counted and undone.
    DryRun,
    /// Everything is kept, or nothing.
    Commit,
}

/// What an import did, per kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportReport {
    /// The vacancies.
    pub vacancies: Changes,
    /// The candidates.
    pub candidates: Changes,
    /// The statuses of candidates in vacancies.
    pub applications: Changes,
    /// Whether the credit balance is another than before.
    pub credits_changed: bool,
    /// The revision readers see from now on.
    pub revision: i64,
}

impl ImportReport {
    /// Tells whether anything is different from before.
    pub fn changed_anything(&self) -> bool {
        self.credits_changed
            || [self.vacancies, self.candidates, self.applications]
                .iter()
                .any(|changes| changes.added + changes.changed > 0)
    }
}

/// How many records were new, different, and the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Not there before.
    pub added: u64,
    /// There before, with other content.
    pub changed: u64,
    /// There before, alike.
    pub unchanged: u64,
}

/// The database of the service.
///
/// One instance serves many threads. Every method that reads data of an account takes the account first.
///
/// # Errors
///
/// Every method fails when the database does: busy, full, damaged, out of reach. Methods that name an account fail
/// with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) when there is none, and
/// [`create_account`](Self::create_account) with [`ErrorKind::Exists`](crate::ErrorKind::Exists) when there is one.
#[expect(clippy::missing_errors_doc, reason = "all methods fail alike; the trait says how")]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Finds who a token speaks for. Unknown, expired and revoked tokens are alike: nobody.
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error>;

    /// Reads one page of candidates. Returns the id to continue after, or `None` at the end of the list.
    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: CandidateSink<'_>,
    ) -> Result<Option<i64>, Error>;

    /// Reads one page of vacancies. Returns the id to continue after, or `None` at the end of the list.
    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: VacancySink<'_>,
    ) -> Result<Option<i64>, Error>;

    /// Reads the credit balance.
    fn credits(&self, account: AccountId, sink: CreditsSink<'_>) -> Result<(), Error>;

    /// Tells whether reading a single row takes microseconds, as it does in this process. Where it takes a round trip
    /// over a network, requests wait for it without holding a thread.
    fn is_near(&self) -> bool {
        false
    }

    /// Answers if the database can be read at this moment.
    fn health(&self) -> Result<(), Error>;

    /// Makes an account.
    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error>;

    /// Lists the accounts by name.
    fn accounts(&self) -> Result<Vec<Account>, Error>;

    /// Finds an account by its name.
    fn account(&self, name: &str) -> Result<AccountId, Error>;

    /// Makes a token. This is the only time it is shown.
    fn create_token(
        &self,
        account: AccountId,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<NewToken, Error>;

    /// Lists the tokens of an account, oldest first.
    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error>;

    /// Revokes a token at once. Returns false if the account has no such token.
    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error>;

    /// Imports what `fill` stages: everything becomes visible in one new revision, or nothing does.
    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error>;

    /// Deletes row versions that were superseded at least so long ago, by the clock of the database. Returns how many.
    ///
    /// Whoever still reads a snapshot that showed them fails with
    /// [`ErrorKind::SnapshotGone`](crate::ErrorKind::SnapshotGone) at the next page: no list ends early for it.
    fn collect(&self, age: Duration) -> Result<u64, Error>;

    /// Looks for damage and returns one line for each found.
    fn check(&self) -> Result<Vec<String>, Error>;
}

/// Says that a snapshot cannot be read any more.
fn snapshot_gone() -> Error {
    Error::new(ErrorKind::SnapshotGone, "the data of that revision was removed meanwhile")
}

/// What the clock showed `age` before it showed `now`.
fn seconds_before(now: i64, age: Duration) -> i64 {
    now.saturating_sub(i64::try_from(age.as_secs()).unwrap_or(i64::MAX))
}

/// Draws the tag of a new revision.
fn draw_tag() -> Result<i64, Error> {
    let bits = getrandom::u64()
        .map_err(|error| Error::caused(ErrorKind::Io, "the system gave no random bytes", error))?;
    // 0 stands for no data.
    Ok(bits.cast_signed() | 1)
}

/// How long a statement that answers a request may take, unless a store is told otherwise: far longer than any page
/// takes, and shorter than clients wait. Imports, checks and the removal of superseded rows take what they take.
pub(crate) const STATEMENT_BUDGET: Duration = Duration::from_secs(10);
