//! The store: accounts, tokens, records and revisions in SQLite or PostgreSQL. Both run the same statements, except for
//! those in the drivers, `sqlite` and `postgres`.
//!
//! A list is read in pages by key, each page in its own small read, so a slow client holds neither a connection nor a
//! transaction. Revisions make the pages consistent: every row carries the revision that added it and the one that
//! superseded it, and all pages of a list are read at the revision that was current when the list began.

mod check;
mod db;
mod deletion;
mod import;
mod model;
mod postgres;
mod read;
mod sqlite;

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::config::UnixTime;
use crate::error::{Error, ErrorKind, with_causes};
use crate::generated::record::CreditsRow;
use crate::store::db::{Db, Driver, Value, damaged};
pub use crate::store::model::{
    Account, AccountId, ApplicationRow, CandidateFilter, Changes, CheckReport, Cursor, Deletion,
    DeletionReport, Fill, ImportMode, ImportReport, Page, Principal, RecordSink, Removals,
    Snapshot, Stage, TokenInfo, UnknownIds, Versions,
};
pub(crate) use crate::store::sqlite::file::{backup, restore};
use crate::token::{NewToken, TokenDigest, TokenId};

/// The data of the service: one SQLite file, or a PostgreSQL database that other servers may use concurrently.
///
/// One instance serves many threads, and every method blocks. Several processes may use a file concurrently, for
/// example a server and an import: readers never wait, and writers wait for one another. The latest changes may be in a
/// log next to the file, `FILE-wal`, so keep the two together. To copy a database in use, run `gateway-server backup`.
///
/// The URL of a PostgreSQL database accepts the parameters of libpq, and libpq's environment variables set the others;
/// see `docs/server/postgresql.md`.
///
/// # Errors
///
/// Every method fails if the database is busy, full, damaged or unreachable.
pub struct Store {
    driver: Box<dyn Driver>,
    /// Idle connections for reading.
    idle: Mutex<Vec<Box<dyn Db>>>,
    /// Whether a read has found damage. Stays true until the program is restarted.
    is_damaged: AtomicBool,
    /// Time limit of a read that answers a request.
    limit: Duration,
    #[cfg(feature = "test-util")]
    page: std::sync::atomic::AtomicU32,
    #[cfg(feature = "test-util")]
    look_up: Box<dyn Fn(&TokenDigest) + Send + Sync>,
}

#[expect(
    clippy::missing_errors_doc,
    reason = "the errors are the same for most methods; see the type"
)]
impl Store {
    fn over(driver: impl Driver + 'static) -> Self {
        Self {
            driver: Box::new(driver),
            idle: Mutex::default(),
            is_damaged: AtomicBool::new(false),
            limit: STATEMENT_BUDGET,
            #[cfg(feature = "test-util")]
            page: std::sync::atomic::AtomicU32::new(u32::MAX),
            #[cfg(feature = "test-util")]
            look_up: Box::new(|_token| {}),
        }
    }

