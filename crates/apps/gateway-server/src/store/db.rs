//! The operations that the store needs from a database. Two small drivers implement them; the rest is written once.
//!
//! Parameters are numbered: `?1` is the first value. A row with 9223372036854775807 in `rev_to` is live, because no
//! account reaches that revision. Every statement on the data of an account has the account among its parameters, which
//! tests check.

use std::fmt::Display;
use std::time::Duration;

use crate::error::{Error, ErrorKind};
use crate::store::model::ImportMode;

/// A connection to a database.
pub(super) trait Db: Send {
    fn dialect(&self) -> &'static Dialect;

    /// Returns whether the database has closed the connection.
    fn is_closed(&self) -> bool {
        false
    }

    /// Runs statements without parameters.
    fn batch(&mut self, sql: &str) -> Result<(), Error>;

    /// Runs a statement and returns the number of affected rows.
    fn execute(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<u64, Error>;

    /// Runs a query and passes each row to `row`.
    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value<'_>],
        row: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Appends a row to a temporary table. The row may stay in memory until [`end_load`](Self::end_load).
    fn load(&mut self, table: Table, row: &[Value<'_>]) -> Result<(), Error>;

    /// Writes the rows that are still in memory.
    fn end_load(&mut self) -> Result<(), Error>;
}

impl dyn Db + '_ {
    /// Runs a query and returns the numbers of its first row.
    pub(super) fn first<const COLUMNS: usize>(
        &mut self,
        sql: &str,
        parameters: &[Value<'_>],
    ) -> Result<Option<[i64; COLUMNS]>, Error> {
        let mut first = None;
        self.each(sql, parameters, &mut |row| {
            if first.is_none() {
                let mut columns = [0; COLUMNS];
                for (index, column) in columns.iter_mut().enumerate() {
                    *column = row.number(index)?;
                }
                first = Some(columns);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Runs a query and returns the number that it counts.
    pub(super) fn count(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<u64, Error> {
        let [count] = self.first(sql, parameters)?.unwrap_or([0]);
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Returns the time by the clock of the database, in seconds since 1970.
    pub(super) fn now(&mut self) -> Result<i64, Error> {
        let [now] = self.first(self.dialect().now, &[])?.unwrap_or([0]);
        Ok(now)
    }

    /// Runs `work` in a write transaction, and commits if it succeeds and `mode` says to keep the changes.
    pub(super) fn transaction<T>(
        &mut self,
        mode: ImportMode,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.batch(self.dialect().begin)?;
        match work(self) {
            Ok(done) => {
                let end = if mode == ImportMode::Commit { "COMMIT" } else { "ROLLBACK" };
                self.batch(end).map(|()| done)
            }
            Err(error) => {
                // If this fails as well, closing the connection ends the transaction.
                drop(self.batch("ROLLBACK"));
                Err(error)
            }
        }
    }
}

/// A row of a query.
pub(super) trait Row {
    /// Returns a number, or `None` for null.
    fn integer(&self, column: usize) -> Result<Option<i64>, Error>;

    /// Returns the bytes of text or a binary value.
    fn bytes(&self, column: usize) -> Result<&[u8], Error>;
}

impl dyn Row + '_ {
    /// Returns a number that is not null.
    pub(super) fn number(&self, column: usize) -> Result<i64, Error> {
        self.integer(column)?.ok_or_else(|| damaged("a row"))
    }

    pub(super) fn text(&self, column: usize) -> Result<String, Error> {
        let odd = |error| Error::caused(ErrorKind::StorageCorrupt, "text is not UTF-8", error);
        String::from_utf8(self.bytes(column)?.to_vec()).map_err(odd)
    }
}

/// A parameter of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value<'v> {
    Integer(Option<i64>),
    Text(&'v str),
    Bytes(&'v [u8]),
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Integer(Some(number))
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(text)
    }
}

/// The temporary tables that [`Db::load`] fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Vacancies,
    Candidates,
    Applications,
    Doomed,
}

/// The statements in which the databases differ.
#[derive(Debug)]
pub(super) struct Dialect {
    /// Begins a write transaction.
    pub(super) begin: &'static str,
    /// Reads the clock that all programs share: that of the machine with the file, or of the database server.
    pub(super) now: &'static str,
    /// Returns the revision of an account. Locks the account until the transaction ends.
    pub(super) lock_account: &'static str,
    /// Statements to run before the first record is staged.
    pub(super) before_staging: &'static str,
    /// Statements to run after the last record was staged.
    pub(super) staged: &'static str,
    /// Statements to run after an import changed something.
    pub(super) merged: &'static str,
    /// Locks the erasures until the transaction ends, because they have consecutive numbers.
    pub(super) lock_erasures: &'static str,
    /// Statements to run before a deletion.
    pub(super) before_deletion: &'static str,
    /// Selects a page of a vacancy's candidates. `{status}` is a further condition.
    pub(super) of_vacancy: &'static str,
    /// Returns a query that fails if a table lacks one of these columns.
    pub(super) has_columns: fn(&str, &str) -> String,
}

/// Opens connections to one database.
pub(super) trait Driver: Send + Sync {
    /// Opens a connection, either for reading, with a time limit for each statement, or for writing, without a limit.
    /// SQLite has no limit, because it reads a page in milliseconds. `context` is the message of errors without a more
    /// specific one.
    fn connect(&self, limit: Option<Duration>, context: &'static str)
    -> Result<Box<dyn Db>, Error>;

    /// Returns whether reading a single row takes only microseconds, because the database runs inside this process. If
    /// it takes a network round trip, requests wait for it without blocking a thread of the runtime.
    fn is_near(&self) -> bool;

    /// Checks that the database is still the one that was opened.
    fn health(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Describes the damage that the database finds in its files.
    fn damage(&self) -> Result<Option<String>, Error> {
        Ok(None)
    }

    /// Removes the traces of deleted rows from the files. Waits at most `timeout` for other programs.
    fn erase_traces(&self, timeout: Duration) -> Result<(), Error>;
}

/// The tables, written once for both databases.
pub(super) const SCHEMA: &str = include_str!("schema.sql");

/// The schema version that this release creates, reads and writes. Versions 1 to 3 were never released.
pub(super) const VERSION: i64 = 4;

/// Checks the schema version and the columns of every table, to find a damaged schema or a truncated file now rather than
/// in the middle of a response. `name` identifies the database in errors.
pub(super) fn check_schema(db: &mut dyn Db, name: &str, version: Option<i64>) -> Result<(), Error> {
    check_version(name, version)?;
    for (table, columns) in tables() {
        let query = (db.dialect().has_columns)(table, &columns);
        db.each(&query, &[], &mut |_| Ok(())).map_err(|error| match error.kind() {
            kind @ ErrorKind::StorageCorrupt => {
                let cause = "is missing, lacks a column, or cannot be read; restore a backup";
                Error::new(kind, format!("{name} is damaged: the table {table} {cause}"))
            }
            _ => error,
        })?;
    }
    Ok(())
}

/// Returns the name of each table in the schema, and its columns, separated by commas.
fn tables() -> impl Iterator<Item = (&'static str, String)> {
    SCHEMA.split("CREATE TABLE ").skip(1).filter_map(|text| {
        let (table, text) = text.split_once(" (\n")?;
        let (lines, _rest) = text.split_once("\n);")?;
        let words = lines.lines().filter_map(|line| line.trim_start().split(' ').next());
        // The other lines are constraints.
        let columns = words.filter(|word| word.starts_with(|first: char| first.is_lowercase()));
        Some((table, columns.collect::<Vec<_>>().join(", ")))
    })
}

fn check_version(name: &str, version: Option<i64>) -> Result<(), Error> {
    let next = "create a new database and import the data";
    let (kind, problem) = match version {
        Some(VERSION) => return Ok(()),
        Some(newer) if newer > VERSION => {
            let text = format!("was written by a newer release (schema {newer}); this one reads");
            (ErrorKind::StorageNewer, format!("{text} schema {VERSION}; update gateway-server"))
        }
        Some(other) => {
            (ErrorKind::StorageForeign, format!("has the unknown schema {other}; {next}"))
        }
        None => (ErrorKind::StorageForeign, format!("has no schema version; {next}")),
    };
    Err(Error::new(kind, format!("{name} {problem}")))
}

/// Creates an error for data that no import would have written.
pub(super) fn damaged(what: &str) -> Error {
    let text = format!(
        "the database is damaged: {what} differs from what was written; run `gateway-server check`"
    );
    Error::new(ErrorKind::StorageCorrupt, text)
}

/// Creates the error for deleted records whose bytes remain somewhere.
pub(super) fn remains(place: impl Display, cause: impl Display) -> Error {
    let text =
        format!("the records are deleted, but some of their bytes remain in {place}: {cause}");
    Error::new(ErrorKind::ErasurePending, text)
}

/// Creates the error for an account that was deleted after its name was looked up.
pub(super) fn account_gone() -> Error {
    Error::new(ErrorKind::NotFound, "the account no longer exists")
}
