//! Creates, opens, backs up and restores the database file. A file that is refused stays unchanged.

use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tempfile::{NamedTempFile, TempDir};

use crate::error::{Error, ErrorKind};
use crate::store::check::check;
use crate::store::db::{SCHEMA, VERSION, check_schema};
use crate::store::sqlite::{Sqlite, damaged_places, failed, failure};

pub(in crate::store) fn create_if_missing(path: &Path) -> Result<(), Error> {
    refuse_orphaned_log(path)?;
    if is_missing(path) { create(path) } else { Ok(()) }
}

/// Refuses a log without its database. SQLite would write the log's content into a new database with the same name.
fn refuse_orphaned_log(path: &Path) -> Result<(), Error> {
    // Look for the log first: a process that creates the database concurrently puts it in place before it writes a log.
    let Some(log) = log_of(path).filter(|_| is_missing(path)) else { return Ok(()) };
    let (path, log) = (path.display(), log.display());
    let why = format!("the file is missing, but its log {log} exists");
    let text = format!("cannot use {path}: {why}; restore the file, or remove the log");
    Err(Error::new(ErrorKind::StorageForeign, text))
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

/// Finds the log of a database, if the log may contain changes that the file lacks.
fn filled_log_of(path: &Path) -> Option<PathBuf> {
    log_of(path).filter(|log| log.metadata().is_ok_and(|log| log.len() > 0))
}

fn is_missing(path: &Path) -> bool {
    matches!(path.try_exists(), Ok(false))
}

pub(super) fn writer(path: &Path) -> Result<Connection, Error> {
    if !is_uri(path) {
        let shown = path.display();
        match std::fs::metadata(path) {
            // SQLite would open an empty file as a new database.
            Ok(file) if file.len() == 0 => return Err(empty(path)),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = format!(
                    "cannot open the database {shown}: the file does not exist; check the name, or create it with \
                     `gateway-server account create`"
                );
                return Err(Error::new(ErrorKind::NotFound, text));
            }
            Err(error) => return Err(Error::unreadable(shown, error)),
        }
    }
    let writer = verify(connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?, path)?;
    // FULL, so that an acknowledged import or token survives a power cut.
    let settings =
        "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384";
    writer.execute_batch(settings).map_err(failed("cannot set up the database"))?;
    Ok(writer)
}

fn empty(path: &Path) -> Error {
    let text = format!(
        "cannot open the database {}: the file is empty; remove it, and create the database or restore a backup",
        path.display()
    );
    Error::new(ErrorKind::StorageForeign, text)
}

pub(super) fn reader(path: &Path) -> Result<Connection, Error> {
    let reader = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // No memory map, because it would count the file towards this process's memory once per connection, and turn read
    // errors into signals. QPSG keeps SQLite from planning a statement again for every new value, which costs more than
    // running it.
    reader
        .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -1024; PRAGMA mmap_size = 0")
        .and_then(|()| reader.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true))
        .map_err(failed("cannot open the database for reading"))?;
    reader.set_prepared_statement_cache_capacity(32);
    Ok(reader)
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, Error> {
    let uri = if is_uri(path) { OpenFlags::SQLITE_OPEN_URI } else { OpenFlags::empty() };
    let open = || {
        let mode = mode | uri | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, mode)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // Otherwise, a damaged page could lead SQLite to bytes that are not a row.
        connection.execute_batch("PRAGMA cell_size_check = ON")?;
        Ok(connection)
    };
    open().map_err(failed("cannot open the database"))
}

/// Returns whether a path is a URI, which names an in-memory database or a file that does not change.
fn is_uri(path: &Path) -> bool {
    path.to_string_lossy().starts_with("file:")
}

/// Creates the database under a temporary name and renames it, so that a crash leaves no incomplete file behind.
fn create(path: &Path) -> Result<(), Error> {
    let new = temporary(path)?;
    let connection = connect(new.file.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    make_tables(&connection)?;
    close(connection, "cannot create the database")?;
    match publish(new, path, "open it") {
        // Another process was faster, and its database is equivalent.
        Err(error) if error.kind() == ErrorKind::Exists => Ok(()),
        published => published,
    }
}

fn make_tables(connection: &Connection) -> Result<(), Error> {
    let tables = SCHEMA
        .replace("BIGINT", "INTEGER")
        .replace("BYTEA", "BLOB")
        .replace("\n);", "\n) STRICT, WITHOUT ROWID;");
    let all = format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA journal_mode = WAL; \
         BEGIN; {tables} PRAGMA user_version = {VERSION}; COMMIT"
    );
    connection.execute_batch(&all).map_err(failed("cannot create the database"))
}

