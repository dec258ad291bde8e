//! Backups of a mirror in use, the list of backups, and restoring from them. The list is a separate file, so that it
//! can be written while another process is syncing, and survives a restore.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rusqlite::{Connection, OpenFlags};
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind};
use crate::fields::Hash;
use crate::mirror::Mirror;
use crate::store::files::{self, Existing, Lock, Partial, failed};
use crate::store::{OrFailed as _, Store, empty_log, integer, renew, sqlite_failed};

/// A backup in a mirror's list of backups, whether or not its file still exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Backup {
    /// The path of the backup when it was made.
    pub path: PathBuf,
    /// When the backup was made, in seconds since 1970 (UTC).
    pub at: i64,
}

impl Mirror {
    /// Writes the last committed state to a file that only its owner can read, even while another process is syncing.
    ///
    /// The file appears only once it is complete. It is a mirror as well, with the records, the feed, the consumers and
    /// the secret. When it is opened or restored, it becomes another mirror, which refuses older cursors. The mirror
    /// remembers the path, and [`forget`](Self::forget) names it.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if the file exists and may not be replaced, or cannot be written, and
    /// [`ErrorKind::Store`] if the mirror is in memory, or SQLite fails.
    ///
    /// ```
    /// use methodical_mirror::{Error, Existing, Mirror};
    ///
    /// /// Replaces the backup of yesterday.
    /// fn back_up(mirror: &Mirror) -> Result<(), Error> {
    ///     mirror.backup("/var/backups/mirror.db", Existing::Replace)
    /// }
    /// ```
    pub fn backup(&self, to: impl AsRef<Path>, existing: Existing) -> Result<(), Error> {
        let (to, at, store) = (to.as_ref(), self.now(), self.store());
        let mirror = store.path("back up")?;
        files::sweep(to);
        // Also refused at the end; check now, before a long copy.
        if existing == Existing::Refuse && to.symlink_metadata().is_ok() {
            return Err(files::exists(to));
        }
        let same = |path: &Path| path.canonicalize().ok();
        if same(to).is_some_and(|to| same(mirror) == Some(to)) {
            let text = format!(
                "cannot back up to {}: it is the mirror itself; choose another file",
                to.display()
            );
            return Err(Error::new(ErrorKind::Io, text));
        }
        let path = utf8("back up to", to)?;
        let file = Partial::create(to)?;
        // Before the copy, so that a concurrent erasure names it.
        add(mirror, &Backup { path, at })?;
        copy(&store.connection, file.path())?;
        file.finish(to, existing)
    }

    /// Restores a backup to a file, after checking it as [`check`](Self::check) does. The file appears, or is replaced,
    /// only once the restored mirror is complete.
    ///
    /// The restored mirror has a new identity: it refuses all earlier cursors, because it will reuse the numbers of
    /// changes that readers may have seen with other contents. Readers must take a new snapshot. Its own consumers keep
    /// their positions, and the ids of their events remain unique.
    ///
    /// Records that the replaced mirror had forgotten are forgotten in the restored mirror, which also remembers the
    /// copies of the replaced one. If no mirror is replaced, forget such records again.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Io`] if the file exists and may not be replaced, [`ErrorKind::Foreign`] if the backup is
    /// damaged or not a mirror, or if the file to replace is not a readable mirror, [`ErrorKind::OtherSource`] if that
    /// file is another mirror, and [`ErrorKind::Busy`] if a program has it open. After an error, the file is unchanged.
    ///
    /// ```
    /// use methodical_mirror::{Existing, Mirror, Source};
    ///
    /// # let folder = tempfile::tempdir()?;
    /// # let (path, copy) = (folder.path().join("mirror.db"), folder.path().join("copy.db"));
    /// let source = Source::new("https://gateway.example.com", "me");
    /// let mirror = Mirror::open(&path, &source)?;
    /// mirror.backup(&copy, Existing::Refuse)?;
    /// let cursor = mirror.cursor()?;
    /// drop(mirror);
    ///
    /// Mirror::restore(&copy, &path, Existing::Replace)?;
    /// let restored = Mirror::open(&path, &source)?;
    /// assert!(restored.changes(Some(&cursor), 100).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn restore(
        backup: impl AsRef<Path>,
        path: impl AsRef<Path>,
        existing: Existing,
    ) -> Result<(), Error> {
        let (from, to) = (backup.as_ref(), path.as_ref());
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = integer(since.as_secs());
        let refused = |kind, why: String| {
            Error::new(kind, format!("cannot restore {}: {why}", from.display()))
        };
        let path = utf8("restore", from)?;
        let log = files::with_suffix(from, "-wal");
        if files::has_contents(&log) {
            let why = format!(
                "it has the log {}, so it is in use or not a backup; make a backup of it",
                log.display()
            );
            return Err(refused(ErrorKind::Foreign, why));
        }
        let has_former = to.symlink_metadata().is_ok();
        if has_former && existing == Existing::Refuse {
            return Err(files::exists(to));
        }
        files::create_folder(to)?;
        files::sweep(to);
        let file = Partial::create(to)?;
        let mut source = File::open(from).map_err(|error| failed("read", from, error))?;
        (File::options().write(true).open(file.path()))
            .and_then(|mut copy| io::copy(&mut source, &mut copy))
            .map_err(|error| failed("copy", from, error))?;

        let mut copy = Store::open(file.path(), None).map_err(|error| {
            let kind = match error.kind() {
                ErrorKind::Store => ErrorKind::Foreign,
                kind => kind,
            };
            refused(kind, format!("{error}; choose another backup"))
        })?;
        if let Some(finding) = copy.check()?.findings.first() {
            let why = format!("it is damaged: {}; choose another backup", finding.cause);
            return Err(refused(ErrorKind::Foreign, why));
        }
        let _lock = Lock::take(to)?;
        if has_former {
            forget_again(&mut copy, to, at)?;
        }
        renew(&copy.connection, "TRUE")?;
        // The log keeps the partial file's name. Closing also writes the log into the file, but ignores errors.
        empty_log(&copy.connection)?;
        drop(copy);
        if has_former {
            replace(file, to)?;
        } else {
            refuse_log(to)?;
            file.finish(to, Existing::Refuse)?;
        }
        if backups(to)?.iter().all(|backup| backup.path != path) {
            add(to, &Backup { path, at })?;
        }
        Ok(())
    }
}

