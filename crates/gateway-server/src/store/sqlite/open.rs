//! Opening the file: ours and whole, or refused and left as it is.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, ErrorKind};
use crate::store::sqlite::{failed, failure, migrate};

/// Makes the file if there is none.
pub(super) fn make(path: &Path) -> Result<(), Error> {
    let is_missing = |error: std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    // The remains first: another process may be making the file, and has it in place before it writes a log.
    let remains = remains(path);
    if !std::fs::metadata(path).is_err_and(is_missing) {
        return Ok(());
    }
    let Some(remains) = remains else { return create(path) };
    let (path, remains) = (path.display(), remains.display());
    let context = format!(
        "{path} is gone and {remains}, which belongs to it, is not: put {path} back, or remove both"
    );
    Err(Error::new(ErrorKind::StorageForeign, context))
}

/// Finds the log of a database. SQLite would write what it holds into a new database of the same name.
fn remains(path: &Path) -> Option<PathBuf> {
    ["-wal", "-journal"].into_iter().find_map(|suffix| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        let remains = PathBuf::from(name);
        remains.exists().then_some(remains)
    })
}

/// Opens the file for writing.
pub(super) fn writer(path: &Path) -> Result<Connection, Error> {
    match std::fs::metadata(path) {
        // A file that was cut to nothing would open as a new, empty database.
        Ok(file) if file.len() == 0 => {
            let context = format!("{} is empty, not a database", path.display());
            return Err(Error::new(ErrorKind::StorageForeign, context));
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let context = format!("there is no database {}", path.display());
            return Err(Error::new(ErrorKind::NotFound, context));
        }
        Err(error) => {
            let context = format!("{} cannot be read", path.display());
            return Err(Error::caused(ErrorKind::Io, context, error));
        }
    }
    let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    verify(&mut writer, path)?;
    // FULL: what an import or a new token acknowledged survives a power cut.
    writer
        .execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -16384",
        )
        .map_err(failed("setting up the database"))?;
    Ok(writer)
}

/// Opens the file for reading only.
pub(super) fn reader(path: &Path) -> Result<Connection, Error> {
    let reader = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    // No memory map: it would count the file into this process once per connection and turn read errors into signals.
    reader
        .execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -1024; PRAGMA mmap_size = 0")
        .map_err(failed("setting up a reader"))?;
    // Otherwise a statement is planned anew for every new value, which costs more than running it.
    reader
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(failed("setting up a reader"))?;
    reader.set_prepared_statement_cache_capacity(32);
    Ok(reader)
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)
        .map_err(failed("opening the database"))?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed("opening the database"))?;
    Ok(connection)
}

/// Makes the database beside its final name and moves it there whole: a crash leaves no half-made file behind.
fn create(path: &Path) -> Result<(), Error> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let file =
        tempfile::Builder::new().prefix(".gateway-").suffix(".new").tempfile_in(directory)?;
    let new = connect(file.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    new.execute_batch(&format!(
        "PRAGMA application_id = {APPLICATION_ID}; PRAGMA journal_mode = WAL; \
         BEGIN; {SCHEMA} PRAGMA user_version = {VERSION}; COMMIT"
    ))
    .map_err(failed("creating the database"))?;
    new.close().map_err(|(_connection, error)| failure("creating the database", error))?;
    match file.persist_noclobber(path) {
        Ok(_file) => Ok(()),
        // Another process was faster: its database is as good.
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error.error.into()),
    }
}

fn verify(connection: &mut Connection, path: &Path) -> Result<(), Error> {
    let pragma = |connection: &Connection, name| {
        connection
            .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
            .map_err(failed("reading the database header"))
    };
    let refused = |kind, why: &str| Err(Error::new(kind, format!("{} {why}", path.display())));
    if pragma(connection, "application_id")? != APPLICATION_ID {
        return refused(ErrorKind::StorageForeign, "is a database of another program");
    }
    match pragma(connection, "user_version")? {
        VERSION => {}
        1..VERSION => migrate::run(connection)?,
        newer if newer > VERSION => {
            return refused(ErrorKind::StorageNewer, "was written by a newer release");
        }
        _ => return refused(ErrorKind::StorageCorrupt, "has no known version"),
    }
    // Touches every table once, so that a file cut short is found now and not in the middle of an answer.
    for table in ["account", "token", "revision", "status", "vacancy", "candidate", "application"] {
        connection
            .prepare(&format!("SELECT 1 FROM {table} LIMIT 1"))
            .and_then(|mut statement| statement.exists([]))
            .map_err(failed("reading the database"))?;
    }
    Ok(())
}

/// `GWGW`, in the header of every database of this program.
const APPLICATION_ID: i64 = 0x4757_4757;

/// The version of the schema this release writes.
const VERSION: i64 = 3;

const SCHEMA: &str = include_str!("schema.sql");

/// How long a writer waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
