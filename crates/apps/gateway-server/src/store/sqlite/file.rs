//! The database file: created, opened or refused unchanged, backed up and restored.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior, ffi};
use tempfile::{NamedTempFile, TempDir};

use crate::error::{Error, ErrorKind};
use crate::store::check::check;
use crate::store::schema;
use crate::store::sqlite::{Sqlite, damaged_places, failed, failure};

/// Creates the file if it does not exist.
pub(in crate::store) fn create_if_missing(path: &Path) -> Result<(), Error> {
    refuse_orphaned_log(path)?;
    if std::fs::metadata(path).is_err_and(is_missing) { create(path) } else { Ok(()) }
}

/// Refuses the log of a missing database. SQLite would write its content into a new database of the same name.
fn refuse_orphaned_log(path: &Path) -> Result<(), Error> {
    // The log is looked for first: another process that creates the database has it in place before it writes a log.
    let Some(log) = log_of(path) else { return Ok(()) };
    if !std::fs::metadata(path).is_err_and(is_missing) {
        return Ok(());
    }
    let (path, log) = (path.display(), log.display());
    let context =
        format!("{path} is missing but its log {log} exists; restore {path} or remove the log");
    Err(Error::new(ErrorKind::StorageForeign, context))
}

/// Finds the log of a database.
fn log_of(path: &Path) -> Option<PathBuf> {
    ["-wal", "-journal"].into_iter().find_map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let log = PathBuf::from(name);
        log.exists().then_some(log)
    })
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `is_err_and`")]
fn is_missing(error: io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

/// Opens the file for writing.
pub(super) fn writer(path: &Path) -> Result<Connection, Error> {
    match std::fs::metadata(path) {
        _ if is_in_memory(path) => {}
        // SQLite would open an empty file as a new database.
        Ok(file) if file.len() == 0 => return Err(empty(path)),
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let context = format!("database {} does not exist", path.display());
            return Err(Error::new(ErrorKind::NotFound, context));
        }
        Err(error) => {
            let context = format!("cannot read {}", path.display());
            return Err(Error::caused(ErrorKind::Io, context, error));
        }
    }
    let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    verify(&writer, path)?;
    upgrade(&mut writer)?;
    // FULL, so that an acknowledged import or token survives a power cut.
    writer
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384",
        )
        .map_err(failed("cannot set up the database"))?;
    Ok(writer)
}

/// Returns the error of a file that is empty.
fn empty(path: &Path) -> Error {
    let context = format!("{} is empty, so it is not a database", path.display());
    Error::new(ErrorKind::StorageForeign, context)
}

/// Opens the file for reading only.
pub(super) fn reader(path: &Path) -> Result<Connection, Error> {
    let reader = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // No memory map: it would count the file towards the memory of this process once per connection, and turn read
    // errors into signals.
    reader
        .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -1024; PRAGMA mmap_size = 0")
        .map_err(failed("cannot set up a reader"))?;
    // Otherwise SQLite plans a statement again for every new value, which costs more than running it.
    reader
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(failed("cannot set up a reader"))?;
    reader.set_prepared_statement_cache_capacity(32);
    Ok(reader)
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, Error> {
    let is_uri = is_in_memory(path) || path.to_string_lossy().ends_with(IMMUTABLE);
    let uri = if is_uri { OpenFlags::SQLITE_OPEN_URI } else { OpenFlags::empty() };
    let mode = mode | uri | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection =
        Connection::open_with_flags(path, mode).map_err(failed("cannot open the database"))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed("cannot open the database"))?;
    // Otherwise a damaged page can lead SQLite to bytes that are not a row.
    connection
        .execute_batch("PRAGMA cell_size_check = ON")
        .map_err(failed("cannot open the database"))?;
    Ok(connection)
}

/// Creates the database under a temporary name and renames it, so that a crash leaves no incomplete file behind.
fn create(path: &Path) -> Result<(), Error> {
    let context = "cannot create the database";
    let new = temporary(path)?;
    let mut connection = connect(new.file.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    make_tables(&mut connection, context)?;
    close(connection, context)?;
    match new.file.persist_noclobber(path) {
        Ok(_file) => Ok(()),
        // Another process was faster; its database is equivalent.
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error.into()),
    }
}

