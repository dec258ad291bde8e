//! The SQLite file of a mirror: opening it, locking it, and changing it in transactions.

pub(crate) mod files;
pub(crate) mod filter;
pub(crate) mod page;
pub(crate) mod rows;
pub(crate) mod table;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, ErrorCode, OpenFlags, Params, TransactionBehavior, ffi};

use crate::error::{Error, ErrorKind};
use crate::fields::json::written;
use crate::fields::{Hash, Hasher, Secret, Shape, fill};
use crate::mirror::{Identity, Source};
use crate::store::files::Lock;
use crate::store::table::Table;

/// A mirror in a SQLite file or in memory.
pub(crate) struct Store {
    /// The path of the file; `None` in memory.
    path: Option<PathBuf>,
    pub(crate) connection: Connection,
    pub(crate) identity: Identity,
    /// Whether erased values may remain in the log.
    pub(crate) has_traces: bool,
    /// Whether the transaction erases values.
    has_erased: Cell<bool>,
    /// The lock that is held during a transaction.
    lock: Option<Arc<Lock>>,
    /// The lock that is held while all tables are synced.
    held: Weak<Lock>,
    tables: RefCell<HashMap<String, Arc<Table>>>,
    shapes: RefCell<HashMap<i64, Arc<Shape>>>,
}

impl Store {
    /// Opens the file and creates the tables if it is new. Without `source`, the file must exist.
    pub(crate) fn open(path: &Path, source: Option<&Source>) -> Result<Self, Error> {
        let refused =
            |kind, why: &str| Error::new(kind, format!("cannot open {}: {why}", path.display()));
        if source.is_none() && matches!(path.try_exists(), Ok(false)) {
            return Err(refused(ErrorKind::Io, "it does not exist; sync the mirror first"));
        }
        files::prepare(path)?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // SQLite copies uncleared memory, such as erased values, into the index of a killed process's log. Closing the
        // last connection removes both.
        if files::has_contents(&files::with_suffix(path, "-wal")) {
            let first = Connection::open_with_flags(path, flags).or_failed()?;
            drop(first.pragma_query_value(None, "user_version", |_| Ok(())));
        }
        let mut connection = Connection::open_with_flags(path, flags).or_failed()?;
        connection.busy_timeout(BUSY_TIMEOUT).or_failed()?;
        let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let version = pragma("user_version").or_failed()?;
        match ((pragma("application_id").or_failed()?, version), source) {
            ((0, 0), Some(source)) if is_empty(&connection)? => create(&mut connection, source)?,
            ((APPLICATION_ID, OLDEST..=VERSION), _) => {}
            ((APPLICATION_ID, newer), _) if newer > VERSION => {
                let why = format!(
                    "its schema {newer} is newer than schema {VERSION} of this release; use a newer release"
                );
                return Err(refused(ErrorKind::Newer, &why));
            }
            _ => return Err(refused(ErrorKind::Foreign, "it is not a mirror; use another file")),
        }
        // SQLite refuses to write a file whose header has unknown versions.
        let is_writable = path.metadata().is_ok_and(|file| !file.permissions().readonly());
        if is_writable && connection.is_readonly("main").or_failed()? {
            return Err(refused(
                ErrorKind::Foreign,
                "it is read-only, or its header is damaged; check its permissions, or restore a backup",
            ));
        }
        connection.execute_batch(SETTINGS).or_failed()?;
        if (OLDEST..VERSION).contains(&version) {
            upgrade(&mut connection)?;
        }
        renew(&connection, "is_copy = 1")?;
        let store = Self::new(connection)?;
        if source.is_some_and(|source| !source.is_of(&store.identity)) {
            let why =
                "it belongs to another account or base URL; move it away, or use another file";
            return Err(refused(ErrorKind::OtherSource, why));
        }
        // A process that was killed may have left erased values in the log.
        let has_traces = !remove_traces(&store.connection, Duration::ZERO)?;
        Ok(Self { path: Some(path.to_owned()), has_traces, ..store })
    }

    /// Creates a mirror in memory, without a source. Only one connection can use it, so it needs no locks.
    pub(crate) fn in_memory() -> Result<Self, Error> {
        let mut connection = Connection::open_in_memory().or_failed()?;
        create(&mut connection, &Source::new("", ""))?;
        Self::new(connection)
    }

