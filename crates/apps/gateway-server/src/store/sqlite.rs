//! The store on SQLite: one file, one writer, any number of readers.

mod backup;
mod check;
mod erase;
mod failure;
mod import;
mod open;
mod read;
mod readers;
mod stage;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::store::errors::{account_exists, no_account};
use crate::store::sqlite::failure::{failed, failure};
use crate::store::sqlite::read::Reader;
use crate::store::sqlite::readers::Readers;
use crate::store::{
    Account, AccountId, CandidateFilter, CheckReport, Cursor, Deletion, DeletionReport, Fill,
    ImportMode, ImportReport, Page, Principal, RecordSink, Removals, Snapshot, Store, StoreAdmin,
    TokenInfo, UnknownIds, rendered, sql,
};
use crate::token::{TokenDigest, TokenId};

/// The data of the service in one SQLite file.
///
/// Several processes may use the file concurrently, for example a server and an import. Readers are never blocked;
/// writers wait for one another.
///
/// The latest changes may be in a log beside the file, `FILE-wal`: the two belong together. To copy a database in use,
/// run `gateway-server backup`, and to put a backup in place, `gateway-server restore`.
pub struct SqliteStore {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Readers,
}

impl SqliteStore {
    /// Opens a database, or creates it if the file does not exist.
    ///
    /// # Errors
    ///
    /// Refuses a file that is empty, damaged, of another program or of a newer release, and leaves it unchanged. Also
    /// fails if the file is missing but its log exists, because the content of the log belongs to that file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        open::create_if_missing(path)?;
        Self::open_existing(path)
    }

    /// Opens an existing database.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the file does not exist, and otherwise as
    /// [`open`](Self::open) does.
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let writer = open::writer(path)?;
        Ok(Self { path: path.to_owned(), writer: Mutex::new(writer), readers: Readers::new() })
    }

    /// Opens a file that this process cannot write, to check or to copy it. Returns `None` if it can.
    pub(crate) fn open_unwritable(path: &Path) -> Result<Option<Self>, Error> {
        let Some(name) = open::unwritable(path)? else { return Ok(None) };
        let reader = open::reader(&name)?;
        open::verify(&reader, path)?;
        if !open::is_upgraded(&reader)? {
            let path = path.display();
            let text = format!(
                "cannot read {path}: an older release wrote it, and it is read-only; run this command where it can be \
                 written"
            );
            return Err(Error::new(ErrorKind::StorageForeign, text));
        }
        Ok(Some(Self { path: name, writer: Mutex::new(reader), readers: Readers::new() }))
    }

    /// Creates a database in memory, for tests. It lasts as long as this value. Unstable: it may change or disappear in any
    /// release.
    ///
    /// # Errors
    ///
    /// Fails if SQLite has no more memory.
    #[cfg(feature = "test-util")]
    pub fn in_memory() -> Result<Self, Error> {
        let (path, writer) = open::in_memory()?;
        Ok(Self { path, writer: Mutex::new(writer), readers: Readers::new() })
    }

    /// Sets the time limit of a read that answers a request. The default is 10 seconds. A read that takes longer fails
    /// with [`ErrorKind::StorageSlow`](crate::ErrorKind::StorageSlow).
    #[must_use]
    pub fn with_statement_budget(mut self, budget: Duration) -> Self {
        self.readers.budget = budget;
        self
    }

    /// Writes the newest committed data to a new file. Other processes may read and write meanwhile.
    pub(crate) fn backup(&self, to: &Path) -> Result<(), Error> {
        backup::backup(&open::reader(&self.path)?, to)
    }

    /// Creates a database from a backup. Refuses a damaged backup, and without `replace` also an existing database.
    pub(crate) fn restore(from: &Path, to: &Path, replace: bool) -> Result<(), Error> {
        backup::restore(from, to, replace)
    }

    /// Runs `work` with a pooled read-only connection.
    fn read<T>(&self, work: impl FnOnce(&mut Reader) -> Result<T, Error>) -> Result<T, Error> {
        self.readers.read(|| open::reader(&self.path), work)
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        lock(&self.writer)
    }
}

