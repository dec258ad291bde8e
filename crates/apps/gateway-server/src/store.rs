//! The interface to the database, the same for every store.
//!
//! Every call blocks and is short. A list is read in pages by key, each page in its own small read, so a slow client
//! holds neither a connection nor a transaction. Revisions make the pages consistent: every row carries the revision
//! that added it and the one that superseded it, and all pages of a list are read at the revision that was current when
//! the list began.

mod account;
mod additions;
mod balance;
mod check;
mod cursor;
mod damage;
mod deletion;
mod dictionary;
mod errors;
mod merge;
mod merge_sql;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
mod rendered;
mod replace;
mod revision;
mod schema;
mod session;
mod snapshot;
mod sql;
pub(crate) mod sqlite;
mod stage;
mod staged;
mod verify;

use std::fmt;
use std::time::Duration;

use crate::clock::UnixTime;
use crate::error::Error;
pub use crate::store::account::{Account, TokenInfo};
pub use crate::store::check::CheckReport;
pub use crate::store::cursor::Cursor;
pub use crate::store::deletion::{Deletion, DeletionReport, UnknownIds};
pub use crate::store::replace::Removals;
pub use crate::store::snapshot::{
    AccountId, CandidateFilter, Page, Principal, RecordSink, Snapshot, Versions,
};
pub use crate::store::stage::{ApplicationRow, Changes, Fill, ImportMode, ImportReport, Stage};
use crate::token::{NewToken, TokenDigest, TokenId};

/// The operations of a running server on its database.
///
/// One instance serves many threads. Every method that reads an account's data takes the account first.
///
/// # Errors
///
/// Every method fails if the database does: busy, full, damaged, unreachable.
#[expect(
    clippy::missing_errors_doc,
    reason = "the errors are the same for all methods; see the trait"
)]
pub trait Store: Send + Sync + fmt::Debug + 'static {
    /// Returns the account of a token, or `None` for an unknown, expired or revoked token.
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error>;

    /// Reads one page of candidates. Returns where the next page begins, or `None` at the end of the list.
    ///
    /// A row that is not as it was written, and at its end a list that lacks a row, are errors of the kind
    /// [`ErrorKind::StorageCorrupt`](crate::ErrorKind::StorageCorrupt).
    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error>;

    /// Reads one page of vacancies, as [`candidates`](Self::candidates) does.
    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error>;

    /// Reads the credit balance.
    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error>;

    /// Returns whether a read of a single row takes microseconds, as it does inside this process. If it takes a round
    /// trip over a network, requests wait for it without blocking a thread of the runtime.
    fn is_near(&self) -> bool {
        false
    }

    /// Checks that the database can be read now, and that no read has found damage.
    fn health(&self) -> Result<(), Error>;

    /// Returns when the newest revision was created, by the clock of the database. Returns `None` without revisions, and if
    /// the store does not record times.
    fn newest_revision(&self) -> Result<Option<UnixTime>, Error> {
        Ok(None)
    }

    /// Returns the number of connections to the database that are open and not in use.
    fn idle_connections(&self) -> usize {
        0
    }

    /// Deletes row versions that were superseded at least `age` ago, by the clock of the database, and returns their
    /// number.
    ///
    /// Reading the next page of a snapshot that contained them then fails with
    /// [`ErrorKind::SnapshotGone`](crate::ErrorKind::SnapshotGone), so that no list ends early.
    fn collect(&self, age: Duration) -> Result<u64, Error>;
}

/// The operations of an operator on the database: accounts, tokens, imports.
///
/// # Errors
///
/// Every method fails if the database does. [`create_account`](Self::create_account) fails with
/// [`ErrorKind::Exists`](crate::ErrorKind::Exists) if the name is taken, and [`account`](Self::account) with
/// [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if it is unknown.
#[expect(
    clippy::missing_errors_doc,
    reason = "the errors are the same for all methods; see the trait"
)]
pub trait StoreAdmin: Store {
    /// Creates an account.
    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error>;

    /// Returns the accounts, sorted by name.
    fn accounts(&self) -> Result<Vec<Account>, Error>;

    /// Finds an account by its name.
    fn account(&self, name: &str) -> Result<AccountId, Error>;

