//! A SQLite file that this process cannot write: on a read-only mount, or without the permission.
//!
//! A database with a write-ahead log needs files beside it that every reader can write. Without them SQLite reads only a
//! file that does not change (`immutable` in its documentation), and without looking at a log. So a file with a log is
//! refused, and each read checks that the file is still the same.

use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::clock::UnixTime;
use crate::error::{Error, ErrorKind};
use crate::store::sqlite::open;
use crate::store::sqlite::read::Reader;
use crate::store::sqlite::readers::Readers;
use crate::store::{
    AccountId, CandidateFilter, Cursor, Page, Principal, RecordSink, Snapshot, Store,
};
use crate::token::TokenDigest;

/// The data of the service in a SQLite file that does not change.
pub(crate) struct FrozenSqlite {
    path: PathBuf,
    identity: Identity,
    readers: Readers,
}

/// Numbers that change when a file is written or replaced.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

impl Identity {
    fn of(file: &Metadata) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
            length: file.len(),
            changed: (file.mtime(), file.mtime_nsec()),
        }
    }
}

impl FrozenSqlite {
    /// Returns whether this process cannot write an existing file.
    pub(crate) fn applies_to(path: &Path) -> bool {
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        let opened = File::options().write(true).open(path);
        opened.is_err_and(|error| matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem))
    }

    /// Opens a file. `budget` limits a read that answers a request.
    ///
    /// # Errors
    ///
    /// Refuses what [`SqliteStore::open`](crate::SqliteStore::open) refuses, and a file that a program with write access
    /// has to complete or to upgrade first.
    pub(crate) fn open(path: &Path, budget: Duration) -> Result<Self, Error> {
        let unreadable =
            |error| Error::caused(ErrorKind::Io, format!("cannot read {}", path.display()), error);
        let path = path.canonicalize().map_err(unreadable)?;
        let log = open::log_of(&path);
        if log.is_some_and(|log| std::fs::metadata(log).is_ok_and(|log| log.len() > 0)) {
            let path = path.display();
            let text = format!(
                "cannot serve the read-only file {path}: its log may have changes that it lacks; run \
                 `gateway-server backup` where it can be written, and serve the copy"
            );
            return Err(Error::new(ErrorKind::StorageForeign, text));
        }
        let identity = Identity::of(&std::fs::metadata(&path).map_err(unreadable)?);
        let mut readers = Readers::new();
        readers.budget = budget;
        let connection = open::frozen_reader(&path)?;
        open::verify(&connection, &path)?;
        if !open::is_upgraded(&connection)? {
            let path = path.display();
            let text = format!(
                "cannot serve the read-only file {path}: an older release wrote it; start the server once where the \
                 file can be written"
            );
            return Err(Error::new(ErrorKind::StorageForeign, text));
        }
        Ok(Self { path, identity, readers })
    }

    fn read<T>(&self, work: impl FnOnce(&mut Reader) -> Result<T, Error>) -> Result<T, Error> {
        let identity = std::fs::metadata(&self.path).map(|file| Identity::of(&file));
        if !identity.is_ok_and(|identity| identity == self.identity) {
            let text = format!(
                "the read-only file {} has changed while it is served; restart the server",
                self.path.display()
            );
            return Err(Error::new(ErrorKind::Storage, text));
        }
        self.readers.read(|| open::frozen_reader(&self.path), work)
    }
}

impl Store for FrozenSqlite {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        let found = self.read(|reader| reader.authenticate(token, now))?;
        Ok(found.map(|valid| valid.principal))
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.read(|reader| reader.candidates(snapshot, filter, page, sink))
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.read(|reader| reader.vacancies(snapshot, page, sink))
    }

    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        self.read(|reader| reader.credits(account, sink))
    }

    fn is_near(&self) -> bool {
        true
    }

    fn health(&self) -> Result<(), Error> {
        self.readers.damage.check()?;
        self.read(Reader::health)
    }

    fn newest_revision(&self) -> Result<Option<UnixTime>, Error> {
        self.read(Reader::newest_revision)
    }

    fn idle_connections(&self) -> usize {
        self.readers.idle()
    }

    /// Removes nothing.
    fn collect(&self, _age: Duration) -> Result<u64, Error> {
        Ok(0)
    }

    fn exists(&self, snapshot: Snapshot) -> Result<bool, Error> {
        self.read(|reader| reader.exists(snapshot))
    }
}

impl std::fmt::Debug for FrozenSqlite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FrozenSqlite").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{STATEMENT_BUDGET, StoreAdmin as _};

    #[test]
    fn a_file_that_changes_is_not_read_any_more() {
        let directory = tempfile::tempdir().unwrap();
        // A name with characters that have a meaning in a URI.
        let path = directory.path().join("a?b#c%41.db");
        let store = SqliteStore::open(&path).unwrap();
        store.create_account("a", UnixTime(0)).unwrap();
        let error = FrozenSqlite::open(&path, STATEMENT_BUDGET).unwrap_err();
        assert!(error.to_string().contains("its log may have changes"), "{error}");
        // The last connection moves the log into the file.
        drop(store);
        assert!(!FrozenSqlite::applies_to(&path));
        let frozen = FrozenSqlite::open(&path, STATEMENT_BUDGET).unwrap();
        frozen.health().unwrap();
        assert_eq!(frozen.collect(Duration::ZERO).unwrap(), 0);
        SqliteStore::open(&path).unwrap().create_account("b", UnixTime(0)).unwrap();
        let error = frozen.health().unwrap_err();
        assert!(error.to_string().contains("has changed"), "{error}");
    }
}
