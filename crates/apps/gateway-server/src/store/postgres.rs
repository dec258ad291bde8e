//! The store on PostgreSQL: many servers, one database.
//!
//! The SQL uses no sequences, triggers, cursors or foreign keys, and every key begins with the account. An import uses
//! temporary tables, and the tables are created under an advisory lock.

mod check;
mod erase;
mod import;
mod link;
#[cfg(test)]
mod plans;
mod read;
mod session;
mod stage;
mod tables;

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use ::postgres::Row;
use methodical_postgres::{Connector, Options};

use crate::causes::with_causes;
use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::lock::lock;
use crate::store::damage::Damage;
use crate::store::errors::{account_exists, no_account};
use crate::store::postgres::link::{Link, Parameter, get, is_unique_violation, not_connected};
use crate::store::{
    Account, AccountId, CandidateFilter, CheckReport, Cursor, Deletion, DeletionReport, Fill,
    ImportMode, ImportReport, Page, Principal, RecordSink, Removals, STATEMENT_BUDGET, Snapshot,
    Store, StoreAdmin, TokenInfo, UnknownIds, rendered, sql, verify,
};
use crate::token::{TokenDigest, TokenId};

/// The data of the service in a PostgreSQL database, which other servers may use concurrently.
///
/// The URL has the parameters of libpq for TLS: `sslmode`, `sslrootcert`, `sslcert`, `sslkey` and `channel_binding`.
/// The environment sets the rest: `PGPASSWORD`, `PGPASSFILE`, `PGSSLMODE`, `PGSSLROOTCERT`, `PGSSLCERT`, `PGSSLKEY` and
/// `PGCHANNELBINDING`.
pub struct PostgresStore {
    connector: Connector,
    links: Mutex<Vec<Link>>,
    damage: Damage,
    budget: Duration,
}

impl PostgresStore {
    /// Connects, and creates the tables if they do not exist. Any number of servers may do so concurrently.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Config`] if the URL or a file that it names is invalid. Fails with another kind if the
    /// database cannot be reached or refuses the connection, or if a newer release has written it.
    pub fn connect(url: &str) -> Result<Self, Error> {
        Self::connect_with(url, PostgresOptions::new())
    }

    /// Connects to a database that already has the tables.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::NotFound`] if it does not have them, and otherwise as [`connect`](Self::connect) does.
    pub fn connect_existing(url: &str) -> Result<Self, Error> {
        Self::connect_with(url, PostgresOptions::new().create_tables(false))
    }

    /// Connects as [`connect`](Self::connect) or [`connect_existing`](Self::connect_existing) does, with other options.
    ///
    /// # Errors
    ///
    /// As those of the two.
    pub fn connect_with(url: &str, options: PostgresOptions) -> Result<Self, Error> {
        let PostgresOptions { create_tables, wait, notice } = options;
        let options = Options::new("gateway-server").notice(notice);
        let connector = Connector::new(url, options).map_err(not_connected)?;
        let mut link = Link::open_waiting(&connector, wait)?;
        if create_tables {
            tables::create_if_missing(&mut link)?;
        } else {
            tables::find(&mut link)?;
        }
        Ok(Self {
            connector,
            links: Mutex::new(Vec::new()),
            damage: Damage::none(),
            budget: STATEMENT_BUDGET,
        })
    }

    /// Sets the time limit of a statement that answers a request. The default is 10 seconds. The database cancels a
    /// statement that takes longer, and the read fails with [`ErrorKind::StorageSlow`].
    #[must_use]
    pub fn with_statement_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Opens a connection without a statement time limit, for work that must not be repeated on another connection.
    fn open_unlimited(&self) -> Result<Link, Error> {
        Link::open(&self.connector, None)
    }