    fn new(connection: Connection) -> Result<Self, Error> {
        connection.set_prepared_statement_cache_capacity(64);
        let select = "SELECT id, secret, source FROM mirror_meta";
        let identity = connection.query_row(select, (), |row| {
            Ok(Identity { id: row.get(0)?, secret: Secret(row.get(1)?), source: row.get(2)? })
        });
        Ok(Self {
            path: None,
            identity: identity.or_failed()?,
            connection,
            has_traces: false,
            has_erased: Cell::default(),
            lock: None,
            held: Weak::new(),
            tables: RefCell::default(),
            shapes: RefCell::default(),
        })
    }

    /// Returns the path of the file. Fails for a mirror in memory, with an error that names the operation `verb`.
    pub(crate) fn path(&self, verb: &str) -> Result<&Path, Error> {
        self.path.as_deref().ok_or_else(|| {
            let text = format!("cannot {verb} the mirror: it is in memory; use a file");
            Error::new(ErrorKind::Store, text)
        })
    }

    /// Returns the held lock, or takes it. `None` for a mirror in memory.
    fn take_lock(&self) -> Result<Option<Arc<Lock>>, Error> {
        match (&self.path, self.held.upgrade()) {
            (None, _) => Ok(None),
            (_, Some(lock)) => Ok(Some(lock)),
            (Some(path), None) => Lock::take(path).map(|lock| Some(Arc::new(lock))),
        }
    }

    /// Locks the mirror across several transactions, until the result is dropped. Fails if another process is syncing.
    pub(crate) fn hold(&mut self) -> Result<Option<Arc<Lock>>, Error> {
        let lock = self.take_lock()?;
        self.held = lock.as_ref().map_or_else(Weak::new, Arc::downgrade);
        Ok(lock)
    }

    /// Locks a consumer until the result is dropped. Fails if another process is delivering to it.
    pub(crate) fn reserve(&self, consumer: &str) -> Result<Option<Lock>, Error> {
        let Some(path) = &self.path else { return Ok(None) };
        let parts = [&self.identity.id[..], consumer.as_bytes()];
        let name = format!(".deliver-{}.lock", self.identity.mark("lease", &parts));
        let lock = Lock::take_file(&files::with_suffix(path, &name), || {
            format!(
                "cannot deliver to `{consumer}`: another process is delivering to it; try again when it has finished"
            )
        });
        lock.map(Some)
    }

