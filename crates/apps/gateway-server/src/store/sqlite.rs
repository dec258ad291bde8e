//! The driver for SQLite: one file, one writer at a time, any number of readers.

pub(super) mod file;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement, ffi};

use crate::error::{Error, ErrorKind};
use crate::store::db::{Db, Dialect, Driver, Row, Table, Value, remains};
use crate::store::deletion::{FINISH_ERASURES, LAST_ERASURE};

pub(super) struct File {
    path: PathBuf,
    is_writable: bool,
    /// The device and the inode of the file, to notice when another file has replaced it.
    identity: Option<(u64, u64)>,
    /// Keeps the log or an in-memory database alive while no other connection is open.
    _held: Mutex<Connection>,
}

impl File {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let held = Mutex::new(file::writer(path)?);
        let identity = file::identity(path);
        Ok(Self { path: path.to_owned(), is_writable: true, identity, _held: held })
    }

    /// Opens a file for a check if this process cannot write to it; returns `None` if it can.
    pub(super) fn open_unwritable(path: &Path) -> Result<Option<Self>, Error> {
        let Some(name) = file::unwritable(path)? else { return Ok(None) };
        let held = Mutex::new(file::reader(&name)?);
        Ok(Some(Self { path: name, is_writable: false, identity: None, _held: held }))
    }

    pub(super) fn in_memory() -> Result<Self, Error> {
        let (path, held) = file::in_memory()?;
        Ok(Self { path, is_writable: true, identity: None, _held: Mutex::new(held) })
    }
}

impl Driver for File {
    fn connect(
        &self,
        limit: Option<Duration>,
        context: &'static str,
    ) -> Result<Box<dyn Db>, Error> {
        let connection = if limit.is_none() && self.is_writable {
            file::writer(&self.path)?
        } else {
            file::reader(&self.path)?
        };
        Ok(Box::new(Sqlite { connection, context }))
    }

    fn is_near(&self) -> bool {
        true
    }

    fn health(&self) -> Result<(), Error> {
        if self.identity.is_some() && self.identity != file::identity(&self.path) {
            let text = "the database file was replaced or removed; restart the server";
            return Err(Error::new(ErrorKind::StorageForeign, text));
        }
        Ok(())
    }

    fn damage(&self) -> Result<Option<String>, Error> {
        damaged_places(&file::reader(&self.path)?)
    }

    /// Rebuilds the file and empties its log: a deleted row remains readable in free pages, in the gaps of pages, and
    /// in the log. The log can be emptied once no program reads an older state from it.
    fn erase_traces(&self, timeout: Duration) -> Result<(), Error> {
        let deadline = Instant::now() + timeout;
        let failed = || failed("cannot delete");
        let busy = |suffix: &str, cause: &str| {
            let seconds = timeout.as_secs();
            let next = "stop that program, then run `gateway-server delete traces`";
            remains(
                format_args!("{}{suffix}", self.path.display()),
                format_args!("{cause} after {seconds} s (--timeout); {next}"),
            )
        };
        let writer = file::writer(&self.path)?;
        let wait = || {
            let left = deadline.saturating_duration_since(Instant::now());
            writer.busy_timeout(left).map_err(failed())
        };
        wait()?;
        let last = writer.query_one(LAST_ERASURE, [], |row| row.get::<_, i64>(0));
        let last = last.map_err(failed())?;
        writer.execute_batch("VACUUM").map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                busy("", "another program was still writing to it")
            }
            Some(ErrorCode::DiskFull) => {
                let cause = "the disk is full; free as much space as the database takes, also in the folder for temporary \
                             files, and run `gateway-server delete traces`";
                remains(self.path.display(), cause)
            }
            _ => failure("cannot delete", error),
        })?;
        wait()?;
        let is_read = writer.query_one(file::EMPTY_LOG, [], |row| row.get::<_, i64>(0));
        if is_read.map_err(failed())? != 0 {
            return Err(busy("-wal", "another program was still reading an older state of it"));
        }
        writer.execute(FINISH_ERASURES, [last]).map_err(failed())?;
        Ok(())
    }
}

pub(super) struct Sqlite {
    pub(super) connection: Connection,
    pub(super) context: &'static str,
}