impl Store for SqliteStore {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        self.read(|reader| reader.authenticate(token, now))
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.read(|reader| reader.candidates(snapshot, filter, page, sink))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.read(|reader| reader.vacancies(snapshot, page, sink))
    }

    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        self.read(|reader| reader.credits(account, sink))
    }

    fn is_near(&self) -> bool {
        true
    }

    fn health(&self) -> Result<(), Error> {
        self.readers.damage.check()?;
        self.read(Reader::health)
    }

    fn newest_revision(&self) -> Result<Option<UnixTime>, Error> {
        self.read(Reader::newest_revision)
    }

    fn idle_connections(&self) -> usize {
        self.readers.idle()
    }

    fn collect(&self, age: Duration) -> Result<u64, Error> {
        import::collect(&mut self.writer(), age)
    }
}

impl StoreAdmin for SqliteStore {
    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        let credits = rendered::no_credits()?;
        let created = self
            .writer()
            // Not `query_row`: it ends after the row, which SQLite returns before it commits, and ignores a failed commit.
            .query_one(sql::CREATE_ACCOUNT, params![name, credits, now.0], |row| row.get(0))
            .map(AccountId);
        created.map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => account_exists(name),
            _ => failure("cannot create the account", error),
        })
    }

    fn accounts(&self) -> Result<Vec<Account>, Error> {
        let writer = self.writer();
        let mut statement =
            writer.prepare(sql::ACCOUNTS).map_err(failed("cannot list the accounts"))?;
        let rows = statement.query_map([], |row| {
            Ok(Account {
                id: AccountId(row.get(0)?),
                name: row.get(1)?,
                revision: row.get(2)?,
                created_at: UnixTime(row.get(3)?),
            })
        });
        rows.and_then(Iterator::collect).map_err(failed("cannot list the accounts"))
    }

    fn account(&self, name: &str) -> Result<AccountId, Error> {
        let found = self.writer().query_row(sql::ACCOUNT, [name], |row| row.get(0)).optional();
        let found = found.map_err(failed("cannot look up the account"))?;
        found.map(AccountId).ok_or_else(|| no_account(name))
    }

    fn add_token(
        &self,
        account: AccountId,
        digest: &TokenDigest,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<(), Error> {
        let expires_at = expires_at.map(|time| time.0);
        self.writer()
            .execute(sql::CREATE_TOKEN, params![digest.0, account.0, label, now.0, expires_at])
            .map_err(failed("cannot store the token"))?;
        Ok(())
    }

    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error> {
        let writer = self.writer();
        let mut statement =
            writer.prepare(sql::TOKENS).map_err(failed("cannot list the tokens"))?;
        let rows = statement.query_map([account.0], |row| {
            Ok(TokenInfo {
                id: TokenDigest(row.get(0)?).id(),
                label: row.get(1)?,
                created_at: UnixTime(row.get(2)?),
                expires_at: row.get::<_, Option<i64>>(3)?.map(UnixTime),
                revoked_at: row.get::<_, Option<i64>>(4)?.map(UnixTime),
            })
        });
        rows.and_then(Iterator::collect).map_err(failed("cannot list the tokens"))
    }

    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error> {
        let Some([first, last]) = token.digests() else { return Ok(false) };
        let revoked = self
            .writer()
            .execute(sql::REVOKE_TOKEN, params![now.0, account.0, first.0, last.0])
            .map_err(failed("cannot revoke the token"))?;
        Ok(revoked > 0)
    }

    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let mut importer = open::writer(&self.path)?;
        import::run(&mut importer, || self.writer(), account, mode, None, fill)
    }

    fn replace(
        &self,
        account: AccountId,
        mode: ImportMode,
        removals: Removals,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let mut importer = open::writer(&self.path)?;
        import::run(&mut importer, || self.writer(), account, mode, Some(removals), fill)
    }

    fn delete(
        &self,
        account: AccountId,
        deletion: &Deletion,
        unknown: UnknownIds,
        mode: ImportMode,
    ) -> Result<DeletionReport, Error> {
        erase::delete(&mut self.writer(), account, deletion, unknown, mode)
    }

    fn erase_traces(&self, timeout: Duration) -> Result<(), Error> {
        erase::erase_traces(&self.path, timeout)
    }

    fn check(&self) -> Result<CheckReport, Error> {
        check::check(&self.writer())
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}
