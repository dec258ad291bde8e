//! Backups of a database in use, and databases restored from them.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use tempfile::NamedTempFile;

use crate::error::{Error, ErrorKind};
use crate::store::sqlite::failure::{failed, failure};
use crate::store::sqlite::{check, open};

/// Writes the newest committed data to a new file.
///
/// The backup interface copies pages. `VACUUM INTO` would make a smaller file, but builds every table and index again.
pub(super) fn backup(source: &Connection, to: &Path) -> Result<(), Error> {
    // Also refused at the end. This check is early, before a long copy.
    refuse_existing(to, "write the backup to another file")?;
    let folder = open::directory(to);
    if !folder.is_dir() {
        let (to, folder) = (to.display(), folder.display());
        let text = format!("cannot write {to}: the folder {folder} does not exist; create it");
        return Err(Error::new(ErrorKind::NotFound, text));
    }
    let new = open::temporary(to)?;
    let context = "cannot back up the database";
    let mut copy = Connection::open_with_flags(new.file.path(), MODE).map_err(failed(context))?;
    // The file is removed if the copy fails, and synced when it is complete.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        .map_err(failed(context))?;
    {
        let backup = Backup::new(source, &mut copy).map_err(failed(context))?;
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
pub(super) fn restore(from: &Path, to: &Path, replace: bool) -> Result<(), Error> {
    if let Some(log) =
        open::log_of(from).filter(|log| log.metadata().is_ok_and(|log| log.len() > 0))
    {
        let (from, log) = (from.display(), log.display());
        let text = format!(
            "{from} is not a backup, because it has a log, {log}; make a backup of it with `gateway-server backup`"
        );
        return Err(Error::new(ErrorKind::StorageForeign, text));
    }
    if !replace {
        refuse_existing(to, "restore into another file, or set --replace")?;
    }
    open::refuse_orphaned_log(to)?;
    let mut new = open::temporary(to)?;
    let mut source = File::open(from).map_err(|error| {
        let kind = Error::from(io::Error::from(error.kind())).kind();
        Error::caused(kind, format!("cannot read {}", from.display()), error)
    })?;
    if io::copy(&mut source, new.file.as_file_mut())? == 0 {
        return Err(open::empty(from));
    }
    check(&new.file, from)?;
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
fn check(copy: &NamedTempFile, from: &Path) -> Result<(), Error> {
    let mut connection = open::connect(copy.path(), OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    open::verify(&connection, from)?;
    open::upgrade(&mut connection)?;
    let damage = check::check(&connection)?.damage;
    open::close(connection, "cannot check the backup")?;
    let Some(first) = damage.first() else { return Ok(()) };
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
    File::open(open::directory(path))?.sync_all()?;
    Ok(())
}

const MODE: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