    /// Begins a transaction. Fails if another process is syncing.
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        self.lock = self.take_lock()?;
        self.run("BEGIN IMMEDIATE")
    }

    /// Begins a read-only transaction, which sees one consistent state of the store. End it with `roll_back`.
    pub(crate) fn begin_reading(&mut self) -> Result<(), Error> {
        // The transaction sees the state at its first statement.
        self.run("BEGIN; SELECT 1 FROM mirror_meta")
    }

    /// Declares that the transaction erases values: removes the cached counts of boards, which may include erased
    /// values, and makes [`commit`](Self::commit) remove such values from the log.
    pub(crate) fn note_erasure(&self) -> Result<(), Error> {
        if self.has_erased.replace(true) {
            return Ok(());
        }
        self.execute("DELETE FROM mirror_note WHERE name LIKE 'board/%'", ()).map(drop)
    }

    /// Commits the transaction, then removes erased values from the log.
    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        self.run("COMMIT")?;
        let has_erased = self.has_erased.take();
        if has_erased || self.has_traces {
            let timeout = if has_erased { BUSY_TIMEOUT } else { Duration::ZERO };
            self.has_traces = !remove_traces(&self.connection, timeout)?;
        }
        self.lock = None;
        Ok(())
    }

    /// Rolls the transaction back. Does nothing outside a transaction.
    pub(crate) fn roll_back(&mut self) {
        if !self.connection.is_autocommit() {
            // If the connection is lost, SQLite rolls back when it next opens the file.
            let _ignored = self.connection.execute_batch("ROLLBACK");
        }
        // The transaction may have created or changed a table.
        self.tables.get_mut().clear();
        self.shapes.get_mut().clear();
        self.has_erased.set(false);
        self.lock = None;
    }

    /// Changes the mirror in a transaction, which is rolled back after an error.
    pub(crate) fn change<T>(
        &mut self,
        change: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let result = self.begin().and_then(|()| {
            let result = change(self)?;
            self.commit()?;
            Ok(result)
        });
        self.roll_back();
        result
    }

    pub(crate) fn run(&self, sql: &str) -> Result<(), Error> {
        self.connection.execute_batch(sql).or_failed()
    }

    /// Runs a statement and returns how many rows it wrote.
    pub(crate) fn execute(&self, sql: &str, parameters: impl Params) -> Result<u64, Error> {
        Ok(self.connection.prepare_cached(sql).or_failed()?.execute(parameters).or_failed()? as u64)
    }

    pub(crate) fn query<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let mut statement = self.connection.prepare_cached(sql).or_failed()?;
        statement.query_map(parameters, read).or_failed()?.collect::<Result<_, _>>().or_failed()
    }

    /// Returns a note: a small text that the mirror keeps for its own use.
    pub(crate) fn note(&self, name: &str) -> Result<Option<String>, Error> {
        let select = "SELECT text FROM mirror_note WHERE name = ?1";
        Ok(self.query(select, (name,), |row| row.get(0))?.pop())
    }

    /// Writes a note, unless it already has this text.
    pub(crate) fn set_note(&self, name: &str, text: &str) -> Result<(), Error> {
        let insert = "INSERT INTO mirror_note (name, text) VALUES (?1, ?2) \
                      ON CONFLICT (name) DO UPDATE SET text = excluded.text WHERE text <> excluded.text";
        self.execute(insert, (name, text)).map(drop)
    }

    /// Reads a note as JSON. Returns the default if the note does not exist.
    pub(crate) fn json_note<T: Default + serde::de::DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<T, Error> {
        let Some(note) = self.note(name)? else { return Ok(T::default()) };
        serde_json::from_str(&note).map_err(|error| {
            Error::new(
                ErrorKind::Store,
                "cannot read the mirror: an entry of `mirror_note` is damaged",
            )
            .because(error)
        })
    }

    pub(crate) fn set_json_note(
        &self,
        name: &str,
        value: &impl serde::Serialize,
    ) -> Result<(), Error> {
        self.set_note(name, &written(value)?)
    }

    pub(crate) fn omits_personal(&self) -> Result<bool, Error> {
        Ok(self.note(OMITS_PERSONAL)?.is_some())
    }

    pub(crate) fn suppressed(&self, table: &str) -> Result<Suppressed, Error> {
        let select = "SELECT id FROM mirror_suppressed WHERE table_name = ?1";
        let ids = self.query(select, (table,), |row| row.get(0).map(Hash))?;
        Ok(Suppressed { hasher: self.identity.records(), ids: ids.into_iter().collect() })
    }

    /// Excludes an identity from all later syncs.
    pub(crate) fn suppress(&self, table: &str, id: Hash, at: i64) -> Result<(), Error> {
        let insert =
            "INSERT OR IGNORE INTO mirror_suppressed (table_name, id, at) VALUES (?1, ?2, ?3)";
        self.execute(insert, (table, id.0, utc(at))).map(drop)
    }
}

pub(crate) struct Suppressed {
    pub(crate) hasher: Hasher,
    pub(crate) ids: HashSet<Hash>,
}

impl Suppressed {
    pub(crate) fn has(&self, id: &str) -> bool {
        !self.ids.is_empty() && self.ids.contains(&self.hasher.hash(&[id.as_bytes()]))
    }
}

/// Creates the tables, unless another process was faster.
fn create(connection: &mut Connection, source: &Source) -> Result<(), Error> {
    connection.execute_batch(NEW_FILE).or_failed()?;
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).or_failed()?;
    if is_empty(&transaction)? {
        let (mut id, mut secret) = ([0; 16], Secret([0; 32]));
        fill(&mut id)?;
        fill(&mut secret.0)?;
        transaction.execute_batch(include_str!("store/schema.sql")).or_failed()?;
        let row = (&id, &secret.0, source.fingerprint(&secret));
        let insert = "INSERT INTO mirror_meta (one, id, secret, source) VALUES (1, ?1, ?2, ?3)";
        transaction.execute(insert, row).or_failed()?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).or_failed()?;
        transaction.pragma_update(None, "user_version", VERSION).or_failed()?;
    }
    transaction.commit().or_failed()
}

