//! A connection to PostgreSQL, and its errors translated for the caller.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use ::postgres::error::SqlState;
use ::postgres::types::{FromSql, ToSql};
use ::postgres::{Client, Row, Statement};
use methodical_postgres::Connector;

use crate::error::{Error, ErrorKind};

/// A parameter of a statement.
pub(super) type Parameter<'v> = &'v (dyn ToSql + Sync + 'v);

/// Returns a value as a [`Parameter`], where the compiler cannot coerce it.
pub(super) fn parameter<T: ToSql + Sync>(value: &T) -> Parameter<'_> {
    value
}

/// A connection and its prepared statements.
pub(super) struct Link {
    pub(super) client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl Link {
    /// Connects. `budget` is the time limit of each statement; `None` means no limit.
    pub(super) fn open(connector: &Connector, budget: Option<Duration>) -> Result<Self, Error> {
        let client = connector.open(budget.unwrap_or(UNLIMITED_PATIENCE)).map_err(not_connected)?;
        Self::over(client, budget)
    }

    /// Connects without a time limit of statements, and waits at most `limit` for a database that cannot be reached.
    pub(super) fn open_waiting(connector: &Connector, limit: Duration) -> Result<Self, Error> {
        let client = connector.open_waiting(UNLIMITED_PATIENCE, limit).map_err(not_connected)?;
        Self::over(client, None)
    }

    fn over(mut client: Client, budget: Option<Duration>) -> Result<Self, Error> {
        if let Some(budget) = budget {
            // At least 1 ms, because 0 means no limit.
            let limit = format!("SET statement_timeout = {}", budget.as_millis().max(1));
            client.batch_execute(&limit).map_err(|error| failure(CANNOT_CONNECT, error))?;
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
        self.rows(sql, parameters, "cannot read from the database")
    }

    fn rows(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
        context: &'static str,
    ) -> Result<Vec<Row>, Error> {
        let statement = self.statement(sql)?;
        self.client.query(&statement, parameters).map_err(|error| failure(context, error))
    }

    pub(super) fn optional(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<Option<Row>, Error> {
        Ok(self.query(sql, parameters)?.into_iter().next())
    }

    /// Executes a statement that writes one row and returns a number of it.
    pub(super) fn insert(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<i64, Error> {
        first(self.rows(sql, parameters, CANNOT_WRITE)?.into_iter().next())
    }

    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        parameters: &[Parameter<'_>],
    ) -> Result<u64, Error> {
        let statement = self.statement(sql)?;
        self.client.execute(&statement, parameters).map_err(|error| failure(CANNOT_WRITE, error))
    }

    /// Prepares a statement once per connection.
    fn statement(&mut self, sql: &'static str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self
            .client
            .prepare(sql)
            .map_err(|error| failure("cannot prepare a statement", error))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

/// TCP timeout of a connection without a statement time limit. An import may be interrupted for longer than a request.
const UNLIMITED_PATIENCE: Duration = Duration::from_secs(30);

/// Reads a column. Fails if its type is not the one in our schema.
pub(super) fn get<'r, T: FromSql<'r>>(row: &'r Row, column: usize) -> Result<T, Error> {
    row.try_get(column).map_err(|error| failure("cannot read a column", error))
}

/// Reads the only column of the only row.
pub(super) fn first(row: Option<Row>) -> Result<i64, Error> {
    let no_row = || Error::new(ErrorKind::Storage, "the database returned no row");
    get(&row.ok_or_else(no_row)?, 0)
}

/// The code of a PostgreSQL error. Its text is dropped, because it may quote a row.
#[derive(Debug)]
struct Code(SqlState);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SQLSTATE {}", self.0.code())
    }
}

impl std::error::Error for Code {}

/// Translates an error of PostgreSQL. `context` is the message of errors that have no more specific one.
pub(super) fn failure(context: &'static str, error: ::postgres::Error) -> Error {
    let Some(state) = error.code().cloned() else {
        return Error::caused(ErrorKind::Storage, context, error);
    };
    let (kind, context) = match state.code() {
        "53100" => (ErrorKind::StorageFull, "the disk of the database is full"),
        "57014" => (ErrorKind::StorageSlow, "a database statement timed out or was cancelled"),
        "40001" | "40P01" | "55P03" | "53300" => {
            (ErrorKind::StorageBusy, "the database is busy; try again later")
        }
        "XX001" | "XX002" => (ErrorKind::StorageCorrupt, "the database is damaged"),
        "42501" => {
            // The message of this code names the table, and no row.
            let message = error.as_db_error().map_or("permission denied", |error| error.message());
            let text = format!(
                "the role of the database URL lacks a privilege: {message}; grant it, or use another role"
            );
            return Error::caused(ErrorKind::Storage, text, Code(state));
        }
        // A statement that was prepared in this session is unknown, or one that was not is known.
        "26000" | "42P05" => (
            ErrorKind::Storage,
            "a connection pooler gives one session to several clients; set its pool mode to session",
        ),
        "25006" => {
            (ErrorKind::Storage, "the database is read-only; the program needs write access")
        }
        _ => (ErrorKind::Storage, context),
    };
    Error::caused(kind, context, Code(state))
}

/// Translates an error of the connector, which names the cause and the next step.
pub(super) fn not_connected(error: methodical_postgres::Error) -> Error {
    let kind = match error.kind() {
        methodical_postgres::ErrorKind::Setting => ErrorKind::Config,
        methodical_postgres::ErrorKind::Busy => ErrorKind::StorageBusy,
        _ => ErrorKind::Storage,
    };
    let context = match error.waited() {
        Some(_) => "cannot connect to the database within --database-timeout",
        None => CANNOT_CONNECT,
    };
    Error::caused(kind, context, error)
}

const CANNOT_WRITE: &str = "cannot write to the database";

const CANNOT_CONNECT: &str = "cannot connect to the database";

/// Returns whether a value that must be unique exists already.
pub(super) fn is_unique_violation(error: &Error) -> bool {
    std::error::Error::source(error)
        .and_then(|source| source.downcast_ref())
        .is_some_and(|Code(state)| *state == SqlState::UNIQUE_VIOLATION)
}
