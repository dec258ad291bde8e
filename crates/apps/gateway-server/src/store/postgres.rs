//! The driver for PostgreSQL: many servers, one database.
//!
//! The SQL uses no sequences, triggers, cursors or foreign keys, and every key begins with the account. An import uses
//! temporary tables, and the tables are created under an advisory lock.

use std::collections::HashMap;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

use ::postgres::error::SqlState;
use ::postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use ::postgres::{Client, Column, Statement};
use bytes::BytesMut;
use methodical_postgres::{Connector, ErrorKind as Cause};

use crate::error::{Error, ErrorKind};
use crate::store::ImportMode;
use crate::store::db::{Db, Dialect, Driver, Row, SCHEMA, Table, Value, check_schema, remains};
use crate::store::deletion::{FINISH_ERASURES, LAST_ERASURE};

pub(super) struct Database(Connector);

impl Database {
    /// Connects, and creates or checks the tables.
    pub(super) fn connect(
        url: &str,
        create: bool,
        wait: Duration,
        notice: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let connector = Connector::new(url, "gateway-server").map_err(not_connected)?;
        let client = connector.open_waiting(wait, notice).map_err(not_connected)?;
        prepare(&mut Postgres::new(client, "cannot create or find the tables"), create)?;
        Ok(Self(connector))
    }
}

/// Checks the schema version. With `create`, creates missing tables. Concurrent callers wait for one another.
fn prepare(db: &mut dyn Db, create: bool) -> Result<(), Error> {
    db.transaction(ImportMode::Commit, |db| {
        // Held until the transaction ends.
        db.batch(LOCK)?;
        if db.count(EXISTS, &[])? == 0 {
            if !create {
                let text = "the database has no tables of this program; \
                            `serve` and `account create` create them";
                return Err(Error::new(ErrorKind::NotFound, text));
            }
            db.batch(SCHEMA)?;
            db.batch(WITHOUT_STATISTICS)?;
            db.batch(VERSION_TABLE)?;
        }
        let version = db.first("SELECT coalesce(max(version), -1) FROM gateway_schema", &[])?;
        check_schema(db, "the database", version.map(|[one]| one).filter(|one| *one >= 0))
    })
}

impl Driver for Database {
    fn connect(
        &self,
        limit: Option<Duration>,
        context: &'static str,
    ) -> Result<Box<dyn Db>, Error> {
        let client = self.0.open().map_err(not_connected)?;
        let mut db = Postgres::new(client, context);
        if let Some(limit) = limit {
            // At least 1 ms, because 0 means no limit.
            db.batch(&format!("SET statement_timeout = {}", limit.as_millis().max(1)))?;
        }
        Ok(Box::new(db))
    }

    fn is_near(&self) -> bool {
        false
    }

    /// Waits for transactions that may still read the deleted rows, then rebuilds the tables without them.
    fn erase_traces(&self, timeout: Duration) -> Result<(), Error> {
        let deadline = Instant::now() + timeout;
        let place = "the files of the tables";
        let busy = |cause: &str| {
            let seconds = timeout.as_secs();
            let next = "run `gateway-server delete traces` later, or with a longer --timeout";
            remains(place, format_args!("{cause} after {seconds} s (--timeout); {next}"))
        };
        let mut db = self.connect(Some(timeout), "cannot delete")?;
        let last = db.first(LAST_ERASURE, &[])?.map_or(0, |[last]| last);
        let now = db.first(MICROSECONDS, &[])?.map_or(0, |[now]| now);
        while db.count(OLDER_READERS, &[now.into()])? > 0 {
            if Instant::now() >= deadline {
                return Err(busy("an earlier transaction was still running"));
            }
            db.batch("SELECT pg_sleep(0.1)")?;
        }
        for table in ["candidate", "vacancy", "application", "status", "account", "token"] {
            if db.count(OWNS, &[table.into()])? == 0 {
                let next = "run `gateway-server delete traces` as that role";
                let cause =
                    format_args!("only the owner of the table {table} may run VACUUM; {next}");
                return Err(remains(place, cause));
            }
        }
        db.batch(VACUUM).map_err(|error| match error.kind() {
            ErrorKind::StorageSlow => busy("VACUUM was still running or waiting for a lock"),
            _ => error,
        })?;
        db.execute(FINISH_ERASURES, &[last.into()]).map(drop)
    }
}

/// A connection, its prepared statements, and rows that have not been sent yet.
struct Postgres {
    client: Client,
    statements: HashMap<String, Statement>,
    rows: [Vec<u8>; TABLES.len()],
    context: &'static str,
}

impl Postgres {
    fn new(client: Client, context: &'static str) -> Self {
        Self { client, statements: HashMap::new(), rows: Default::default(), context }
    }