fn make_tables(connection: &mut Connection, context: &'static str) -> Result<(), Error> {
    connection
        .execute_batch(&format!(
            "PRAGMA application_id = {APPLICATION_ID}; PRAGMA journal_mode = WAL; \
         BEGIN; {} PRAGMA user_version = {}; COMMIT",
            schema::of_sqlite(schema::SCHEMA),
            schema::VERSION
        ))
        .map_err(failed(context))?;
    upgrade(connection)
}

/// Creates a database in memory, which lasts as long as a connection to it. Returns its name and the first connection.
#[cfg(feature = "test-util")]
pub(super) fn in_memory() -> Result<(PathBuf, Connection), Error> {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = PathBuf::from(format!("{MEMORY}{number}?vfs=memdb"));
    let mode = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut writer = connect(&path, mode)?;
    make_tables(&mut writer, "cannot create the database")?;
    Ok((path, writer))
}

/// Returns the name under which SQLite reads a file that this process cannot write: without its log and without locks.
/// Returns `None` if the file can be written, and fails if it has a log, which may have changes that the file lacks.
pub(super) fn unwritable(path: &Path) -> Result<Option<PathBuf>, Error> {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let opened = File::options().write(true).open(path);
    if !opened.is_err_and(|error| matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)) {
        return Ok(None);
    }
    let path = path.canonicalize()?;
    if log_of(&path).is_some_and(|log| log.metadata().is_ok_and(|log| log.len() > 0)) {
        let path = path.display();
        let text = format!(
            "cannot read {path}: it is read-only, and its log may have changes that it lacks; run this command where it \
             can be written"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    let escaped =
        path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let name = PathBuf::from(format!("file:{escaped}{IMMUTABLE}"));
    let reader = reader(&name)?;
    verify(&reader, &path)?;
    if !is_upgraded(&reader)? {
        let path = path.display();
        let text = format!(
            "cannot read {path}: an older release wrote it, and it is read-only; run this command where it can be written"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    Ok(Some(name))
}

/// Returns the device and the inode of a file.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Returns whether a path is the name of a database in memory.
fn is_in_memory(path: &Path) -> bool {
    cfg!(feature = "test-util") && path.to_string_lossy().starts_with(MEMORY)
}

/// The end of the name of a file that does not change.
const IMMUTABLE: &str = "?immutable=1";

const MEMORY: &str = "file:/gateway-memory-";

/// Closes a database that is to be renamed. Its log keeps the former name, so it must be empty: closing writes it into the
/// file, but ignores an error of that.
fn close(connection: Connection, context: &'static str) -> Result<(), Error> {
    connection.query_one(EMPTY_LOG, [], |_row| Ok(())).map_err(failed(context))?;
    connection.close().map_err(|(_connection, error)| failure(context, error))
}

/// Writes the log into the file and empties it. Returns 1 first if a reader of an older state prevents it.
pub(super) const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// A file that is to be renamed, in a private folder with everything that SQLite keeps beside it. Dropping this removes
/// the folder. Only the owner may read and write it.
struct Temporary {
    file: NamedTempFile,
    _folder: TempDir,
    /// Shows to [`sweep`] that the folder is in use.
    _lock: io::Result<File>,
}

/// Creates a file that is to be renamed to `path`, and removes what killed processes left of others.
fn temporary(path: &Path) -> Result<Temporary, Error> {
    let beside = directory(path);
    sweep(beside);
    let create = || {
        let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(beside)?;
        // A file system without locks has no sweep either.
        let lock = File::open(folder.path()).and_then(|lock| lock.lock().map(|()| lock));
        let file = NamedTempFile::new_in(folder.path())?;
        Ok(Temporary { file, _folder: folder, _lock: lock })
    };
    create().map_err(|error: io::Error| match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            let folder = beside.display();
            let text =
                format!("cannot write to the folder {folder}; make it writable, or choose another");
            Error::caused(ErrorKind::Io, text, error)
        }
        _ => error.into(),
    })
}

/// Removes what killed processes left in a folder: it contains personal data.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) || !name.contains(SUFFIX) {
            continue;
        }
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            // Earlier releases wrote files without a folder.
            let _ignored = std::fs::remove_file(path);
        } else if let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
            // The process that created an empty one is about to lock it.
            && std::fs::read_dir(&path).is_ok_and(|mut files| files.next().is_some())
        {
            let _ignored = std::fs::remove_dir_all(path);
        }
    }
}