    /// Runs `work` with a pooled connection. If the server has closed it meanwhile, runs `work` once more with a new
    /// one.
    fn with<T>(&self, mut work: impl FnMut(&mut Link) -> Result<T, Error>) -> Result<T, Error> {
        let idle = lock(&self.links).pop();
        if let Some(mut link) = idle {
            match work(&mut link) {
                Err(error) if link.is_closed() => {
                    tracing::warn!(name: "database_connection_lost", cause = with_causes(&error));
                }
                result => {
                    self.damage.note(&result);
                    self.keep(link);
                    return result;
                }
            }
        }
        let mut link = Link::open(&self.connector, Some(self.budget))?;
        let result = work(&mut link);
        self.damage.note(&result);
        if !link.is_closed() {
            self.keep(link);
        }
        result
    }

    fn keep(&self, link: Link) {
        let mut links = lock(&self.links);
        if links.len() < MAX_IDLE_LINKS {
            links.push(link);
        }
    }
}

/// How a [`PostgresStore`] connects for the first time, and who receives its warnings.
pub struct PostgresOptions {
    create_tables: bool,
    wait: Duration,
    notice: Box<dyn Fn(&str) + Send + Sync>,
}

impl PostgresOptions {
    /// Returns the default: creates missing tables, does not wait, and drops warnings.
    pub fn new() -> Self {
        Self { create_tables: true, wait: Duration::ZERO, notice: Box::new(|_text| {}) }
    }

    /// Sets whether missing tables are created. Otherwise they are an error.
    #[must_use]
    pub fn create_tables(mut self, create: bool) -> Self {
        self.create_tables = create;
        self
    }

    /// Sets the time to wait for a database that cannot be reached. A refused password or an unknown database fails
    /// without waiting.
    #[must_use]
    pub fn wait(mut self, limit: Duration) -> Self {
        self.wait = limit;
        self
    }

    /// Sets the receiver of warnings about connections without TLS, and of messages while waiting. They never contain
    /// a password. A message is given once, also if it applies to many connections.
    #[must_use]
    pub fn notice(mut self, receiver: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notice = Box::new(receiver);
        self
    }
}

impl Default for PostgresOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresOptions")
            .field("create_tables", &self.create_tables)
            .field("wait", &self.wait)
            .finish_non_exhaustive()
    }
}

impl Store for PostgresStore {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        let found = self.with(|link| link.optional(sql::AUTHENTICATE, &[&&token.0[..], &now.0]))?;
        let Some(row) = found else { return Ok(None) };
        let mut columns = [None; verify::TOKEN_COLUMNS];
        for (index, column) in columns.iter_mut().enumerate() {
            *column = get(&row, index)?;
        }
        let balance: &str = get(&row, verify::TOKEN_COLUMNS)?;
        let principal = verify::principal(token, columns, Some(balance.as_bytes()));
        self.damage.note(&principal);
        principal.map(Some)
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.with(|link| read::candidates(link, snapshot, filter, page, sink))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.with(|link| read::vacancies(link, snapshot, page, sink))
    }

    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        self.with(|link| read::credits(link, account, sink))
    }

    fn health(&self) -> Result<(), Error> {
        self.damage.check()?;
        self.with(|link| link.query(sql::HEALTH, &[]).map(drop))
    }

    fn newest_revision(&self) -> Result<Option<UnixTime>, Error> {
        let row = self.with(|link| link.optional(sql::NEWEST_REVISION, &[]))?;
        row.map_or(Ok(None), |row| Ok(get::<Option<i64>>(&row, 0)?.map(UnixTime)))
    }

    fn idle_connections(&self) -> usize {
        lock(&self.links).len()
    }

    fn collect(&self, age: Duration) -> Result<u64, Error> {
        import::collect(&mut self.open_unlimited()?, age)
    }
}