/// Copies a database into an empty file and marks the file as a copy.
fn copy(source: &Connection, to: &Path) -> Result<(), Error> {
    let name = utf8("back up to", to)?;
    source.execute("VACUUM INTO ?1", (name.to_str(),)).or_failed()?;
    let copy = Connection::open_with_flags(to, FLAGS).or_failed()?;
    copy.execute_batch("PRAGMA journal_mode = WAL; UPDATE mirror_meta SET is_copy = 1")
        .or_failed()?;
    // The log keeps the partial file's name. Closing also writes the log into the file, but ignores errors.
    empty_log(&copy)?;
    copy.close().map_err(|(_copy, error)| sqlite_failed(error))
}

/// Returns the backups on a mirror's list, ordered by path.
pub(crate) fn backups(mirror: &Path) -> Result<Vec<Backup>, Error> {
    let path = list_of(mirror);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("read", &path, error)),
    };
    // An incomplete line belongs to a backup that never began.
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Backup>(line).ok());
    let backups: BTreeMap<_, _> = lines.map(|backup| (backup.path.clone(), backup)).collect();
    Ok(backups.into_values().collect())
}

fn add(mirror: &Path, backup: &Backup) -> Result<(), Error> {
    let path = list_of(mirror);
    let append = || {
        let mut line = serde_json::to_vec(backup)?;
        line.push(b'\n');
        drop(files::private(&path)?);
        let mut list = fs::OpenOptions::new().append(true).open(&path)?;
        list.write_all(&line)?;
        list.sync_all()
    };
    append().map_err(|error| failed("write", &path, error))
}

fn list_of(mirror: &Path) -> PathBuf {
    files::with_suffix(mirror, ".backups")
}

/// Returns the absolute path of a backup. The list of backups and the database take only UTF-8.
fn utf8(verb: &str, backup: &Path) -> Result<PathBuf, Error> {
    let path = std::path::absolute(backup).map_err(|error| failed("find", backup, error))?;
    if path.to_str().is_none() {
        let path = path.display();
        let text = format!("cannot {verb} {path}: its path is not UTF-8; choose another path");
        return Err(Error::new(ErrorKind::Io, text));
    }
    Ok(path)
}

/// Forgets in a restored copy the records that the former mirror had forgotten, and adds the former mirror's copies.
fn forget_again(copy: &mut Store, former: &Path, at: i64) -> Result<(), Error> {
    let path = former.display();
    let former = Store::open(former, None).map_err(|error| {
        let text = format!(
            "cannot replace {path}: {error}; to restore here anyway, move it and its log {path}-wal away, restore again, and forget again \
             the records that it had forgotten"
        );
        Error::new(error.kind(), text)
    })?;
    if former.identity.secret != copy.identity.secret {
        let text = format!(
            "cannot replace {path}: the backup belongs to another mirror; choose another file"
        );
        return Err(Error::new(ErrorKind::OtherSource, text));
    }
    let forgotten = former.query("SELECT table_name, id FROM mirror_suppressed", (), |row| {
        Ok((row.get::<_, String>(0)?, Hash(row.get(1)?)))
    })?;
    let copies = former.copies()?;
    drop(former);
    copy.change(|copy| {
        copies.iter().try_for_each(|(target, read_at)| copy.note_copy(target, Some(*read_at)))?;
        forgotten.iter().try_for_each(|(table, id)| copy.suppress(table, *id, at))?;
        copy.find_all(Some(at)).map(drop)
    })
}

/// Refuses a log that SQLite would mistake for the log of the restored file.
fn refuse_log(to: &Path) -> Result<(), Error> {
    let logs = ["-wal", "-journal"].map(|suffix| files::with_suffix(to, suffix));
    let Some(log) = logs.iter().find(|log| files::has_contents(log)) else { return Ok(()) };
    let text = format!(
        "cannot restore to {}: the log {} of another file is in the way; move it away",
        to.display(),
        log.display()
    );
    Err(Error::new(ErrorKind::Foreign, text))
}

/// Replaces a mirror. Fails if a program has it open.
fn replace(file: Partial, to: &Path) -> Result<(), Error> {
    let locked = || {
        let connection = Connection::open_with_flags(to, FLAGS)?;
        connection.busy_timeout(Duration::ZERO)?;
        // Removes the log, which would not belong to the new file. SQLite lets only the last connection do so.
        connection.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")?;
        Ok(connection)
    };
    let former = locked().map_err(|error: rusqlite::Error| {
        let text = format!(
            "cannot replace {}: another program is using it; stop all programs that use it",
            to.display()
        );
        Error::new(ErrorKind::Busy, text).because(error)
    })?;
    file.finish(to, Existing::Replace).inspect_err(|_| {
        // A mirror without a log works too, only more slowly for concurrent readers.
        drop(former.execute_batch("ROLLBACK; PRAGMA journal_mode = WAL"));
    })
}

const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);
