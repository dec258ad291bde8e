//! The store on SQLite: one file, one writer, as many readers as ask.

mod import;
mod migrate;
mod open;
mod read;
mod stage;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use self::read::Reader;
use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::store::{
    Account, AccountId, CandidateFilter, CandidateSink, CreditsSink, Fill, ImportMode,
    ImportReport, Page, Principal, STATEMENT_BUDGET, Snapshot, Store, TokenInfo, VacancySink, sql,
};
use crate::token::{NewToken, TokenDigest, TokenId};

/// The data of the service in one SQLite file.
///
/// Several processes may use the file at once, for example a server and an import: readers are never blocked, and
/// writers wait for one another.
///
/// What was written last can stand in a log beside the file, `FILE-wal`: the two belong together. To restore a backup,
/// stop every process that uses the file, remove `FILE`, `FILE-wal` and `FILE-shm`, and put the backup in place.
pub struct SqliteStore {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Reader>>,
    budget: Duration,
}

impl SqliteStore {
    /// Opens a database, or makes one if there is no file of that name.
    ///
    /// # Errors
    ///
    /// A file that is empty, damaged, of another program or of a newer release is refused and left as it is. So is the
    /// log of a file that is gone: what it holds belongs to that file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        open::make(path)?;
        Self::open_existing(path)
    }

    /// Opens a database that is there.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::NotFound`] when there is no file of that name, and otherwise as [`open`](Self::open).
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let writer = open::writer(path)?;
        Ok(Self {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Mutex::new(Vec::new()),
            budget: STATEMENT_BUDGET,
        })
    }

    /// Sets how long a read that serves a request may take, 10 seconds if not set. One that takes longer fails with
    /// [`ErrorKind::StorageSlow`].
    #[must_use]
    pub fn with_statement_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Lends a read-only connection. Who calls limits how many calls run at once; the pool only keeps what comes back.
    fn read<T>(&self, work: impl FnOnce(&mut Reader) -> Result<T, Error>) -> Result<T, Error> {
        let idle = lock(&self.readers).pop();
        let mut reader = match idle {
            Some(reader) => reader,
            None => Reader::new(open::reader(&self.path)?)?,
        };
        reader.give(self.budget);
        let result = work(&mut reader);
        // A connection that failed is closed: its state is anybody's guess.
        if result.is_ok() {
            let mut readers = lock(&self.readers);
            if readers.len() < IDLE_READERS {
                readers.push(reader);
            }
        }
        result
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
        sink: CandidateSink<'_>,
    ) -> Result<Option<i64>, Error> {
        self.read(|reader| reader.candidates(snapshot, filter, page, sink))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: VacancySink<'_>,
    ) -> Result<Option<i64>, Error> {
        self.read(|reader| reader.vacancies(snapshot, page, sink))
    }

    fn credits(&self, account: AccountId, sink: CreditsSink<'_>) -> Result<(), Error> {
        self.read(|reader| reader.credits(account, sink))
    }

    fn is_near(&self) -> bool {
        true
    }

    fn health(&self) -> Result<(), Error> {
        self.read(Reader::health)
    }

    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        let created = self
            .writer()
            .query_row(sql::CREATE_ACCOUNT, params![name, now.0], |row| row.get(0))
            .map(AccountId);
        created.map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => {
                Error::new(ErrorKind::Exists, format!("there is an account \"{name}\" already"))
            }
            _ => failure("creating the account", error),
        })
    }

    fn accounts(&self) -> Result<Vec<Account>, Error> {
        let writer = self.writer();
        let mut statement = writer.prepare(sql::ACCOUNTS).map_err(failed("listing accounts"))?;
        let rows = statement.query_map([], |row| {
            Ok(Account {
                id: AccountId(row.get(0)?),
                name: row.get(1)?,
                revision: row.get(2)?,
                created_at: UnixTime(row.get(3)?),
            })
        });
        rows.and_then(Iterator::collect).map_err(failed("listing accounts"))
    }

    fn account(&self, name: &str) -> Result<AccountId, Error> {
        let found = self.writer().query_row(sql::ACCOUNT, [name], |row| row.get(0)).optional();
        found.map_err(failed("finding the account"))?.map(AccountId).ok_or_else(|| {
            Error::new(ErrorKind::NotFound, format!("there is no account \"{name}\""))
        })
    }

    fn create_token(
        &self,
        account: AccountId,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<NewToken, Error> {
        let token = NewToken::draw()?;
        let TokenDigest(digest) = token.digest();
        let expires_at = expires_at.map(|time| time.0);
        self.writer()
            .execute(sql::CREATE_TOKEN, params![digest, account.0, label, now.0, expires_at])
            .map_err(failed("storing the token"))?;
        Ok(token)
    }

    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error> {
        let writer = self.writer();
        let mut statement = writer.prepare(sql::TOKENS).map_err(failed("listing tokens"))?;
        let rows = statement.query_map([account.0], |row| {
            Ok(TokenInfo {
                id: TokenDigest(row.get(0)?).id(),
                label: row.get(1)?,
                created_at: UnixTime(row.get(2)?),
                expires_at: row.get::<_, Option<i64>>(3)?.map(UnixTime),
                revoked_at: row.get::<_, Option<i64>>(4)?.map(UnixTime),
            })
        });
        rows.and_then(Iterator::collect).map_err(failed("listing tokens"))
    }

    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error> {
        let writer = self.writer();
        let doing = "revoking the token";
        let mut statement = writer.prepare(sql::TOKENS).map_err(failed(doing))?;
        let digests = statement.query_map([account.0], |row| row.get(0).map(TokenDigest));
        let digests: Vec<_> = digests.and_then(Iterator::collect).map_err(failed(doing))?;
        let Some(TokenDigest(digest)) = digests.into_iter().find(|d| d.id() == *token) else {
            return Ok(false);
        };
        writer
            .execute(sql::REVOKE_TOKEN, params![now.0, account.0, digest])
            .map_err(failed(doing))?;
        Ok(true)
    }

    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let mut importer = open::writer(&self.path)?;
        import::run(&mut importer, || self.writer(), account, mode, fill)
    }

    fn collect(&self, age: Duration) -> Result<u64, Error> {
        import::collect(&mut self.writer(), age)
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        import::check(&self.writer())
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Says what a failure of SQLite means for the caller.
fn failure(doing: &'static str, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode;
    let (kind, context) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            (ErrorKind::StorageBusy, "the database is in use by another process")
        }
        Some(ErrorCode::OperationInterrupted) => {
            (ErrorKind::StorageSlow, "the database took too long")
        }
        Some(ErrorCode::DiskFull) => (ErrorKind::StorageFull, "the disk is full"),
        Some(ErrorCode::DatabaseCorrupt) => (ErrorKind::StorageCorrupt, "the database is damaged"),
        Some(ErrorCode::NotADatabase) => {
            (ErrorKind::StorageForeign, "the file is not an SQLite database")
        }
        _ => (ErrorKind::Storage, doing),
    };
    Error::caused(kind, context, error)
}

fn failed(doing: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    move |error| failure(doing, error)
}

/// A thread that panicked with the lock left the connection usable: transactions roll back when they are dropped.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// So many read-only connections are kept open while nobody needs them.
const IDLE_READERS: usize = 16;