impl Sqlite {
    fn with<T>(
        &self,
        sql: &str,
        parameters: &[Value<'_>],
        run: impl FnOnce(&mut Statement<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut statement = self.connection.prepare_cached(sql).map_err(failed(self.context))?;
        for (index, value) in (1..).zip(parameters) {
            statement.raw_bind_parameter(index, value).map_err(failed(self.context))?;
        }
        run(&mut statement)
    }
}

impl Db for Sqlite {
    fn dialect(&self) -> &'static Dialect {
        &DIALECT
    }

    fn batch(&mut self, sql: &str) -> Result<(), Error> {
        self.connection.execute_batch(sql).map_err(failed(self.context))
    }

    fn execute(&mut self, sql: &str, parameters: &[Value<'_>]) -> Result<u64, Error> {
        self.with(sql, parameters, |statement| {
            let count = statement.raw_execute().map_err(failed(self.context))?;
            Ok(u64::try_from(count).unwrap_or(0))
        })
    }

    fn each(
        &mut self,
        sql: &str,
        parameters: &[Value<'_>],
        on_row: &mut dyn FnMut(&dyn Row) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.with(sql, parameters, |statement| {
            let mut rows = statement.raw_query();
            // Read to the end, because only then does SQLite commit what the query writes.
            while let Some(row) = rows.next().map_err(failed(self.context))? {
                on_row(row)?;
            }
            Ok(())
        })
    }

    fn load(&mut self, table: Table, row: &[Value<'_>]) -> Result<(), Error> {
        let sql = match table {
            Table::Vacancies => "INSERT INTO staged_vacancy VALUES (?, ?, ?, ?)",
            Table::Candidates => "INSERT INTO staged_candidate VALUES (?, ?, ?, ?)",
            Table::Applications => "INSERT INTO staged_application VALUES (?, ?, ?, ?, ?)",
            Table::Doomed => "INSERT INTO doomed VALUES (?, ?, ?)",
        };
        self.with(sql, row, |statement| {
            statement.raw_execute().map(drop).map_err(failed(self.context))
        })
    }

    fn end_load(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Row for rusqlite::Row<'_> {
    fn integer(&self, column: usize) -> Result<Option<i64>, Error> {
        // This takes half the time of `get`.
        let value = self.get_ref(column).map_err(failed("cannot read a column"))?;
        value.as_i64_or_null().map_err(|error| failure("cannot read a column", error.into()))
    }

    /// Returned as bytes, because the import wrote UTF-8, and validating it again would only cost time.
    fn bytes(&self, column: usize) -> Result<&[u8], Error> {
        let value = self.get_ref(column).map_err(failed("cannot read a column"))?;
        value.as_bytes().map_err(|error| failure("cannot read a column", error.into()))
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Integer(None) => ValueRef::Null,
            Self::Integer(Some(number)) => ValueRef::Integer(number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Describes the damage that SQLite finds in the pages of the file. Only experts in the file format understand SQLite's
/// own text.
fn damaged_places(connection: &Connection) -> Result<Option<String>, Error> {
    let failed = || failed("cannot check the database");
    let mut statement = connection.prepare("PRAGMA integrity_check(20)").map_err(failed())?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0)).map_err(failed())?;
    let mut places = 0;
    for line in lines {
        match line.map_err(failed()) {
            Err(error) if error.kind() != ErrorKind::StorageCorrupt => return Err(error),
            line => places += usize::from(line.ok().is_none_or(|line| line != "ok")),
        }
    }
    let more = if places < 20 { "" } else { " or more" };
    Ok((places > 0).then(|| {
        format!(
            "damaged pages or indexes of the file: {places}{more}; `PRAGMA integrity_check` in sqlite3 shows details"
        )
    }))
}

/// Translates a SQLite error. `context` is the message of errors that have no more specific one.
fn failure(context: &'static str, error: rusqlite::Error) -> Error {
    let extended = error.sqlite_extended_error_code();
    // SQLite reports this if the disk is full and the index of the log cannot grow.
    let is_full = extended == Some(ffi::SQLITE_IOERR_SHMSIZE);
    // All statements are constant, so these errors mean that the schema is not the one that they expect.
    let is_altered = matches!(error, rusqlite::Error::SqlInputError { .. })
        || error.to_string().starts_with("no such ");
    let unique = [ffi::SQLITE_CONSTRAINT_UNIQUE, ffi::SQLITE_CONSTRAINT_PRIMARYKEY];
    let because = |cause: &str| Cow::from(format!("{context}: {cause}"));
    let (kind, text) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            ErrorKind::StorageBusy,
            "the database is locked by another process; try again later".into(),
        ),
        Some(ErrorCode::SystemIoFailure) if !is_full => {
            let text = "the disk reports an error, or a file size limit was reached; check the system log and `ulimit -f`";
            return Error::caused(ErrorKind::Storage, because(text), error);
        }
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => {
            (ErrorKind::StorageFull, because("the disk is full; free some space and try again"))
        }
        code if is_altered || code == Some(ErrorCode::DatabaseCorrupt) => (
            ErrorKind::StorageCorrupt,
            "the database is damaged; run `gateway-server check`, or restore a backup".into(),
        ),
        Some(ErrorCode::NotADatabase) => (
            ErrorKind::StorageForeign,
            "the file is damaged or not a SQLite database; check its name, or restore a backup".into(),
        ),
        Some(ErrorCode::ReadOnly) => (
            ErrorKind::Storage,
            "the database is read-only; the program needs write access to the file and its directory".into(),
        ),
        _ => {
            let exists = extended.is_some_and(|code| unique.contains(&code));
            let kind = if exists { ErrorKind::Exists } else { ErrorKind::Storage };
            return Error::caused(kind, context, error);
        }
    };
    // The cause would only repeat the message.
    Error::new(kind, text)
}

/// Returns [`failure`] for `map_err`.
fn failed(context: &'static str) -> impl FnOnce(rusqlite::Error) -> Error {
    move |error| failure(context, error)
}

pub(super) static DIALECT: Dialect = Dialect {
    // This query also reads a row, to find a truncated file.
    has_columns: |table, columns| format!("SELECT {columns} FROM {table} LIMIT 1"),
    // IMMEDIATE, because a transaction that begins with a read may fail to become a write transaction.
    begin: "BEGIN IMMEDIATE",
    now: "SELECT unixepoch()",
    lock_account: "SELECT revision FROM account WHERE id = ?1",
    before_staging: "",
    // An index in the order in which the statuses are inserted. It contains all inserted columns, so no row is read.
    staged: "\
        CREATE INDEX temp.staged_application_in_order \
        ON staged_application(vacancy_id, candidate_id, seq, status_key)",
    merged: "",
    lock_erasures: "",
    before_deletion: "PRAGMA secure_delete = ON",
    // `CROSS JOIN` and the unary plus fix the plan: from the applications of the vacancy to each candidate by its key.
    of_vacancy: "\
        SELECT c.id, c.record \
        FROM application a CROSS JOIN candidate c ON c.account_id = ?1 AND c.id = +a.candidate_id \
        WHERE a.account_id = ?1 AND a.candidate_id > ?2 AND a.rev_from <= ?3 AND ?3 < a.rev_to \
        AND c.rev_from <= ?3 AND ?3 < c.rev_to AND a.vacancy_id = ?5 {status}\
        AND ?3 = (SELECT rev FROM revision WHERE account_id = ?1 AND rev = ?3) \
        ORDER BY a.candidate_id LIMIT ?4",
};

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::store::{CandidateFilter, deletion, read};

    #[test]
    fn a_full_disk_and_a_disk_that_fails_are_named() {
        for (code, kind, cause) in [
            (ffi::SQLITE_FULL, ErrorKind::StorageFull, "the disk is full; free some space"),
            (
                ffi::SQLITE_IOERR_SHMSIZE,
                ErrorKind::StorageFull,
                "the disk is full; free some space",
            ),
            (ffi::SQLITE_IOERR_WRITE, ErrorKind::Storage, "the disk reports an error, or a file"),
            (ffi::SQLITE_IOERR_READ, ErrorKind::Storage, "the disk reports an error, or a file"),
        ] {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = failure("cannot import", error);
            assert_eq!(error.kind(), kind, "{code}");
            assert!(error.to_string().starts_with(&format!("cannot import: {cause}")), "{error}");
            // The text of SQLite is given only where it says more than the message.
            let is_given = std::error::Error::source(&error).is_some();
            assert_eq!(is_given, kind == ErrorKind::Storage, "{code}");
        }
        let read_only = ffi::Error::new(ffi::SQLITE_READONLY_DIRECTORY);
        let error = failure("", rusqlite::Error::SqliteFailure(read_only, None));
        assert!(std::error::Error::source(&error).is_none(), "{error:?}");
    }

    /// Checks the plans of all statements that answer requests or clean up. None may scan a table.
    #[test]
    fn every_read_uses_a_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        file::create_if_missing(&path).unwrap();
        let connection = file::writer(&path).unwrap();
        let mut plans = String::new();
        let list = |filter| read::candidates(&DIALECT, &filter).unwrap().0;
        let reads = [
            ("token", read::AUTHENTICATE.to_owned()),
            ("all candidates", list(CandidateFilter::All)),
            ("of a vacancy", list(CandidateFilter::Vacancy(1))),
            ("of a vacancy and status", list(CandidateFilter::Status(1, String::new()))),
            ("vacancies", read::list("vacancy")),
            ("revision", read::REVISION_EXISTS.to_owned()),
            ("credits", read::CREDITS.to_owned()),
        ];
        let clean_up = deletion::COLLECT.map(|sql| ("clean-up", sql.to_owned()));
        for (name, sql) in reads.into_iter().chain(clean_up) {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
            let parameters = vec![0_i64; statement.parameter_count()];
            let steps = statement
                .query_map(rusqlite::params_from_iter(parameters), |row| row.get::<_, String>(3))
                .unwrap();
            writeln!(plans, "{name}").unwrap();
            for step in steps {
                let step = step.unwrap();
                assert!(
                    !step.starts_with("SCAN") && !step.contains("TEMP B-TREE"),
                    "{name}: {step}"
                );
                writeln!(plans, "    {step}").unwrap();
            }
        }
        insta::assert_snapshot!(plans);
    }
}
