//! One connection to PostgreSQL, and what its failures mean.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use ::postgres::config::Config;
use ::postgres::error::SqlState;
use ::postgres::types::ToSql;
use ::postgres::{Client, NoTls, Row, Statement};

use crate::error::{Error, ErrorKind};

/// A value for a statement.
pub(super) type Parameter<'v> = &'v (dyn ToSql + Sync + 'v);

/// Makes a value one for a statement.
pub(super) fn parameter<T: ToSql + Sync>(value: &T) -> Parameter<'_> {
    value
}

/// A connection and its prepared statements.
pub(super) struct Link {
    pub(super) client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl Link {
    /// Connects. Every statement may take as long as `budget`, or as long as it takes.
    pub(super) fn open(config: &Config, budget: Option<Duration>) -> Result<Self, Error> {
        let mut client = hurried(config, budget.unwrap_or(UNHURRIED))
            .connect(NoTls)
            .map_err(|error| failure("connecting to the database", error))?;
        if let Some(budget) = budget {
            // 0 would mean for ever.
            let limit = format!("SET statement_timeout = {}", budget.as_millis().max(1));
            client
                .batch_execute(&limit)
                .map_err(|error| failure("connecting to the database", error))?;
        }
        Ok(Self { client, statements: HashMap::new() })
    }

    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<Vec<Row>, Error> {
        let statement = self.statement(sql)?;
        self.client.query(&statement, parameters).map_err(|error| failure("reading", error))
    }

    pub(super) fn optional(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Row>, Error> {
        Ok(self.query(sql, parameters)?.into_iter().next())
    }

    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, Error> {
        let statement = self.statement(sql)?;
        self.client.execute(&statement, parameters).map_err(|error| failure("writing", error))
    }

    /// Prepares a statement once per connection.
    fn statement(&mut self, sql: &'static str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement =
            self.client.prepare(sql).map_err(|error| failure("preparing a statement", error))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

/// Has the system close a connection whose other end is gone, which it would notice after many minutes or never: what
/// was sent and is not acknowledged ends it, and where nothing was sent, silence does. What the URL sets stays.
fn hurried(config: &Config, patience: Duration) -> Config {
    let mut config = config.clone();
    let patience = patience.max(SHORTEST);
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(SHORTEST);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(patience);
    }
    if config.get_keepalives_idle() == Config::new().get_keepalives_idle() {
        config.keepalives_idle(patience);
    }
    if config.get_keepalives_interval().is_none() {
        config.keepalives_interval(patience / PROBES);
    }
    if config.get_keepalives_retries().is_none() {
        config.keepalives_retries(PROBES);
    }
    config.application_name("gateway-server");
    config
}

/// An import that stands still is worth a longer interruption than a request.
const UNHURRIED: Duration = Duration::from_secs(30);

/// Shorter than this a busy network is taken for a dead one.
const SHORTEST: Duration = Duration::from_secs(5);

const PROBES: u32 = 3;

/// What the database said, without its text: the text of a PostgreSQL error may quote a row.
#[derive(Debug)]
struct Said(SqlState);

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SQLSTATE {}", self.0.code())
    }
}

impl std::error::Error for Said {}

/// Says what a failure of PostgreSQL means for the caller.
pub(super) fn failure(doing: &'static str, error: ::postgres::Error) -> Error {
    let Some(state) = error.code().cloned() else {
        return Error::caused(ErrorKind::Storage, doing, error);
    };
    let (kind, context) = match state.code() {
        "53100" => (ErrorKind::StorageFull, "the disk of the database is full"),
        "57014" => (ErrorKind::StorageSlow, "the database took too long"),
        "40001" | "40P01" | "55P03" | "53300" => (ErrorKind::StorageBusy, "the database is busy"),
        "XX001" | "XX002" => (ErrorKind::StorageCorrupt, "the database is damaged"),
        _ => (ErrorKind::Storage, doing),
    };
    Error::caused(kind, context, Said(state))
}

/// Tells whether something that must be unique exists already.
pub(super) fn is_unique_violation(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref())
        .is_some_and(|Said(state)| *state == SqlState::UNIQUE_VIOLATION)
}
