//! The list cache: complete lists in files, so that sending a list again reads a file and not the database.
//!
//! The files have no name: no other process can open them, and they are deleted when the process ends, however it
//! ends. A cached list is valid until the candidates of its account change; other changes leave it as it is.
//! When records are erased, [`refresh`](ListCache::refresh) discards the lists that contain them.

mod disk;
mod files;
mod usage;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use self::disk::{Disk, Stored};
use self::files::Files;
use self::usage::Usage;
use crate::error::Error;
use crate::exposition::Exposition;
use crate::listen::pieces::{MAX_PIECE, Piece};
use crate::lock::lock;
use crate::store::{AccountId, Snapshot, Store};

/// The list of all candidates, as a request asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) snapshot: Snapshot,
    /// The version of the candidates in the snapshot: random bits, which later snapshots have too until a candidate
    /// changes.
    pub(crate) version: i64,
}

impl Asked {
    fn account(self) -> AccountId {
        self.snapshot.account
    }

    fn key(self) -> Key {
        (self.account(), self.version)
    }
}

/// An account and a version of its candidates.
type Key = (AccountId, i64);

/// The cached lists: the newest of each account, within a limit on disk space.
#[derive(Debug)]
pub(crate) struct ListCache {
    pub(crate) usage: Usage,
    disk: Arc<Disk>,
    files: Files,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    cached: HashMap<AccountId, Cached>,
    /// Version that was last listed for each account. Only a list that is asked for again is worth its disk space.
    asked: HashMap<AccountId, i64>,
    /// Lists that are being written, so that each is written once only.
    recorded: HashSet<Key>,
}

#[derive(Debug)]
struct Cached {
    version: i64,
    /// The newest snapshot for which the list was sent.
    snapshot: Snapshot,
    list: Arc<Stored>,
    used: Instant,
}

impl ListCache {
    /// Creates a cache of at most `limit` bytes in at most `files` files. With 0 it caches nothing.
    pub(crate) fn new(limit: u64, files: usize) -> Self {
        Self {
            usage: Usage::default(),
            disk: Disk::new(limit, files),
            files: Files::default(),
            lists: Mutex::default(),
        }
    }

    /// Returns a list, if it is cached.
    pub(crate) fn get(&self, asked: Asked) -> Option<CachedList> {
        let mut lists = self.lists();
        let cached = lists.cached.get_mut(&asked.account())?;
        if cached.version != asked.version {
            return None;
        }
        if cached.snapshot.revision < asked.snapshot.revision {
            // The rows of the older snapshot may be removed while this response is sent.
            cached.snapshot = asked.snapshot;
            self.files.renew(&cached.list, asked.snapshot);
        }
        cached.used = Instant::now();
        let list = Arc::clone(&cached.list);
        Some(CachedList { list, offset: 0, piece: SMALLEST_PIECE, asked: None })
    }

    /// Starts to record a list while it is sent. Returns `None` if the list was not sent before, or is
    /// already being recorded.
    pub(crate) fn record(self: &Arc<Self>, asked: Asked) -> Option<Recording> {
        if self.disk.is_disabled() {
            return None;
        }
        let mut lists = self.lists();
        if lists.asked.insert(asked.account(), asked.version) != Some(asked.version)
            || !lists.recorded.insert(asked.key())
        {
            return None;
        }
        drop(lists);
        Some(Recording { mark: Mark { cache: Arc::clone(self), asked }, file: None })
    }

    /// Reserves disk space with `reserve`. If there is not enough, removes the least recently used lists until there is,
    /// and returns `None` if no list is left to remove.
    ///
    /// A list that is being sent is not removed: its file exists until it is sent, so this would free nothing.
    fn evict_until<T>(&self, mut reserve: impl FnMut() -> Option<T>) -> Option<T> {
        loop {
            if let Some(taken) = reserve() {
                return Some(taken);
            }
            let mut lists = self.lists();
            let idle =
                lists.cached.iter().filter(|(_, cached)| Arc::strong_count(&cached.list) == 1);
            let oldest = idle.min_by_key(|(_, cached)| cached.used).map(|(account, _)| *account)?;
            let removed = lists.cached.remove(&oldest);
            // Closing the file deletes it, which may take a while: not under the lock.
            drop(lists);
            drop(removed);
        }
    }