const PREFIX: &str = ".gateway-";
const SUFFIX: &str = ".new";

/// Returns the directory of a file.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Checks that the file belongs to this program, has a known schema and has all of its tables.
fn verify(connection: &Connection, path: &Path) -> Result<(), Error> {
    let pragma = |name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(failed("cannot read the database header"))
    };
    if pragma("application_id")? != APPLICATION_ID {
        let context = format!("{} is a database of another program", path.display());
        return Err(Error::new(ErrorKind::StorageForeign, context));
    }
    schema::check(&path.display().to_string(), Some(pragma("user_version")?))?;
    // Reads every table once, so that a truncated file is found now and not in the middle of a response.
    for table in ["account", "token", "revision", "status", "vacancy", "candidate", "application"] {
        connection
            .prepare(&format!("SELECT 1 FROM {table} LIMIT 1"))
            .and_then(|mut statement| statement.exists([]))
            .map_err(|error| match error.sqlite_extended_error_code() {
                Some(ffi::SQLITE_ERROR) => {
                    let text = "the database is damaged: it lacks a table; restore a backup";
                    Error::new(ErrorKind::StorageCorrupt, text)
                }
                _ => failure("cannot read the database", error),
            })?;
    }
    Ok(())
}

/// Applies the additions to the schema that the database does not have, all or none.
fn upgrade(writer: &mut Connection) -> Result<(), Error> {
    let failed = || failed("cannot upgrade the database");
    if is_upgraded(writer)? {
        return Ok(());
    }
    let transaction =
        writer.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed())?;
    // Another process may have been faster.
    if !is_upgraded(&transaction)? {
        transaction.execute_batch(&schema::of_sqlite(schema::UPGRADE)).map_err(failed())?;
    }
    transaction.commit().map_err(failed())
}

/// Returns whether the database has all additions to the schema.
fn is_upgraded(connection: &Connection) -> Result<bool, Error> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE name = 'erasure'";
    connection
        .prepare(exists)
        .and_then(|mut statement| statement.exists([]))
        .map_err(failed("cannot read the database"))
}

/// `GWGW`, the application id in the header of every database of this program.
const APPLICATION_ID: i64 = 0x4757_4757;

/// Time that a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Writes the newest committed data to a new file.
///
/// The backup interface copies pages. `VACUUM INTO` would make a smaller file, but builds every table and index again.
pub(crate) fn backup(from: &Path, to: &Path) -> Result<(), Error> {
    let source = match unwritable(from)? {
        Some(name) => reader(&name)?,
        None => writer(from)?,
    };
    // Also refused at the end. This check is early, before a long copy.
    refuse_existing(to, "write the backup to another file")?;
    let folder = directory(to);
    if !folder.is_dir() {
        let (to, folder) = (to.display(), folder.display());
        let text = format!("cannot write {to}: the folder {folder} does not exist; create it");
        return Err(Error::new(ErrorKind::NotFound, text));
    }
    let new = temporary(to)?;
    let context = "cannot back up the database";
    let mut copy = Connection::open_with_flags(new.file.path(), MODE).map_err(failed(context))?;
    // The file is removed if the copy fails, and synced when it is complete.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        .map_err(failed(context))?;
    {
        let backup = Backup::new(&source, &mut copy).map_err(failed(context))?;
        // All pages in one step, which reads one snapshot. Between two steps, a write would restart the copy.
        if backup.step(-1).map_err(failed(context))? != StepResult::Done {
            let text = "the database is locked by another process; try again later";
            return Err(Error::new(ErrorKind::StorageBusy, text));
        }
    }
    copy.close().map_err(|(_copy, error)| failure(context, error))?;
    new.file.as_file().sync_all()?;
    match new.file.persist_noclobber(to) {
        Ok(_file) => sync_directory(to),
        Err(_) if to.exists() => refuse_existing(to, "write the backup to another file"),
        Err(error) => Err(error.error.into()),
    }
}

