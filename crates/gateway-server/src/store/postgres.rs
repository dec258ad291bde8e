//! The store on PostgreSQL: many servers, one database.
//!
//! The SQL is plain: no sequences, triggers, cursors or foreign keys, every key begins with the account. An import
//! uses temporary tables, and the schema is made under an advisory lock.

mod import;
mod link;
mod migrate;
mod read;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ::postgres::Row;
use ::postgres::config::{Config, SslMode};

use self::link::{Link, failure, is_unique_violation};
use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::store::{
    Account, AccountId, CandidateFilter, CandidateSink, CreditsSink, Fill, ImportMode,
    ImportReport, Page, Principal, STATEMENT_BUDGET, Snapshot, Store, TokenInfo, VacancySink, sql,
};
use crate::token::{NewToken, TokenDigest, TokenId};

/// The data of the service in a PostgreSQL database that other servers may use at the same time.
pub struct PostgresStore {
    config: Config,
    links: Mutex<Vec<Link>>,
    budget: Duration,
}

impl PostgresStore {
    /// Connects, and makes the tables if there are none. Any number of servers may do so at once.
    ///
    /// # Errors
    ///
    /// Fails when the URL makes no sense, the database cannot be reached, or a newer release has written it.
    pub fn connect(url: &str) -> Result<Self, Error> {
        let store = Self::of(url)?;
        migrate::make(&mut store.unhurried()?)?;
        Ok(store)
    }

    /// Connects to a database that has the tables.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::NotFound`] when it has none, and otherwise as [`connect`](Self::connect).
    pub fn connect_existing(url: &str) -> Result<Self, Error> {
        let store = Self::of(url)?;
        migrate::find(&mut store.unhurried()?)?;
        Ok(store)
    }

    fn of(url: &str) -> Result<Self, Error> {
        let no_tls = || {
            let help = "TLS to the database is not built in: use a socket, a tunnel or a proxy";
            Error::new(ErrorKind::Config, help)
        };
        // The driver knows no such mode; who asks for it asks for TLS.
        if url.contains("sslmode=verify-") {
            return Err(no_tls());
        }
        // The text of this error could repeat a password: the kind has to do.
        let config: Config = url
            .parse()
            .map_err(|_error| Error::new(ErrorKind::Config, "the database URL is malformed"))?;
        if config.get_ssl_mode() == SslMode::Require {
            return Err(no_tls());
        }
        Ok(Self { config, links: Mutex::new(Vec::new()), budget: STATEMENT_BUDGET })
    }

    /// Sets how long a statement that serves a request may take, 10 seconds if not set. One that takes longer is
    /// cancelled by the database and fails with [`ErrorKind::StorageSlow`].
    #[must_use]
    pub fn with_statement_budget(mut self, budget: Duration) -> Self {
        self.budget = budget;
        self
    }

    /// Opens a connection for what takes what it takes, and must not be begun again on another.
    fn unhurried(&self) -> Result<Link, Error> {
        Link::open(&self.config, None)
    }

    /// Lends a connection. One that the server has closed meanwhile is replaced, once.
    fn with<T>(&self, mut work: impl FnMut(&mut Link) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.links.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut link) = idle {
            let result = work(&mut link);
            if result.is_ok() || !link.is_closed() {
                self.keep(link);
                return result;
            }
        }
        let mut link = Link::open(&self.config, Some(self.budget))?;
        let result = work(&mut link);
        if !link.is_closed() {
            self.keep(link);
        }
        result
    }

    fn keep(&self, link: Link) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.len() < IDLE_LINKS {
            links.push(link);
        }
    }
}

impl Store for PostgresStore {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        let found = self.with(|link| link.optional(sql::AUTHENTICATE, &[&&token.0[..], &now.0]))?;
        let Some(row) = found else { return Ok(None) };
        let account = AccountId(get(&row, 0)?);
        let snapshot = Snapshot { account, revision: get(&row, 1)?, tag: get(&row, 2)? };
        Ok(Some(Principal { snapshot, token: token.id() }))
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: CandidateSink<'_>,
    ) -> Result<Option<i64>, Error> {
        self.with(|link| read::candidates(link, snapshot, filter, page, sink))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: VacancySink<'_>,
    ) -> Result<Option<i64>, Error> {
        self.with(|link| read::vacancies(link, snapshot, page, sink))
    }

    fn credits(&self, account: AccountId, sink: CreditsSink<'_>) -> Result<(), Error> {
        self.with(|link| read::credits(link, account, sink))
    }

    fn health(&self) -> Result<(), Error> {
        self.with(|link| link.query(sql::HEALTH, &[]).map(drop))
    }

    fn create_account(&self, name: &str, now: UnixTime) -> Result<AccountId, Error> {
        loop {
            match self.with(|link| link.optional(sql::CREATE_ACCOUNT, &[&name, &now.0])) {
                Ok(row) => return first(row.as_ref()).map(AccountId),
                Err(error) if is_unique_violation(&error) => {}
                Err(error) => return Err(error),
            }
            // Two things are unique: the name, and the number, which another server may have taken this instant.
            if self.with(|link| link.optional(sql::ACCOUNT, &[&name]))?.is_some() {
                let text = format!("there is an account \"{name}\" already");
                return Err(Error::new(ErrorKind::Exists, text));
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
        if found.is_none() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no account \"{name}\"")));
        }
        first(found.as_ref()).map(AccountId)
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
        self.with(|link| {
            let parameters: [link::Parameter<'_>; 5] =
                [&&digest[..], &account.0, &label, &now.0, &expires_at];
            link.execute(sql::CREATE_TOKEN, &parameters)
        })?;
        Ok(token)
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
        let rows = self.with(|link| link.query(sql::TOKENS, &[&account.0]))?;
        for row in &rows {
            let digest = digest(row)?;
            if digest.id() == *token {
                let TokenDigest(bytes) = digest;
                self.with(|link| {
                    link.execute(sql::REVOKE_TOKEN, &[&now.0, &account.0, &&bytes[..]])
                })?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn import(
        &self,
        account: AccountId,
        mode: ImportMode,
        fill: Fill<'_>,
    ) -> Result<ImportReport, Error> {
        import::run(&mut self.unhurried()?, account, mode, fill)
    }

    fn collect(&self, age: Duration) -> Result<u64, Error> {
        import::collect(&mut self.unhurried()?, age)
    }

    fn check(&self) -> Result<Vec<String>, Error> {
        import::check(&mut self.unhurried()?)
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        let links = std::mem::take(self.links.get_mut().unwrap_or_else(PoisonError::into_inner));
        // A connection holds a runtime, which may not be dropped on a thread that runs another one.
        drop(std::thread::Builder::new().spawn(move || drop(links)));
    }
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore").finish_non_exhaustive()
    }
}

/// Reads a column; that it has another type means that the schema is not ours.
fn get<'r, T: ::postgres::types::FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, Error> {
    row.try_get(column).map_err(|error| failure("reading a column", error))
}

fn first(row: Option<&Row>) -> Result<i64, Error> {
    match row {
        Some(row) => get(row, 0),
        None => Err(Error::new(ErrorKind::Storage, "the database gave no row")),
    }
}

fn digest(row: &Row) -> Result<TokenDigest, Error> {
    let bytes: &[u8] = get(row, 0)?;
    let odd = |error| Error::caused(ErrorKind::StorageCorrupt, "a token has no SHA-256", error);
    bytes.try_into().map(TokenDigest).map_err(odd)
}

/// So many connections are kept open while nobody needs them.
const IDLE_LINKS: usize = 16;
