//! Backups of a file in use, and the list of those that were made: a file beside the mirror, so that it can be written while
//! another process syncs, and outlives a restore.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use rusqlite::backup::{Backup as Copy, StepResult};
use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::keep::backup::{Backup, Existing};
use crate::store::failure::failed;
use crate::store::files;
use crate::store::partial::{self, Partial};
use crate::store::traces::EMPTY_LOG;

/// Writes the last committed state of a mirror to a file.
pub(crate) fn write(
    mirror: &Path,
    source: &Connection,
    to: &Path,
    existing: Existing,
    at: i64,
) -> Result<(), Error> {
    partial::sweep(to);
    // Also refused at the end. This check is early, before a long copy.
    if existing == Existing::Refuse && to.symlink_metadata().is_ok() {
        return Err(partial::exists(to));
    }
    let same = |path: &Path| path.canonicalize().ok();
    if same(to).is_some_and(|to| same(mirror) == Some(to)) {
        let text = format!("cannot back up to {}: it is the mirror itself", to.display());
        return Err(Error::new(ErrorKind::Io, text));
    }
    let file = Partial::create(to)?;
    // Before the copy, so that an erasure at the same time names it.
    let path = std::path::absolute(to).map_err(|error| partial::failed("find", to, error))?;
    add(mirror, &Backup { path, at })?;
    copy(source, file.path())?;
    file.finish(to, existing)
}

fn copy(source: &Connection, to: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || Connection::open_with_flags(to, flags).map_err(failed);
    let mut copy = open()?;
    // The file is removed if the copy fails, and synced when it is complete.
    copy.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF").map_err(failed)?;
    {
        let backup = Copy::new(source, &mut copy).map_err(failed)?;
        // All pages in one step, which reads one snapshot. Between two steps, a write would restart the copy.
        if backup.step(-1).map_err(failed)? != StepResult::Done {
            let text = "cannot back up the mirror: another process locks it; try again later";
            return Err(Error::new(ErrorKind::Busy, text));
        }
    }
    copy.close().map_err(|(_copy, error)| failed(error))?;
    let copy = open()?;
    copy.execute_batch("UPDATE mirror_meta SET is_copy = 1").map_err(failed)?;
    // The log keeps the former name. Closing writes it into the file too, but ignores an error of that.
    copy.query_row(EMPTY_LOG, (), |_row| Ok(())).map_err(failed)?;
    copy.close().map_err(|(_copy, error)| failed(error))
}

/// A line of the list.
#[derive(Serialize, Deserialize)]
struct Line {
    path: PathBuf,
    at: i64,
}

/// Adds a backup to the list.
pub(crate) fn add(mirror: &Path, backup: &Backup) -> Result<(), Error> {
    let path = list_of(mirror);
    append(&path, backup).map_err(|error| partial::failed("write", &path, error))
}

fn append(path: &Path, Backup { path: to, at }: &Backup) -> io::Result<()> {
    let mut line = serde_json::to_vec(&Line { path: to.clone(), at: *at })?;
    line.push(b'\n');
    drop(files::private(path)?);
    let mut list = fs::OpenOptions::new().append(true).open(path)?;
    list.write_all(&line)?;
    list.sync_all()
}

/// Returns the backups of the list, by path.
pub(crate) fn all(mirror: &Path) -> Result<Vec<Backup>, Error> {
    let path = list_of(mirror);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(partial::failed("read", &path, error)),
    };
    let mut backups = BTreeMap::new();
    for line in text.lines() {
        // A line that was cut names a backup that was not begun.
        if let Ok(Line { path, at }) = serde_json::from_str(line) {
            backups.insert(path, at);
        }
    }
    Ok(backups.into_iter().map(|(path, at)| Backup { path, at }).collect())
}

/// Removes a backup from the list. Returns whether it was there.
pub(crate) fn remove(mirror: &Path, path: &Path) -> Result<bool, Error> {
    let absolute =
        std::path::absolute(path).map_err(|error| partial::failed("find", path, error))?;
    let (removed, kept): (Vec<_>, Vec<_>) =
        all(mirror)?.into_iter().partition(|backup| backup.path == absolute);
    if removed.is_empty() {
        return Ok(false);
    }
    let list = list_of(mirror);
    let file = Partial::create(&list)?;
    for backup in &kept {
        append(file.path(), backup).map_err(|error| partial::failed("write", &list, error))?;
    }
    file.finish(&list, Existing::Replace)?;
    Ok(true)
}

/// Removes what killed processes left of backups.
pub(crate) fn sweep(mirror: &Path) -> Result<(), Error> {
    partial::sweep(mirror);
    for backup in all(mirror)? {
        partial::sweep(&backup.path);
    }
    Ok(())
}

fn list_of(mirror: &Path) -> PathBuf {
    files::beside(mirror, ".backups")
}