/// Upgrades the schema of an older release.
fn upgrade(connection: &mut Connection) -> Result<(), Error> {
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).or_failed()?;
    // An older program that has the file open may have written its own version again, so check what is there.
    let exists = |select| transaction.prepare(select).or_failed()?.exists(()).or_failed();
    if !exists("SELECT 1 FROM pragma_table_info('mirror_change') WHERE name = 'value'")? {
        transaction.execute_batch(FEED_VALUES).or_failed()?;
    }
    if exists("SELECT 1 FROM sqlite_schema WHERE name = 'mirror_spell' AND type = 'table'")? {
        transaction.execute_batch(PAST_VALUES).or_failed()?;
    }
    transaction.execute_batch(NOTES).or_failed()?;
    transaction.pragma_update(None, "user_version", VERSION).or_failed()?;
    transaction.commit().or_failed()
}

fn is_empty(connection: &Connection) -> Result<bool, Error> {
    Ok(!connection.prepare("SELECT 1 FROM sqlite_schema").or_failed()?.exists(()).or_failed()?)
}

/// Gives a mirror that satisfies an SQL condition another id, so that it refuses earlier cursors.
pub(crate) fn renew(connection: &Connection, condition: &str) -> Result<(), Error> {
    let select = format!("SELECT 1 FROM mirror_meta WHERE {condition}");
    if connection.prepare(&select).or_failed()?.exists(()).or_failed()? {
        let mut id = [0; 16];
        fill(&mut id)?;
        let update = format!("UPDATE mirror_meta SET id = ?1, is_copy = 0 WHERE {condition}");
        connection.execute(&update, (id,)).or_failed()?;
    }
    Ok(())
}

/// Writes the log into the file and empties the log. Returns false if a reader of an older state prevents that.
fn remove_traces(connection: &Connection, timeout: Duration) -> Result<bool, Error> {
    connection.busy_timeout(timeout).or_failed()?;
    let is_empty = empty_log(connection)?;
    connection.busy_timeout(BUSY_TIMEOUT).or_failed()?;
    Ok(is_empty)
}

/// Writes the log into the file and empties the log. Returns whether the log is now empty.
pub(crate) fn empty_log(connection: &Connection) -> Result<bool, Error> {
    let checkpoint = "PRAGMA wal_checkpoint(TRUNCATE)";
    Ok(connection.query_row(checkpoint, (), |row| row.get::<_, i64>(0)).or_failed()? == 0)
}

/// Returns a time in seconds since 1970 as RFC 3339 text in UTC.
pub(crate) fn utc(seconds: i64) -> String {
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Converts a count for SQLite. A larger count becomes `i64::MAX`.
pub(crate) fn integer(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}

/// Reads a count from a row. A negative count becomes 0.
pub(crate) fn count(row: &rusqlite::Row<'_>, column: usize) -> rusqlite::Result<u64> {
    Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or_default())
}

/// Quotes a name as an SQL identifier.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

pub(crate) trait OrFailed<T> {
    fn or_failed(self) -> Result<T, Error>;
}

impl<T> OrFailed<T> for rusqlite::Result<T> {
    fn or_failed(self) -> Result<T, Error> {
        self.map_err(sqlite_failed)
    }
}

/// Converts a SQLite error. Its message names tables and columns, but no values.
pub(crate) fn sqlite_failed(error: rusqlite::Error) -> Error {
    use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};

    // Reported on a full disk, when the index of the log cannot grow.
    let is_full = error.sqlite_extended_error_code() == Some(ffi::SQLITE_IOERR_SHMSIZE);
    // A value does not have the type of its column, such as text that is not UTF-8.
    let is_value =
        matches!(error, FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..));
    let (kind, text) = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            ErrorKind::Busy,
            "cannot use the mirror: another process is writing to it; try again later",
        ),
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => (
            ErrorKind::Io,
            "cannot use the mirror: its file or folder is read-only, but SQLite has to write next to it; copy it to a folder \
                 that you can write to",
        ),
        Some(ErrorCode::SystemIoFailure) if !is_full => (
            ErrorKind::Store,
            "cannot read or write the mirror: the disk is failing, or a file size limit was reached; check the disk and the \
                 limits, and try again",
        ),
        Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => (
            ErrorKind::Store,
            "cannot write the mirror: the disk is full; free some space and try again",
        ),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            (ErrorKind::Foreign, "cannot read the mirror: the file is damaged or not a database")
        }
        None if is_value => (
            ErrorKind::Foreign,
            "cannot read the mirror: a value is damaged; restore a backup, or sync into a new file",
        ),
        _ => (ErrorKind::Store, "cannot read or write the mirror"),
    };
    Error::new(kind, text).because(error)
}

