//! Replaces a mirror by a backup.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, ErrorKind};
use crate::fields::hash::Hash;
use crate::keep::backup::{Backup, Existing};
use crate::keep::check::check;
use crate::keep::forget::forget_all;
use crate::store::failure::failed;
use crate::store::lock::Lock;
use crate::store::partial::{self, Partial};
use crate::store::traces::EMPTY_LOG;
use crate::store::{Store, backup, files, open};

/// The forgotten identities of each table.
type Suppressed = HashMap<String, HashSet<Hash>>;

/// Restores a backup. Returns how many records were forgotten again.
pub(crate) fn restore(from: &Path, to: &Path, existing: Existing, at: i64) -> Result<u64, Error> {
    let refused = |kind, why: String| {
        let text = format!("cannot restore {}: {why}", from.display());
        Error::new(kind, text)
    };
    let log = files::beside(from, "-wal");
    if log.metadata().is_ok_and(|log| log.len() > 0) {
        let why = format!(
            "it is in use or not a backup, because it has the log {}; make a backup of it",
            log.display()
        );
        return Err(refused(ErrorKind::Foreign, why));
    }
    let has_former = to.symlink_metadata().is_ok();
    if has_former && existing == Existing::Refuse {
        return Err(partial::exists(to));
    }
    files::create_folder(to)?;
    partial::sweep(to);
    let file = Partial::create(to)?;
    // A copy that was cut has fewer pages than its header says, which the check finds.
    let mut source = File::open(from).map_err(|error| partial::failed("read", from, error))?;
    File::options()
        .write(true)
        .open(file.path())
        .and_then(|mut copy| io::copy(&mut source, &mut copy))
        .map_err(|error| partial::failed("copy", from, error))?;

    let mut copy = Store::open(file.path(), None).map_err(|error| {
        let kind = match error.kind() {
            ErrorKind::Store => ErrorKind::Foreign,
            kind => kind,
        };
        refused(kind, format!("{error}; choose another backup"))
    })?;
    let check = check(&mut copy)?;
    if let Some(finding) = check.findings.first() {
        let why = format!("it is damaged: {}; choose another backup", finding.cause);
        return Err(refused(ErrorKind::Foreign, why));
    }
    let _lock = Lock::take(to)?;
    let forgotten = if has_former { forget_again(&mut copy, to, at)? } else { 0 };
    open::renew(&copy.connection, "TRUE")?;
    // The log keeps the former name. Closing writes it into the file too, but ignores an error of that.
    copy.connection.query_row(EMPTY_LOG, (), |_row| Ok(())).map_err(failed)?;
    drop(copy);
    if has_former {
        let former = Former::lock(to)?;
        if let Err(error) = file.finish(to, Existing::Replace) {
            former.unlock();
            return Err(error);
        }
    } else {
        refuse_log(to)?;
        file.finish(to, Existing::Refuse)?;
    }
    let from = std::path::absolute(from).map_err(|error| partial::failed("find", from, error))?;
    if backup::all(to)?.iter().all(|backup| backup.path != from) {
        backup::add(to, &Backup { path: from, at })?;
    }
    Ok(forgotten)
}

/// Forgets what the former mirror had forgotten.
fn forget_again(copy: &mut Store, former: &Path, at: i64) -> Result<u64, Error> {
    let refused = |error: &Error, kind| {
        let path = former.display();
        let text = format!(
            "cannot replace {path}: {error}; move it and its log {path}-wal away, restore again, and forget again what it had \
             forgotten"
        );
        Error::new(kind, text)
    };
    let former_store = Store::open(former, None).map_err(|error| refused(&error, error.kind()))?;
    if former_store.identity.secret != copy.identity.secret {
        let text = format!(
            "cannot replace {}: it is not the mirror that the backup was made of; choose another file",
            former.display()
        );
        return Err(Error::new(ErrorKind::OtherSource, text));
    }
    let suppressed = suppressed(&former_store.connection)?;
    drop(former_store);
    let mut forgotten = 0;
    for (table, hashes) in suppressed {
        copy.begin_forgetting(&table)?;
        for hash in &hashes {
            copy.suppress(&table, *hash, at)?;
        }
        copy.run("COMMIT")?;
        copy.roll_back();
        if copy.tables()?.iter().any(|status| status.table == table) {
            forgotten += forget_all(copy, &table, &hashes, at)?;
        }
    }
    Ok(forgotten)
}

fn suppressed(connection: &Connection) -> Result<Suppressed, Error> {
    let select = "SELECT table_name, id FROM mirror_suppressed";
    let mut statement = connection.prepare(select).map_err(failed)?;
    let mut rows = statement.query(()).map_err(failed)?;
    let mut suppressed = Suppressed::new();
    while let Some(row) = rows.next().map_err(failed)? {
        let table: String = row.get(0).map_err(failed)?;
        let hash = Hash::from_bytes(row.get(1).map_err(failed)?);
        suppressed.entry(table).or_default().insert(hash);
    }
    Ok(suppressed)
}

/// Refuses a log that would be read as that of the restored file.
fn refuse_log(to: &Path) -> Result<(), Error> {
    for suffix in ["-wal", "-journal"] {
        let log = files::beside(to, suffix);
        if fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
            let text = format!(
                "cannot restore to {}: the log {} of another file is beside it; move the log away",
                to.display(),
                log.display()
            );
            return Err(Error::new(ErrorKind::Foreign, text));
        }
    }
    Ok(())
}

/// A mirror that is about to be replaced, locked and without a log.
struct Former(Connection);

impl Former {
    /// Locks the mirror. Fails if another program has it open.
    fn lock(path: &Path) -> Result<Self, Error> {
        let locked = || {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(Duration::ZERO)?;
            // Removes the log, which would not belong to the new file. SQLite allows it only to the last user.
            connection.execute_batch("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")?;
            Ok(connection)
        };
        locked().map(Self).map_err(|error: rusqlite::Error| {
            let text = format!(
                "cannot replace {}: another program uses it; stop all programs that use it",
                path.display()
            );
            Error::new(ErrorKind::Busy, text).because(error)
        })
    }

    /// Puts the mirror back into use.
    fn unlock(self) {
        // A mirror without a log works too, only more slowly for concurrent readers.
        drop(self.0.execute_batch("ROLLBACK; PRAGMA journal_mode = WAL"));
    }
}