    /// Prepares a statement once per connection. PostgreSQL writes a parameter as `$` and its number.
    fn statement(&mut self, sql: &str) -> Result<Statement, Error> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement =
            self.client.prepare(&sql.replace('?', "$")).map_err(failed(self.context))?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Sends the rows of a table in the binary format of `COPY`.
    fn send(&mut self, table: Table) -> Result<(), Error> {
        let Some(rows) = self.rows.get_mut(table as usize).filter(|rows| !rows.is_empty()) else {
            return Ok(());
        };
        let name = TABLES.iter().find(|(one, _)| *one == table).map_or("", |(_, name)| name);
        let sql = format!("COPY {name} FROM STDIN (FORMAT binary)");
        let mut writer = self.client.copy_in(&sql).map_err(failed(self.context))?;
        for part in [HEADER, rows, TRAILER] {
            // The driver's error, which a `Write` implementation passed on.
            let not_sent = |error: io::Error| match error.downcast() {
                Ok(error) => failure(self.context, error),
                Err(error) => Error::caused(ErrorKind::Storage, self.context, error),
            };
            writer.write_all(part).map_err(not_sent)?;
        }
        writer.finish().map_err(failed(self.context))?;
        rows.clear();
        Ok(())
    }
}

impl Db for Postgres {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.client.batch_execute(sql).map_err(failed(self.context))
    }

    fn execute(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<u64, Error> {
        let statement = self.statement(sql)?;
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        self.client.execute(&statement, &parameters).map_err(failed(self.context))
    }

    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value<'_>],
        on_row: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let statement = self.statement(sql)?;
        let parameters: Vec<_> = parameters.iter().map(parameter).collect();
        let rows = self.client.query(&statement, &parameters).map_err(failed(self.context))?;
        rows.iter().try_for_each(|row| on_row(row))
    }

    fn load(&mut self, table: Table, row: &[Value<'_>]) -> Result<(), Error> {
        let Some(rows) = self.rows.get_mut(table as usize) else { return Ok(()) };
        rows.extend_from_slice(&i16::try_from(row.len()).unwrap_or(i16::MAX).to_be_bytes());
        let mut column = |bytes: &[u8]| {
            // A record is never larger than the limit of clients, so its length fits.
            rows.extend_from_slice(&i32::try_from(bytes.len()).unwrap_or(i32::MAX).to_be_bytes());
            rows.extend_from_slice(bytes);
        };
        for value in row {
            match value {
                Value::Integer(number) => column(&number.unwrap_or_default().to_be_bytes()),
                Value::Text(text) => column(text.as_bytes()),
                Value::Bytes(bytes) => column(bytes),
            }
        }
        if rows.len() >= BATCH { self.send(table) } else { Ok(()) }
    }

    fn end_load(&mut self) -> Result<(), Error> {
        TABLES.into_iter().try_for_each(|(table, _)| self.send(table))
    }
}

impl Row for ::postgres::Row {
    fn integer(&self, column: usize) -> Result<Option<i64>, Error> {
        self.try_get(column).map_err(failed("cannot read a column"))
    }