    /// Opens a SQLite database, or creates it if the file does not exist.
    ///
    /// # Errors
    ///
    /// Refuses a file that is empty, damaged, or written by another program or a newer release, and leaves it
    /// unchanged. Also fails if the file is missing but its log exists, because the log belongs to that file.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        sqlite::file::create_if_missing(path.as_ref())?;
        Self::open_existing(path)
    }

    /// Opens an existing SQLite database.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the file does not exist, and otherwise the errors
    /// of [`open`](Self::open).
    pub fn open_existing(path: impl AsRef<Path>) -> Result<Self, Error> {
        sqlite::File::open(path.as_ref()).map(Self::over)
    }

    /// Opens a SQLite database to check it, even if this process cannot write to the file.
    pub(crate) fn open_to_read(path: &Path) -> Result<Self, Error> {
        match sqlite::File::open_unwritable(path)? {
            Some(file) => Ok(Self::over(file)),
            None => Self::open_existing(path),
        }
    }

    /// Creates an in-memory SQLite database, which lives as long as this value.
    ///
    /// # Errors
    ///
    /// Fails if SQLite runs out of memory.
    pub fn in_memory() -> Result<Self, Error> {
        sqlite::File::in_memory().map(Self::over)
    }

    /// Sets a function called before each token lookup, for tests. Unstable: it may change or disappear in any release.
    #[cfg(feature = "test-util")]
    #[must_use]
    pub fn observed(mut self, look_up: impl Fn(&TokenDigest) + Send + Sync + 'static) -> Self {
        self.look_up = Box::new(look_up);
        self
    }

    /// Sets the time limit of a read that answers a request. For tests; unstable, like [`observed`](Self::observed).
    #[cfg(feature = "test-util")]
    #[must_use]
    pub fn with_statement_budget(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sets the maximum number of records per page. For tests; unstable, like [`observed`](Self::observed).
    #[cfg(feature = "test-util")]
    pub fn limit_pages(&self, records: u32) {
        self.page.store(records, Ordering::Relaxed);
    }

    /// Connects to a PostgreSQL database. With `create`, creates the tables if they do not exist; any number of servers
    /// may do so concurrently.
    ///
    /// Waits at most `wait` for a database that cannot be reached. `notice` receives warnings about connections without
    /// TLS, and messages while waiting. They never contain a password, and each is sent only once.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Config`] if the URL or a file that it names is invalid, and with [`ErrorKind::NotFound`]
    /// if the tables do not exist. Fails with another kind if the database cannot be reached or refuses the connection,
    /// or if a newer release has written it. A refused password or an unknown database fails without waiting.
    pub fn connect(
        url: &str,
        create: bool,
        wait: Duration,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        postgres::Database::connect(url, create, wait, notice).map(Self::over)
    }

    /// Returns the account of a token, or `None` for an unknown, expired or revoked token.
    pub fn authenticate(
        &self,
        token: &TokenDigest,
        now: UnixTime,
    ) -> Result<Option<Principal>, Error> {
        #[cfg(feature = "test-util")]
        (self.look_up)(token);
        self.read(|db| read::authenticate(db, token, now))
    }

    /// Reads one page of candidates. Returns where the next page begins, or `None` at the end of the list.
    ///
    /// # Errors
    ///
    /// A row that differs from what was written is an error of kind [`ErrorKind::StorageCorrupt`]. A page of a revision
    /// whose rows were removed is an error of kind [`ErrorKind::SnapshotGone`].
    pub fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.page(page, |db, page| match read::candidates(db.dialect(), filter) {
            Some((sql, more)) => read::page(db, snapshot, (&sql, &more), page, sink),
            None => Ok(()),
        })
    }

    /// Reads one page of vacancies; see [`candidates`](Self::candidates).
    pub fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        let sql = read::list("vacancy");
        self.page(page, |db, page| read::page(db, snapshot, (&sql, &[]), page, sink))
    }

    /// Reads a page. If the read is repeated on another connection, it continues where the first read stopped.
    fn page(
        &self,
        mut page: Page,
        mut read: impl FnMut(&mut dyn Db, &mut Page) -> Result<(), Error>,
    ) -> Result<Option<Cursor>, Error> {
        #[cfg(feature = "test-util")]
        {
            page.limit = page.limit.min(self.page.load(Ordering::Relaxed));
        }
        self.read(|db| read(db, &mut page))?;
        Ok((page.limit == 0).then_some(page.from))
    }

    /// Reads the credit balance.
    pub fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        self.read(|db| read::credits(db, account, sink))
    }

    /// Returns whether reading a single row takes only microseconds, because the database runs inside this process. If
    /// it takes a network round trip, requests wait for it without blocking a thread of the runtime.
    pub fn is_near(&self) -> bool {
        self.driver.is_near()
    }

    /// Checks that the database can be read now, that it has not been replaced since it was opened, and that no read
    /// has found damage.
    pub fn health(&self) -> Result<(), Error> {
        if self.is_damaged.load(Ordering::Relaxed) {
            return Err(damaged("a row"));
        }
        self.driver.health()?;
        self.read(|db| db.count(HEALTH, &[]).map(drop))
    }

    /// Returns when the newest revision was created, by the clock of the database, or `None` if none was.
    pub fn newest_revision(&self) -> Result<Option<UnixTime>, Error> {
        let newest = "SELECT coalesce(max(at), -1) FROM revision";
        let newest = self.read(|db| db.first(newest, &[]))?;
        Ok(newest.filter(|[at]| *at >= 0).map(|[at]| UnixTime(at)))
    }

    /// Returns the number of idle connections to the database.
    pub fn idle_connections(&self) -> usize {
        self.idle.lock().len()
    }

    /// Deletes row versions that were superseded at least `age` ago, by the database's clock, and returns their number.
    ///
    /// After that, reading the next page of a snapshot that contained them fails with
    /// [`ErrorKind::SnapshotGone`](crate::ErrorKind::SnapshotGone), so that no list silently ends early.
    pub fn collect(&self, age: Duration) -> Result<u64, Error> {
        let mut db = self.open_unlimited("cannot remove superseded rows")?;
        let before = db.now()?.saturating_sub(i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
        let mut accounts = Vec::new();
        db.each(COLLECTABLE, &[before.into()], &mut |row| {
            accounts.push((row.number(0)?, row.number(1)?));
            Ok(())
        })?;
        let mut deleted = 0;
        for (account, revision) in accounts {
            deleted +=
                db.transaction(ImportMode::Commit, |db| deletion::collect(db, account, revision))?;
        }
        Ok(deleted)
    }

    /// Creates an account. Fails with [`ErrorKind::Exists`](crate::ErrorKind::Exists) if the name is taken.
    pub fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        let mut credits = Vec::new();
        let credits = import::render(&CreditsRow::new("0", "EUR"), &mut credits)?;
        let mut db = self.open_unlimited("cannot create the account")?;
        loop {
            let row = [name.into(), credits.into(), now.0.into()];
            match db.first(CREATE_ACCOUNT, &row) {
                Ok(created) => {
                    return created.map(|[id]| AccountId(id)).ok_or_else(|| damaged("an account"));
                }
                Err(error) if error.kind() == ErrorKind::Exists => {}
                Err(error) => return Err(error),
            }
            // The name and the number are unique. If another program took only the number, this tries the next.
            if db.first::<1>(ACCOUNT, &[name.into()])?.is_some() {
                let text = format!("account \"{name}\" already exists");
                return Err(Error::new(ErrorKind::Exists, text));
            }
        }
    }

    /// Returns the accounts, sorted by name.
    pub fn accounts(&self) -> Result<Vec<Account>, Error> {
        let mut accounts = Vec::new();
        let sql = "SELECT id, name, revision, created_at FROM account ORDER BY name, id";
        self.open_unlimited("cannot list the accounts")?.each(sql, &[], &mut |row| {
            accounts.push(Account {
                id: AccountId(row.number(0)?),
                name: row.text(1)?,
                revision: row.number(2)?,
                created_at: UnixTime(row.number(3)?),
            });
            Ok(())
        })?;
        Ok(accounts)
    }

    /// Finds an account by name. Fails with [`ErrorKind::NotFound`](crate::ErrorKind::NotFound) if the name is unknown.
    pub fn account(&self, name: &str) -> Result<AccountId, Error> {
        let mut db = self.open_unlimited("cannot look up the account")?;
        let found = db.first(ACCOUNT, &[name.into()])?;
        let unknown = || {
            Error::new(
                ErrorKind::NotFound,
                format!("account \"{name}\" does not exist; see `gateway-server account list`"),
            )
        };
        found.map(|[id]| AccountId(id)).ok_or_else(unknown)
    }

    /// Creates a token. Only the returned value contains its text.
    pub fn create_token(
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
    pub fn add_token(
        &self,
        account: AccountId,
        digest: &TokenDigest,
        label: &str,
        now: UnixTime,
        expires_at: Option<UnixTime>,
    ) -> Result<(), Error> {
        let expires_at = Value::Integer(expires_at.map(|time| time.0));
        let (digest, account) = (Value::Bytes(&digest.0), account.0.into());
        let mut db = self.open_unlimited("cannot store the token")?;
        let row = [digest, account, label.into(), now.0.into(), expires_at];
        match db.execute(CREATE_TOKEN, &row)? {
            0 => Err(db::account_gone()),
            _ => Ok(()),
        }
    }

    /// Returns the tokens of an account, oldest first.
    pub fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error> {
        let mut tokens = Vec::new();
        let mut db = self.open_unlimited("cannot list the tokens")?;
        db.each(TOKENS, &[account.0.into()], &mut |row| {
            let digest = row.bytes(0)?.try_into().map_err(|_length| damaged("a token"))?;
            tokens.push(TokenInfo {
                id: TokenDigest(digest).id(),
                label: row.text(1)?,
                created_at: UnixTime(row.number(2)?),
                expires_at: row.integer(3)?.map(UnixTime),
                revoked_at: row.integer(4)?.map(UnixTime),
            });
            Ok(())
        })?;
        Ok(tokens)
    }

    /// Revokes a token with immediate effect. Returns whether the account has this token. A token that was already
    /// revoked keeps the time of its first revocation.
    pub fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error> {
        let Some(start) = token.start() else { return Ok(false) };
        let mut db = self.open_unlimited("cannot revoke the token")?;
        let named = [now.0.into(), account.0.into(), Value::Bytes(&start)];
        Ok(db.execute(REVOKE_TOKEN, &named)? > 0)
    }

    /// Imports the records that `fill` stages, atomically and in one new revision. An import without changes creates no
    /// revision, so that caches stay valid.
    pub fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let mut db = self.open_unlimited("cannot import")?;
        import::import(&mut *db, account, mode, None, fill)
    }

    /// Like [`import`](Self::import), imports the records that `fill` stages, but also removes all others.
    ///
    /// Vacancies, candidates and statuses that were not staged are removed if at least one record of their kind was
    /// staged. Removing a vacancy or a candidate also removes its statuses. Earlier revisions keep the removed records
    /// until [`collect`](Self::collect) deletes them.
    ///
    /// Fails with [`ErrorKind::RemovalsRefused`](crate::ErrorKind::RemovalsRefused), and imports nothing, if `removals`
    /// does not permit the number of removed records. A dry run reports it instead.
    pub fn replace(
        &self,
        account: AccountId,
        mode: ImportMode,
        removals: Removals,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        let mut db = self.open_unlimited("cannot import")?;
        import::import(&mut *db, account, mode, Some(removals), fill)
    }

    /// Atomically deletes records from all revisions of an account. If a list changes, the account gets a new revision.
    ///
    /// Earlier revisions of the account are removed: reading the next page of one of them fails with
    /// [`ErrorKind::SnapshotGone`](crate::ErrorKind::SnapshotGone), so that no list silently ends early. Bytes of the
    /// records remain in the files until [`erase_traces`](Self::erase_traces) returns.
    ///
    /// ```
    /// # use gateway_server::{Deletion, Error, ImportMode, Place, Store, UnknownIds, UnixTime, VacancyRow};
    /// # fn example(store: &Store) -> Result<(), Error> {
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
    /// # example(&gateway_server::Store::open(directory.path().join("a.db")).unwrap()).unwrap();
    /// ```
    pub fn delete(
        &self,
        account: AccountId,
        deletion: &Deletion,
        unknown: UnknownIds,
        mode: ImportMode,
    ) -> Result<DeletionReport, Error> {
        let mut db = self.open_unlimited("cannot delete")?;
        deletion::delete(&mut *db, account, deletion, unknown, mode)
    }

    /// Removes the traces of deleted and superseded rows from the files of the database, including traces of an
    /// interrupted deletion. Waits at most `timeout` for readers of older revisions.
    ///
    /// Fails with [`ErrorKind::ErasurePending`](crate::ErrorKind::ErasurePending) if the timeout expires first. The
    /// call can be repeated.
    pub fn erase_traces(&self, timeout: Duration) -> Result<(), Error> {
        self.driver.erase_traces(timeout)
    }

    /// Checks the database for damage.
    pub fn check(&self) -> Result<CheckReport, Error> {
        let mut db = self.open_unlimited("cannot check the database")?;
        let mut report = check::check(&mut *db)?;
        report.damage.splice(0..0, self.driver.damage()?);
        Ok(report)
    }

    /// Opens a connection without a time limit, for work that must not be repeated on another one.
    fn open_unlimited(&self, context: &'static str) -> Result<Box<dyn Db>, Error> {
        self.driver.connect(None, context)
    }

    /// Runs `work` with an idle connection, or a new one. If the database has closed the idle one, runs `work`
    /// once more with a new one. The caller limits the number of concurrent calls.
    fn read<T>(&self, mut work: impl FnMut(&mut dyn Db) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle.lock().pop();
        if let Some(mut db) = idle {
            match work(&mut *db) {
                Err(error) if db.is_closed() => {
                    tracing::warn!(event = "database_connection_lost", cause = with_causes(&error));
                }
                result => return self.end(db, result),
            }
        }
        let mut db = self.driver.connect(Some(self.limit), "cannot read the database")?;
        let result = work(&mut *db);
        self.end(db, result)
    }

    /// Keeps a connection for reuse unless a call on it failed, because its state is then unknown. Also records damage.
    fn end<T>(&self, db: Box<dyn Db>, result: Result<T, Error>) -> Result<T, Error> {
        match &result {
            Ok(_) => {
                let mut idle = self.idle.lock();
                if idle.len() < MAX_IDLE {
                    idle.push(db);
                }
            }
            Err(error) if error.kind() == ErrorKind::StorageCorrupt => {
                self.is_damaged.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
        result
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        // A connection to PostgreSQL owns a runtime, which must not be dropped on a thread of another runtime.
        if !self.driver.is_near() {
            drop(std::thread::Builder::new().spawn(move || drop(idle)));
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

/// Time limit of a read that answers a request: far longer than any page takes, and shorter than clients wait.
/// Imports, checks and the removal of superseded rows have no limit.
pub(crate) const STATEMENT_BUDGET: Duration = Duration::from_secs(10);

/// Maximum number of idle connections kept open.
const MAX_IDLE: usize = 16;

const HEALTH: &str = "SELECT count(*) FROM (SELECT id FROM account LIMIT 1) one";

/// Inserts an account with the next number. The number of a deleted account is not reused, because one of its lists may
/// be in progress.
const CREATE_ACCOUNT: &str = "\
    INSERT INTO account(id, name, revision, credits, created_at, tag) \
    SELECT coalesce(max(id), 0) + 1, ?1, 0, ?2, ?3, 0 \
    FROM (SELECT id FROM account UNION ALL SELECT account_id FROM erasure) used RETURNING id";

const ACCOUNT: &str = "SELECT id FROM account WHERE name = ?1";

const CREATE_TOKEN: &str = "\
    INSERT INTO token(sha256, account_id, label, created_at, expires_at) \
    SELECT ?1, id, ?3, ?4, ?5 FROM account WHERE id = ?2";

const TOKENS: &str = "\
    SELECT sha256, label, created_at, expires_at, revoked_at FROM token \
    WHERE account_id = ?1 ORDER BY created_at, sha256";

const REVOKE_TOKEN: &str = "\
    UPDATE token SET revoked_at = coalesce(revoked_at, ?1) \
    WHERE account_id = ?2 AND substr(sha256, 1, 6) = ?3";

/// Selects the newest revision of each account that was created before a point in time. Older ones are no longer read.
const COLLECTABLE: &str = "\
    SELECT account_id, max(rev) FROM revision WHERE at <= ?1 GROUP BY account_id";