/// Creates an in-memory database, which lives as long as a connection to it. Returns its name and the first connection.
pub(super) fn in_memory() -> Result<(PathBuf, Connection), Error> {
    static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let path = PathBuf::from(format!("file:/gateway-memory-{number}?vfs=memdb"));
    let mode = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let writer = connect(&path, mode)?;
    make_tables(&writer)?;
    Ok((path, writer))
}

/// Returns the name under which SQLite reads a file that this process cannot write: without its log and without locks.
/// Returns `None` if the file can be written. Fails if it has a log, which may contain changes that the file lacks.
pub(super) fn unwritable(path: &Path) -> Result<Option<PathBuf>, Error> {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    let opened = File::options().write(true).open(path);
    if !opened.is_err_and(|error| matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)) {
        return Ok(None);
    }
    let path = path.canonicalize()?;
    if filled_log_of(&path).is_some() {
        let path = path.display();
        let text = format!(
            "cannot read {path}: it is read-only, and its log may have changes that it lacks; run this command where it \
             is writable"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    let escaped =
        path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let name = PathBuf::from(format!("file:{escaped}?immutable=1"));
    verify(reader(&name)?, &path)?;
    Ok(Some(name))
}

/// Returns the device and the inode of a file.
pub(super) fn identity(path: &Path) -> Option<(u64, u64)> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Closes a database before it is renamed. Its log keeps the old name, so it must be empty. Closing a connection writes
/// the log into the file, but ignores errors, so this function writes it first.
fn close(connection: Connection, context: &'static str) -> Result<(), Error> {
    connection.query_one(EMPTY_LOG, [], |_row| Ok(())).map_err(failed(context))?;
    connection.close().map_err(|(_connection, error)| failure(context, error))
}

/// Writes the log into the file and empties it. The first column is 1 if a reader of an older state prevents this.
pub(super) const EMPTY_LOG: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// A file to be renamed later, in a private folder with everything that SQLite keeps next to it. Only the owner can
/// access the folder. Dropping this value removes the folder.
struct Temporary {
    file: NamedTempFile,
    folder: TempDir,
    /// Shows [`sweep`] that the folder is in use. On a file system without locks, nothing is swept.
    _lock: io::Result<File>,
}

/// Creates a file that is to be renamed to `path`, and removes any that killed processes left behind.
fn temporary(path: &Path) -> Result<Temporary, Error> {
    let beside = directory(path);
    sweep(beside);
    let create = || {
        let folder = tempfile::Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(beside)?;
        let lock = File::open(folder.path()).and_then(|lock| lock.lock().map(|()| lock));
        let file = NamedTempFile::new_in(folder.path())?;
        Ok(Temporary { file, folder, _lock: lock })
    };
    create().map_err(|error: io::Error| {
        let (path, folder) = (path.display(), beside.display());
        // The message of the cause is omitted, because it names the temporary file.
        let cause = Error::from(io::Error::from(error.kind()));
        let text = match error.kind() {
            io::ErrorKind::NotFound => {
                format!("cannot write {path}: the folder {folder} does not exist; create it")
            }
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                format!("cannot write to the folder {folder}; make it writable, or choose another")
            }
            _ => return Error::caused(cause.kind(), format!("cannot write {path}"), cause),
        };
        Error::new(cause.kind(), text)
    })
}

/// Removes files that killed processes left in a folder, because they contain personal data.
fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        if name.starts_with(PREFIX)
            && name.ends_with(SUFFIX)
            && let Ok(lock) = File::open(&path)
            && lock.try_lock().is_ok()
            // The process that created an empty folder is about to lock it.
            && std::fs::read_dir(&path).is_ok_and(|mut files| files.next().is_some())
        {
            let _ignored = std::fs::remove_dir_all(path);
        }
    }
}