    /// Creates a token. The returned value is the only copy of its text.
    fn create_token(
        &self,
        account: AccountId,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<NewToken, Error> {
        let token = NewToken::draw()?;
        self.add_token(account, &token.digest(), label, now, expires_at)?;
        Ok(token)
    }

    /// Stores the digest of a new token.
    fn add_token(
        &self,
        account: AccountId,
        digest: &TokenDigest,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<(), Error>;

    /// Returns the tokens of an account, oldest first.
    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error>;

    /// Revokes a token with immediate effect. Returns whether the account has this token. A token that was revoked
    /// before keeps the time of its first revocation.
    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error>;

    /// Imports the records that `fill` stages, atomically and in one new revision.
    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error>;

    /// Imports the records that `fill` stages as [`import`](Self::import) does, and removes the others.
    ///
    /// Vacancies, candidates and statuses that were not staged are removed if at least one record of their kind was.
    /// With a vacancy or a candidate, its statuses are removed. Former revisions keep the removed records until
    /// [`collect`](Store::collect) deletes them.
    ///
    /// Fails with [`ErrorKind::RemovalsRefused`](crate::ErrorKind::RemovalsRefused), and imports nothing, if `removals`
    /// does not permit the number of removed records. A dry run reports it instead.
    ///
    /// ```
    /// # use gateway_server::{Error, ImportMode, Place, Removals, StoreAdmin, UnixTime, VacancyRow};
    /// # fn example(store: &dyn StoreAdmin) -> Result<(), Error> {
    /// let account = store.create_account("acme", UnixTime(0))?;
    /// for (id, text) in [(7, "7"), (8, "8")] {
    ///     store.replace(account, ImportMode::Commit, Removals::Few, &mut |stage| {
    ///         let row = VacancyRow { project: "Welder", ..VacancyRow::new(text) };
    ///         stage.vacancy(Place { file: 0, line: 1 }, id, &row)
    ///     })?;
    /// }
    /// let report = store.delete(
    ///     account,
    ///     &gateway_server::Deletion::Vacancies(vec![8]),
    ///     gateway_server::UnknownIds::Refuse,
    ///     ImportMode::Commit,
    /// )?;
    /// // Vacancy 7 was removed by the second import.
    /// assert_eq!((report.vacancies, report.superseded), (1, 1));
    /// # Ok(())
    /// # }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # example(&gateway_server::SqliteStore::open(directory.path().join("a.db")).unwrap()).unwrap();
    /// ```
    fn replace(
        &self,
        account: AccountId,
        mode: ImportMode,
        removals: Removals,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error>;

    /// Deletes records from every revision of an account, atomically. If that changes a list, the account gets a new
    /// revision.
    ///
    /// Former revisions of the account are removed: reading the next page of one of them fails with
    /// [`ErrorKind::SnapshotGone`](crate::ErrorKind::SnapshotGone), so that no list ends early. Bytes of the records
    /// remain in the files until [`erase_traces`](Self::erase_traces) returns.
    ///
    /// ```
    /// # use gateway_server::{Deletion, Error, ImportMode, Place, StoreAdmin, UnknownIds, UnixTime, VacancyRow};
    /// # fn example(store: &dyn StoreAdmin) -> Result<(), Error> {
    /// let account = store.create_account("acme", UnixTime(0))?;
    /// store.import(account, ImportMode::Commit, &mut |stage| {
    ///     let row = VacancyRow { project: "Welder", ..VacancyRow::new("7") };
    ///     stage.vacancy(Place { file: 0, line: 1 }, 7, &row)
    /// })?;
    /// let vacancy = Deletion::Vacancies(vec![7]);
    /// let report = store.delete(account, &vacancy, UnknownIds::Refuse, ImportMode::Commit)?;
    /// assert_eq!((report.vacancies, report.revision), (1, 2));
    /// # Ok(())
    /// # }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # example(&gateway_server::SqliteStore::open(directory.path().join("a.db")).unwrap()).unwrap();
    /// ```
    fn delete(
        &self,
        account: AccountId,
        deletion: &Deletion,
        unknown: UnknownIds,
        mode: ImportMode,
    ) -> Result<DeletionReport, Error>;

    /// Removes the traces that deleted and superseded rows left in the files of the database, also those of an
    /// interrupted deletion. Waits at most `timeout` for readers of older revisions.
    ///
    /// Fails with [`ErrorKind::ErasurePending`](crate::ErrorKind::ErasurePending) if the time does not suffice. The
    /// call can be repeated.
    fn erase_traces(&self, timeout: Duration) -> Result<(), Error>;

    /// Looks for damage, and for records that lack a field of the contract.
    fn check(&self) -> Result<CheckReport, Error>;
}

/// Default time limit of a read that answers a request: far longer than any page takes, and shorter than clients wait.
/// Imports, checks and the removal of superseded rows have no limit.
pub(crate) const STATEMENT_BUDGET: Duration = Duration::from_secs(10);