    fn bytes(&self, column: usize) -> Result<&[u8], Error> {
        let bytes = match self.columns().get(column).map(Column::type_) {
            Some(&Type::TEXT) => self.try_get::<_, &str>(column).map(str::as_bytes),
            _ => self.try_get(column),
        };
        bytes.map_err(failed("cannot read a column"))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, BoxError> {
        match self {
            Self::Integer(number) => number.to_sql(ty, out),
            Self::Text(text) => text.to_sql(ty, out),
            Self::Bytes(bytes) => bytes.to_sql(ty, out),
        }
    }

    fn accepts(ty: &Type) -> bool {
        matches!(*ty, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    to_sql_checked!();
}

fn parameter<'v>(value: &'v Value<'_>) -> &'v (dyn ToSql + Sync) {
    value
}

type BoxError = Box<dyn std::error::Error + Sync + Send>;

/// Translates a PostgreSQL error, but not its text, which may quote a row. `context` is the default message.
fn failure(context: &'static str, error: ::postgres::Error) -> Error {
    let Some(code) = error.code().map(SqlState::code) else {
        return Error::caused(ErrorKind::Storage, context, error);
    };
    let state = format!("SQLSTATE {code}");
    let (kind, context) = match code {
        "53100" => (ErrorKind::StorageFull, "the disk of the database is full"),
        "57014" => (ErrorKind::StorageSlow, "a database statement timed out or was canceled"),
        "40001" | "40P01" | "55P03" | "53300" => {
            (ErrorKind::StorageBusy, "the database is busy; try again later")
        }
        // The last two are a table and a column that do not exist.
        "XX001" | "XX002" | "42P01" | "42703" => {
            (ErrorKind::StorageCorrupt, "the database is damaged")
        }
        "23505" => (ErrorKind::Exists, context),
        "42501" => {
            // The message of this code names the table, but no row.
            let message = error.as_db_error().map_or("permission denied", |error| error.message());
            let text = format!(
                "the role in the database URL lacks a privilege: {message}; grant it, or use another role"
            );
            return Error::caused(ErrorKind::Storage, text, state);
        }
        "25006" => {
            (ErrorKind::Storage, "the database is read-only; the program needs write access")
        }
        _ => (ErrorKind::Storage, context),
    };
    Error::caused(kind, context, state)
}

/// Returns [`failure`] for `map_err`.
fn failed(context: &'static str) -> impl FnOnce(::postgres::Error) -> Error {
    move |error| failure(context, error)
}

/// Translates an error of the connector, whose message names the cause and the next step.
fn not_connected(error: methodical_postgres::Error) -> Error {
    let kind = match error.kind() {
        Cause::Setting => ErrorKind::Config,
        Cause::Busy => ErrorKind::StorageBusy,
        _ => ErrorKind::Storage,
    };
    Error::caused(kind, "cannot connect to the database", error)
}

/// Size at which buffered rows are sent, in bytes.
const BATCH: usize = 1024 * 1024;

const TABLES: [(Table, &str); 4] = [
    (Table::Vacancies, "staged_vacancy"),
    (Table::Candidates, "staged_candidate"),
    (Table::Applications, "staged_application"),
    (Table::Doomed, "doomed"),
];

/// The signature of the binary format, without flags or an extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// The number of columns that ends the rows.
const TRAILER: &[u8] = &(-1_i16).to_be_bytes();

/// The key of the lock is an arbitrary number that only this program uses.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5139274821775263047)";

const EXISTS: &str = "\
    SELECT count(*) FROM information_schema.tables \
    WHERE table_schema = current_schema() AND table_name = 'gateway_schema'";

const VERSION_TABLE: &str = "CREATE TABLE gateway_schema (version BIGINT PRIMARY KEY); INSERT INTO gateway_schema VALUES (4)";

/// The planner needs no statistics about records, and their samples would keep personal data after an erasure.
const WITHOUT_STATISTICS: &str = "\
    ALTER TABLE candidate ALTER record SET STATISTICS 0; \
    ALTER TABLE vacancy ALTER record SET STATISTICS 0";

const MICROSECONDS: &str = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint";

/// Counts the other sessions that may read rows deleted before `?1`. Without the role `pg_read_all_stats`, it sees only
/// sessions of the same role.
const OLDER_READERS: &str = "\
    SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() \
    AND datname = current_database() AND backend_xmin IS NOT NULL \
    AND xact_start < to_timestamp(?1::bigint / 1000000.0)";

/// Returns 1 if this role owns the table, or if the table does not exist; otherwise 0.
const OWNS: &str = "\
    SELECT count(*) FROM (SELECT ?1::text AS name) one LEFT JOIN pg_class ON oid = to_regclass(name) \
    WHERE oid IS NULL OR pg_has_role(relowner, 'USAGE')";

/// A single statement, because several would form a transaction, in which VACUUM cannot run.
const VACUUM: &str = "VACUUM candidate, vacancy, application, status, account, token";

pub(super) static DIALECT: Dialect = Dialect {
    // Unlike a query of the table, this does not wait for a lock on the table.
    has_columns: |table, columns| {
        format!("SELECT has_column_privilege('{table}', unnest('{{{columns}}}'::text[]), 'SELECT')")
    },
    begin: "BEGIN",
    // `now()` would return the start of the transaction.
    now: "SELECT extract(epoch FROM clock_timestamp())::bigint",
    lock_account: "SELECT revision FROM account WHERE id = ?1 FOR UPDATE",
    // Lets this connection sort and hash in memory, and disables JIT compilation.
    before_staging: "SET work_mem = '64MB'; SET jit = off",
    // Collects statistics for the planner, but no samples of records, which would outlive an erasure.
    staged: "ANALYZE staged_vacancy(seq, id), staged_candidate(seq, id), staged_application",
    // Without statistics, the planner assumes small tables until the next autovacuum.
    merged: "ANALYZE vacancy, candidate, application, status",
    lock_erasures: "LOCK TABLE erasure IN EXCLUSIVE MODE",
    before_deletion: "",
    // The subquery selects the ids of the page first. For a plain join, the planner would walk all candidates of the
    // account in order and look up each one in the vacancy.
    of_vacancy: "\
        SELECT c.id, c.record \
        FROM candidate c WHERE c.account_id = ?1 AND c.rev_from <= ?3 AND ?3 < c.rev_to \
        AND ?3 = (SELECT rev FROM revision WHERE account_id = ?1 AND rev = ?3) \
        AND c.id = ANY(ARRAY(SELECT a.candidate_id FROM application a \
        WHERE a.account_id = ?1 AND a.vacancy_id = ?5 AND a.candidate_id > ?2 {status}\
        AND a.rev_from <= ?3 AND ?3 < a.rev_to ORDER BY a.candidate_id LIMIT ?4)) ORDER BY c.id",
};

#[cfg(test)]
mod tests;