    /// Discards the lists whose records have been erased, also those that are being sent: their responses are cut. To be
    /// called every few seconds, because an erasure waits for it.
    pub(crate) fn refresh(&self, store: &dyn Store) {
        let gone = self.files.refresh(store);
        self.lists().cached.retain(|_, cached| !gone.contains(&cached.snapshot));
    }

    /// Returns whether [`refresh`](Self::refresh) has something to do.
    pub(crate) fn has_files(&self) -> bool {
        self.files.is_in_use()
    }

    /// Creates a file, in place of an older version of the list.
    fn create_file(&self, store: &dyn Store, snapshot: Snapshot) -> Option<Arc<Stored>> {
        let before = self.lists().cached.remove(&snapshot.account);
        drop(before);
        let created = Stored::create(self.evict_until(|| self.disk.share())?);
        self.files.add(store, snapshot, created.map_err(|error| self.usage.failed(&error)).ok()?)
    }

    /// Writes the metrics.
    pub(crate) fn write(&self, out: &mut Exposition) {
        self.disk.write(out);
        self.usage.write(out);
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        lock(&self.lists)
    }
}

/// A list that is being written to the cache.
#[derive(Debug)]
pub(crate) struct Recording {
    mark: Mark,
    /// Created with the first piece, on a thread that may block.
    file: Option<Arc<Stored>>,
}

impl Recording {
    /// Writes the next piece of a list that is read from `store`. Returns `None` if the list cannot be cached, which does
    /// not fail the response.
    pub(crate) fn write(mut self, store: &dyn Store, bytes: &[u8]) -> Option<Self> {
        let Mark { cache, asked } = &self.mark;
        let file = match self.file.take() {
            Some(file) => file,
            None => cache.create_file(store, asked.snapshot)?,
        };
        let more = bytes.len() as u64;
        // A list larger than the limit must not evict others.
        if cache.disk.exceeds_limit(file.length() + more) {
            return None;
        }
        cache.evict_until(|| file.share.grow(more))?;
        let is_written = file.write(bytes).map_err(|error| cache.usage.failed(&error)).ok()?;
        self.file = Some(file);
        is_written.then_some(self)
    }

    /// Adds the list, which was written to its end, to the cache.
    pub(crate) fn finish(self) {
        let Self { mark, file } = self;
        let Some(file) = file else { return };
        let Asked { snapshot, version } = mark.asked;
        mark.cache.usage.written();
        let cached = Cached { version, snapshot, list: file, used: Instant::now() };
        let before = mark.cache.lists().cached.insert(snapshot.account, cached);
        drop(before);
    }
}

/// The mark that a list is being written. Removed when it is dropped.
#[derive(Debug)]
struct Mark {
    cache: Arc<ListCache>,
    asked: Asked,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.cache.lists().recorded.remove(&self.asked.key());
    }
}

/// A cached list that is being sent.
#[derive(Debug)]
pub(crate) struct CachedList {
    list: Arc<Stored>,
    offset: u64,
    piece: usize,
    asked: Option<Instant>,
}

impl CachedList {
    pub(crate) fn is_finished(&self) -> bool {
        self.offset == self.list.length()
    }

    /// Returns the number of bytes that are left.
    pub(crate) fn left(&self) -> u64 {
        self.list.length().saturating_sub(self.offset)
    }

