//! Notices the commits of every process, without a transaction.
//!
//! Every commit replaces two copies of a header at the start of the file `FILE-shm`, which all processes map (SQLite,
//! "WAL-mode file format", section 2.1). At the start of a transaction, SQLite compares the header with that of the
//! former transaction to decide whether the pages that it holds in memory are still valid. This module compares the same
//! bytes. They contain a counter of commits and a checksum of the log, so they never have the same value again.
//!
//! The order of reads and writes in the two copies does not matter here: after a commit, each copy is new, so bytes that
//! were read during a commit are equal to no others.

use std::fs::File;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::Mutex;

use crate::lock::lock;

/// The state of a database. Two reads between which it does not change have read the same data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Commit([u8; 2 * COPY]);

/// The file in which SQLite notes the last commit of a database.
#[derive(Debug)]
pub(super) struct Commits(&'static File);

impl Commits {
    /// Finds the file of a database that is open in this process and has a write-ahead log. Returns `None` if it cannot
    /// be read, and on systems other than Linux, on which reading a file may not show what is written to its map.
    pub(super) fn of(database: &Path) -> Option<Self> {
        if !cfg!(target_os = "linux") {
            return None;
        }
        // SQLite looks beside the file that a link leads to.
        let mut path = database.canonicalize().ok()?.into_os_string();
        path.push("-shm");
        open(Path::new(&path)).map(Self)
    }

    /// Returns the state now. Returns `None` during a commit, and when the next reader has to rebuild the file.
    pub(super) fn last(&self) -> Option<Commit> {
        let mut bytes = [0; 2 * COPY];
        self.0.read_exact_at(&mut bytes, 0).ok()?;
        let (first, second) = bytes.split_at(COPY);
        (first == second && first.get(IS_SET) == Some(&1)).then_some(Commit(bytes))
    }
}

/// Opens a file that is never closed: closing it would drop the locks that SQLite has on it in this process. So each file
/// is opened once.
fn open(path: &Path) -> Option<&'static File> {
    static OPEN: Mutex<Vec<((u64, u64), &File)>> = Mutex::new(Vec::new());
    let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
    let mut files = lock(&OPEN);
    let named = path.metadata().map(identity).ok()?;
    if let Some((_, file)) = files.iter().find(|(known, _)| *known == named) {
        return Some(file);
    }
    let file: &'static File = Box::leak(Box::new(File::open(path).ok()?));
    files.push((file.metadata().map(identity).ok()?, file));
    Some(file)
}

/// Length of a copy of the header, in bytes.
const COPY: usize = 48;

/// Offset of the byte that is 1 if the header is set.
const IS_SET: usize = 12;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::clock::UnixTime;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{Store as _, StoreAdmin as _};

    #[test]
    fn every_commit_is_noticed_and_nothing_else() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let store = SqliteStore::open(&path).unwrap();
        store.create_account("a", UnixTime(0)).unwrap();
        let commits = Commits::of(&path).unwrap();
        let other = Connection::open(&path).unwrap();
        let mut last = commits.last().unwrap();
        let mut changed = || {
            let now = commits.last().unwrap();
            std::mem::replace(&mut last, now) != now
        };
        assert!(!changed());
        other.execute_batch("BEGIN IMMEDIATE; UPDATE account SET tag = tag + 1;").unwrap();
        assert!(!changed(), "not committed");
        other.execute_batch("ROLLBACK").unwrap();
        assert!(!changed(), "rolled back");
        other.query_row("SELECT count(*) FROM account", [], |_row| Ok(())).unwrap();
        assert!(!changed(), "read");
        for round in 0..3 {
            other.execute_batch("UPDATE account SET tag = tag + 1").unwrap();
            assert!(changed(), "committed in round {round}");
            // The next commit begins a new log, once after a log of the same length and once after none.
            let checkpoint = ["PASSIVE", "RESTART", "TRUNCATE"][round];
            let checkpoint = format!("PRAGMA wal_checkpoint({checkpoint})");
            other.query_row(&checkpoint, [], |_row| Ok(())).unwrap();
            changed();
        }
        store.create_account("b", UnixTime(0)).unwrap();
        assert!(changed());
    }

    /// Otherwise another process could replace the file under the readers of this one.
    #[test]
    fn the_locks_of_this_process_remain() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let store = SqliteStore::open(&path).unwrap();
        let locks = || {
            let inode = directory.path().join("t.db-shm").metadata().unwrap().ino().to_string();
            let locks = std::fs::read_to_string("/proc/locks").unwrap();
            let own = std::process::id().to_string();
            let is_own = |line: &&str| {
                line.contains(&format!(":{inode} "))
                    && line.split_whitespace().any(|word| word == own)
            };
            locks.lines().filter(is_own).count()
        };
        let before = locks();
        assert!(before > 0);
        for _ in 0..3 {
            assert!(Commits::of(&path).is_some());
        }
        assert_eq!(locks(), before);
        store.health().unwrap();
    }
}