const PREFIX: &str = ".gateway-";
const SUFFIX: &str = ".new";

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Checks that the file belongs to this program and has its schema. `path` identifies the file in errors.
fn verify(connection: Connection, path: &Path) -> Result<Connection, Error> {
    let name = path.display().to_string();
    let pragma = |name| {
        let value = connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        value.map_err(failed("cannot read the database header"))
    };
    if pragma("application_id")? != APPLICATION_ID {
        let text = format!("{name} is not a database of gateway-server; check the name");
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    let version = Some(pragma("user_version")?);
    let mut file = Sqlite { connection, context: "cannot read the database" };
    check_schema(&mut file, &name, version)?;
    Ok(file.connection)
}

/// `GWGW`, the application id in the header of every database of this program.
const APPLICATION_ID: i64 = 0x4757_4757;

/// Maximum time that a writer waits for another.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

/// Writes the newest committed data to a new file.
///
/// The backup interface copies pages. `VACUUM INTO` would create a smaller file, but rebuilds every table and index.
pub(crate) fn backup(from: &Path, to: &Path) -> Result<(), Error> {
    let source = match unwritable(from)? {
        Some(name) => reader(&name)?,
        None => writer(from)?,
    };
    // An existing file is also refused at the end; check now, before a long copy.
    refuse_existing(to, "write the backup to another file")?;
    let new = temporary(to)?;
    let context = "cannot back up the database";
    let copied = || {
        let mut copy = Connection::open_with_flags(new.file.path(), MODE)?;
        // The file is removed if the copy fails, and synced when it is complete.
        copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")?;
        // Copy all pages in one step, which reads one snapshot. A write between two steps would restart the copy.
        let done = Backup::new(&source, &mut copy)?.step(-1)?;
        copy.close().map_err(|(_copy, error)| error)?;
        Ok(done)
    };
    if copied().map_err(failed(context))? != StepResult::Done {
        let text = "the database is locked by another process; try again later";
        return Err(Error::new(ErrorKind::StorageBusy, text));
    }
    publish(new, to, "write the backup to another file")
}

/// Creates a database from a backup, after checking it.
pub(crate) fn restore(from: &Path, to: &Path) -> Result<(), Error> {
    if let Some(log) = filled_log_of(from) {
        let (from, log) = (from.display(), log.display());
        let text = format!(
            "{from} is not a backup, because it has a log, {log}; make a backup of it with `gateway-server backup`"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    let next = "restore into another file, or move this one and its log away";
    refuse_existing(to, next)?;
    refuse_orphaned_log(to)?;
    let mut new = temporary(to)?;
    let mut source = File::open(from).map_err(|error| Error::unreadable(from.display(), error))?;
    if io::copy(&mut source, new.file.as_file_mut())? == 0 {
        return Err(empty(from));
    }
    check_copy(&new.file, from)?;
    publish(new, to, next)
}

/// Renames a complete file, unless another file has that name.
fn publish(new: Temporary, to: &Path, next: &str) -> Result<(), Error> {
    let Temporary { file, folder, .. } = new;
    file.as_file().sync_all()?;
    match file.persist_noclobber(to) {
        Ok(_file) => {
            // Done before the slow part, because no later run removes an empty folder.
            drop(folder);
            sync_directory(to)
        }
        Err(_) if to.exists() => refuse_existing(to, next),
        Err(error) => Err(error.error.into()),
    }
}

/// Checks the copy of a backup as `gateway-server check` does. `from` is the name of the backup.
fn check_copy(copy: &NamedTempFile, from: &Path) -> Result<(), Error> {
    let context = "cannot check the backup";
    let connection = verify(connect(copy.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?, from)?;
    let places = damaged_places(&connection)?;
    let mut copy = Sqlite { connection, context };
    let damage = check(&mut copy)?.damage;
    close(copy.connection, context)?;
    let Some(first) = places.iter().chain(&damage).next() else { return Ok(()) };
    let text = format!("{} is damaged: {first}; restore another backup", from.display());
    Err(Error::new(ErrorKind::StorageCorrupt, text))
}

fn refuse_existing(path: &Path, next: &str) -> Result<(), Error> {
    if path.symlink_metadata().is_err() {
        return Ok(());
    }
    Err(Error::new(ErrorKind::Exists, format!("{} already exists; {next}", path.display())))
}

/// Syncs the new name of a file to disk.
fn sync_directory(path: &Path) -> Result<(), Error> {
    Ok(File::open(directory(path))?.sync_all()?)
}

const MODE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