    /// Returns the next piece as a part of the file. Returns `None` at the end of the list, and if sending the piece might
    /// wait for the disk.
    pub(crate) fn in_file(&mut self) -> Option<Piece> {
        let (offset, length) = (self.offset, self.left().min(MAX_PIECE as u64));
        let last = length.checked_sub(1)? + offset;
        if ![offset, last].into_iter().all(|offset| self.list.is_in_memory(offset)) {
            return None;
        }
        self.offset += length;
        let (file, length) = (Arc::clone(&self.list), usize::try_from(length).unwrap_or_default());
        Some(Piece { file, offset, length, is_last: self.is_finished() })
    }

    /// Reads the next piece. Pieces grow for a fast client, so that a slow one holds little memory.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_finished() {
            return Ok(None);
        }
        let quick = self.asked.is_some_and(|asked| asked.elapsed() < QUICK);
        self.piece = if quick { LARGEST_PIECE.min(self.piece * 2) } else { SMALLEST_PIECE };
        self.asked = Some(Instant::now());
        let left = usize::try_from(self.left()).unwrap_or(usize::MAX);
        let mut bytes = vec![0; self.piece.min(left)];
        self.list.read(&mut bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        Ok(Some(Bytes::from(bytes)))
    }
}

/// Bytes of a piece for a slow client.
const SMALLEST_PIECE: usize = 64 * 1024;

/// Maximum number of bytes in a piece.
const LARGEST_PIECE: usize = 128 * 1024 - 64;