/// `GWMR`, the application id in the header of every mirror.
const APPLICATION_ID: i64 = 0x4757_4D52;

/// The schema version of this release. In version 2, `mirror_hash` had 24 bytes; before version 4, the feed had no
/// values; programs before version 5 change placements without updating the cached counts of boards; and before version
/// 6, past values were in the table `mirror_spell`.
const VERSION: i64 = 6;

/// The statements that add values to the feed of an older schema.
const FEED_VALUES: &str = "ALTER TABLE mirror_change ADD COLUMN previous TEXT; \
                           ALTER TABLE mirror_change ADD COLUMN value TEXT; \
                           CREATE INDEX mirror_change_value ON mirror_change (table_name, record_id) \
                           WHERE previous IS NOT NULL OR value IS NOT NULL";

/// The statements that rename an older schema's table of past values. SQLite also renames it in views.
const PAST_VALUES: &str = "ALTER TABLE mirror_spell RENAME TO mirror_past_value; \
                           DROP INDEX mirror_spell_member; \
                           CREATE INDEX mirror_past_value_member ON mirror_past_value (member_id); \
                           CREATE VIEW mirror_spell AS SELECT * FROM mirror_past_value";

/// The statements that rename the schedules of recovered tables, which had another name before version 4, and remove
/// cached counts of boards.
const NOTES: &str = "UPDATE OR IGNORE mirror_note SET name = 'schedule' || substr(name, 5) WHERE name LIKE 'rota/%'; \
                     DELETE FROM mirror_note WHERE name LIKE 'board/%'";

/// The oldest version that this release opens.
const OLDEST: i64 = 2;

/// FULL, because a change that was read must survive a power cut, or its number would be reused.
const SETTINGS: &str =
    "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA cache_size = -16384";

/// Page size of a new file. With 8 KiB, a first sync takes a tenth less time than with 4 KiB.
const NEW_FILE: &str = "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL";

/// Maximum time that a statement waits for a writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The name of the note that exists if the mirror omits personal data.
pub(crate) const OMITS_PERSONAL: &str = "omits personal";

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use crate::error::ErrorKind;
    use crate::store::sqlite_failed;

    #[test]
    fn an_error_of_sqlite_has_its_kind_and_a_next_step() {
        for (code, kind, text) in [
            (ffi::SQLITE_BUSY, ErrorKind::Busy, "try again later"),
            (ffi::SQLITE_LOCKED, ErrorKind::Busy, "try again later"),
            (ffi::SQLITE_FULL, ErrorKind::Store, "the disk is full; free some space"),
            (ffi::SQLITE_IOERR_SHMSIZE, ErrorKind::Store, "the disk is full; free some space"),
            (ffi::SQLITE_IOERR_WRITE, ErrorKind::Store, "check the disk and the limits"),
            (ffi::SQLITE_CORRUPT, ErrorKind::Foreign, "damaged or not a database"),
            (ffi::SQLITE_NOTADB, ErrorKind::Foreign, "damaged or not a database"),
            (ffi::SQLITE_CANTOPEN, ErrorKind::Io, "copy it to a folder that you can write to"),
            (ffi::SQLITE_READONLY, ErrorKind::Io, "copy it to a folder that you can write to"),
            (ffi::SQLITE_CONSTRAINT, ErrorKind::Store, "cannot read or write the mirror"),
        ] {
            let error = sqlite_failed(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
            assert_eq!(error.kind(), kind, "{code}");
            assert!(error.to_string().contains(text), "{error}");
        }
    }
}