impl StoreAdmin for PostgresStore {
    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        let credits = rendered::no_credits()?;
        loop {
            match self.with(|link| link.insert(sql::CREATE_ACCOUNT, &[&name, &credits, &now.0])) {
                Ok(id) => return Ok(AccountId(id)),
                Err(error) if is_unique_violation(&error) => {}
                Err(error) => return Err(error),
            }
            // The name and the number are unique. If only the number was taken, by another server, this tries the next.
            if self.with(|link| link.optional(sql::ACCOUNT, &[&name]))?.is_some() {
                return Err(account_exists(name));
            }
        }
    }

    fn accounts(&self) -> Result<Vec<Account>, Error> {
        let rows = self.with(|link| link.query(sql::ACCOUNTS, &[]))?;
        rows.iter()
            .map(|row| {
                Ok(Account {
                    id: AccountId(get(row, 0)?),
                    name: get(row, 1)?,
                    revision: get(row, 2)?,
                    created_at: UnixTime(get(row, 3)?),
                })
            })
            .collect()
    }

    fn account(&self, name: &str) -> Result<AccountId, Error> {
        let found = self.with(|link| link.optional(sql::ACCOUNT, &[&name]))?;
        let row = found.ok_or_else(|| no_account(name))?;
        get(&row, 0).map(AccountId)
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
        let parameters: [Parameter<'_>; 5] =
            [&&digest.0[..], &account.0, &label, &now.0, &expires_at];
        self.with(|link| link.execute(sql::CREATE_TOKEN, &parameters)).map(drop)
    }

    fn tokens(&self, account: AccountId) -> Result<Vec<TokenInfo>, Error> {
        let rows = self.with(|link| link.query(sql::TOKENS, &[&account.0]))?;
        rows.iter()
            .map(|row| {
                Ok(TokenInfo {
                    id: digest(row)?.id(),
                    label: get(row, 1)?,
                    created_at: UnixTime(get(row, 2)?),
                    expires_at: get::<Option<i64>>(row, 3)?.map(UnixTime),
                    revoked_at: get::<Option<i64>>(row, 4)?.map(UnixTime),
                })
            })
            .collect()
    }

    fn revoke_token(
        &self,
        account: AccountId,
        token: &TokenId,
        now: UnixTime,
    ) -> Result<bool, Error> {
        let Some([first, last]) = token.digests() else { return Ok(false) };
        let parameters: [Parameter<'_>; 4] = [&now.0, &account.0, &&first.0[..], &&last.0[..]];
        let revoked = self.with(|link| link.execute(sql::REVOKE_TOKEN, &parameters))?;
        Ok(revoked > 0)
    }

    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        import::run(&mut self.open_unlimited()?, account, mode, None, fill)
    }

    fn replace(
        &self,
        account: AccountId,
        mode: ImportMode,
        removals: Removals,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        import::run(&mut self.open_unlimited()?, account, mode, Some(removals), fill)
    }

    fn delete(
        &self,
        account: AccountId,
        deletion: &Deletion,
        unknown: UnknownIds,
        mode: ImportMode,
    ) -> Result<DeletionReport, Error> {
        erase::delete(&mut self.open_unlimited()?, account, deletion, unknown, mode)
    }

    fn erase_traces(&self, timeout: Duration) -> Result<(), Error> {
        erase::erase_traces(&mut Link::open(&self.connector, Some(timeout))?, timeout)
    }

    fn check(&self) -> Result<CheckReport, Error> {
        check::check(&mut self.open_unlimited()?)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        let links = std::mem::take(&mut *lock(&self.links));
        // Each connection owns a runtime, which must not be dropped on a thread of another runtime.
        drop(std::thread::Builder::new().spawn(move || drop(links)));
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

fn digest(row: &Row) -> Result<TokenDigest, Error> {
    let bytes: &[u8] = get(row, 0)?;
    let damaged = |error| {
        Error::caused(
            ErrorKind::StorageCorrupt,
            "the hash of a token does not have 32 bytes",
            error,
        )
    };
    bytes.try_into().map(TokenDigest).map_err(damaged)
}

/// Maximum number of idle connections kept open.
const MAX_IDLE_LINKS: usize = 16;