/// Time within which a fast client asks for the next piece: it waits for the server, and not the server for it.
pub(crate) const QUICK: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::UnixTime;
    use crate::generated::record::CreditsRow;
    use crate::place::Place;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{Deletion, ImportMode, StoreAdmin as _, UnknownIds};

    /// A database with four accounts of two revisions each.
    struct Database {
        _directory: tempfile::TempDir,
        store: SqliteStore,
    }

    impl Database {
        fn new() -> Self {
            let directory = tempfile::tempdir().unwrap();
            let store = SqliteStore::open(directory.path().join("t.db")).unwrap();
            for name in ["a", "b", "c", "d"] {
                let account = store.create_account(name, UnixTime(0)).unwrap();
                for number in ["1", "2"] {
                    let (place, row) = (Place { file: 0, line: 1 }, CreditsRow::new(number, "EUR"));
                    let fill =
                        &mut |stage: &mut dyn crate::store::Stage| stage.credits(place, &row);
                    store.import(account, ImportMode::Commit, fill).unwrap();
                }
            }
            Self { _directory: directory, store }
        }

        fn write(&self, recording: Recording, bytes: &[u8]) -> Option<Recording> {
            recording.write(&self.store, bytes)
        }

        fn keep(&self, cache: &Arc<ListCache>, asked: Asked, bytes: &[u8]) {
            self.write(record(cache, asked).unwrap(), bytes).unwrap().finish();
        }
    }

    fn list(account: i64, revision: i64) -> Asked {
        Asked { snapshot: Snapshot { account: AccountId(account), revision }, version: revision }
    }

    /// Asks for a list twice, and starts to record it.
    fn record(cache: &Arc<ListCache>, asked: Asked) -> Option<Recording> {
        drop(cache.record(asked));
        cache.record(asked)
    }

    #[test]
    fn a_list_is_recorded_once() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(100, 9));
        let first = record(&cache, list(1, 1)).unwrap();
        assert!((0..4).all(|_| cache.record(list(1, 1)).is_none()));
        // The recording was dropped, so the next request may record.
        drop(database.write(first, &[0; 60]).unwrap());
        database.write(cache.record(list(1, 1)).unwrap(), &[0; 100]).unwrap().finish();
        assert!(cache.get(list(1, 1)).is_some() && cache.get(list(1, 2)).is_none());
    }

    /// Two databases can reach the same revision number, for example a database and its restored backup.
    #[test]
    fn a_cached_list_of_another_database_is_not_found() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(100, 9));
        database.keep(&cache, list(1, 1), b"a");
        assert!(cache.get(Asked { version: 9, ..list(1, 1) }).is_none());
        assert!(cache.get(list(1, 1)).is_some());
    }

    #[test]
    fn the_least_recently_used_list_is_evicted_first() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(100, 9));
        database.keep(&cache, list(1, 1), &[0; 40]);
        database.keep(&cache, list(2, 1), &[0; 40]);
        assert!(cache.get(list(1, 1)).is_some());
        database.keep(&cache, list(3, 1), &[0; 40]);
        assert!(cache.get(list(1, 1)).is_some() && cache.get(list(2, 1)).is_none());
        // A list larger than the limit evicts nothing.
        assert!(database.write(record(&cache, list(4, 1)).unwrap(), &[0; 101]).is_none());
        assert!(cache.get(list(1, 1)).is_some() && cache.get(list(3, 1)).is_some());
    }

    #[test]
    fn a_list_counts_until_it_is_sent() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(100, 9));
        database.keep(&cache, list(1, 1), &[0; 60]);
        let sent = cache.get(list(1, 1)).unwrap();
        assert!(database.write(record(&cache, list(2, 1)).unwrap(), &[0; 60]).is_none());
        // The next revision of the same account: its list is removed, but the file still exists.
        assert!(database.write(record(&cache, list(1, 2)).unwrap(), &[0; 60]).is_none());
        drop(sent);
        database.keep(&cache, list(2, 1), &[0; 60]);
    }

    #[test]
    fn the_number_of_files_is_limited_too() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(100, 1));
        let first = database.write(record(&cache, list(1, 1)).unwrap(), b"a").unwrap();
        assert!(database.write(record(&cache, list(2, 1)).unwrap(), b"a").is_none());
        first.finish();
        database.keep(&cache, list(2, 1), b"a");
        assert!(cache.get(list(1, 1)).is_none());
        assert!(record(&Arc::new(ListCache::new(0, 1)), list(1, 1)).is_none());
    }

    #[test]
    fn an_erased_list_is_discarded_while_it_is_sent_and_while_it_is_written() {
        let database = Database::new();
        let cache = Arc::new(ListCache::new(1000, 9));
        database.keep(&cache, list(1, 2), &[0; 60]);
        database.keep(&cache, list(2, 2), &[0; 60]);
        let mut sent = cache.get(list(1, 2)).unwrap();
        let mut other = cache.get(list(2, 2)).unwrap();
        cache.refresh(&database.store);
        assert_eq!(cache.get(list(1, 2)).unwrap().next().unwrap().unwrap().len(), 60);
        let written = database.write(record(&cache, list(1, 1)).unwrap(), b"a").unwrap();
        let deleted = database.store.delete(
            AccountId(1),
            &Deletion::Account,
            UnknownIds::Refuse,
            ImportMode::Commit,
        );
        deleted.unwrap();
        // The erasure waits for the hold of the cache, which has not looked at its lists yet.
        let pending = database.store.erase_traces(Duration::ZERO).unwrap_err();
        assert_eq!(pending.kind(), crate::error::ErrorKind::ErasurePending);
        let erase = || database.store.erase_traces(Duration::from_secs(30));
        std::thread::scope(|scope| {
            let erasure = scope.spawn(erase);
            while !erasure.is_finished() {
                cache.refresh(&database.store);
                std::thread::yield_now();
            }
            erasure.join().unwrap().unwrap();
        });
        assert_eq!(sent.next().unwrap_err().kind(), crate::error::ErrorKind::SnapshotGone);
        assert!(database.write(written, b"b").is_none());
        assert!(cache.get(list(1, 2)).is_none());
        assert_eq!(other.next().unwrap().unwrap().len(), 60);
        // A list of a removed revision is never written.
        assert!(database.write(record(&cache, list(1, 2)).unwrap(), b"c").is_none());
        assert!(cache.has_files());
    }
}