/// Creates a database from a backup, after checking it. With `replace`, an existing database is replaced, unless
/// another process uses it.
pub(crate) fn restore(from: &Path, to: &Path, replace: bool) -> Result<(), Error> {
    if let Some(log) = log_of(from).filter(|log| log.metadata().is_ok_and(|log| log.len() > 0)) {
        let (from, log) = (from.display(), log.display());
        let text = format!(
            "{from} is not a backup, because it has a log, {log}; make a backup of it with `gateway-server backup`"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    if !replace {
        refuse_existing(to, "restore into another file, or set --replace")?;
    }
    refuse_orphaned_log(to)?;
    let mut new = temporary(to)?;
    let mut source = File::open(from).map_err(|error| {
        let kind = Error::from(io::Error::from(error.kind())).kind();
        Error::caused(kind, format!("cannot read {}", from.display()), error)
    })?;
    if io::copy(&mut source, new.file.as_file_mut())? == 0 {
        return Err(empty(from));
    }
    check_copy(&new.file, from)?;
    new.file.as_file().sync_all()?;
    if !to.exists() {
        new.file.persist_noclobber(to).map_err(|error| error.error)?;
        return sync_directory(to);
    }
    let former = Former::lock(to)?;
    match new.file.persist(to) {
        Ok(_file) => sync_directory(to),
        Err(error) => {
            former.unlock();
            Err(error.error.into())
        }
    }
}

/// Checks the copy of a backup as `gateway-server check` does. `from` is the name of the backup.
fn check_copy(copy: &NamedTempFile, from: &Path) -> Result<(), Error> {
    let context = "cannot check the backup";
    let mut connection = connect(copy.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    verify(&connection, from)?;
    upgrade(&mut connection)?;
    let places = damaged_places(&connection)?;
    let mut copy = Sqlite::new(connection, None, context)?;
    let damage = check(&mut copy)?.damage;
    close(copy.connection, context)?;
    let Some(first) = places.iter().chain(&damage).next() else { return Ok(()) };
    let text = format!("{} is damaged: {first}; restore another backup", from.display());
    Err(Error::new(ErrorKind::StorageCorrupt, text))
}

/// A database that is about to be replaced, locked and without a log.
struct Former(Connection);

impl Former {
    /// Locks the database. Fails if another process has it open.
    fn lock(path: &Path) -> Result<Self, Error> {
        let locked = || {
            let connection = Connection::open_with_flags(path, MODE)?;
            connection.busy_timeout(Duration::ZERO)?;
            // Removes the log, which would not belong to the new file. SQLite allows it only to the last user.
            connection.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")?;
            Ok(connection)
        };
        locked().map(Self).map_err(|error: rusqlite::Error| {
            let path = path.display();
            let text = match error.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => format!(
                    "cannot replace {path}: another process uses it; stop all programs that use it"
                ),
                _ => format!(
                    "cannot replace {path}; stop all programs that use it, move it and its log {path}-wal away, and \
                     restore without --replace"
                ),
            };
            Error::caused(ErrorKind::StorageBusy, text, error)
        })
    }

    /// Puts the database back into use.
    fn unlock(self) {
        // A database without a log works too, only more slowly for concurrent readers.
        drop(self.0.execute_batch("ROLLBACK; PRAGMA journal_mode = WAL"));
    }
}

fn refuse_existing(path: &Path, next: &str) -> Result<(), Error> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Exists, format!("{} already exists; {next}", path.display())))
}

/// Writes the new name of a file to the disk.
fn sync_directory(path: &Path) -> Result<(), Error> {
    File::open(directory(path))?.sync_all()?;
    Ok(())
}

const MODE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
