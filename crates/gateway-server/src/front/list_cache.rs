//! The list cache: complete lists in files, so that sending a list again reads a file and not the database.
//!
//! The files have no name: no other process can open them, and they are deleted when the process ends, however it
//! ends. A list belongs to one revision of one account, so a cached list is valid while that revision is the newest.

mod disk;

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use bytes::Bytes;

use self::disk::{Disk, Stored};
use crate::error::Error;
use crate::lock::lock;
use crate::store::{AccountId, Snapshot};

/// The cached lists: the newest of each account, within a limit on disk space.
#[derive(Debug)]
pub(crate) struct ListCache {
    disk: Arc<Disk>,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    cached: HashMap<AccountId, Cached>,
    /// Snapshot that was last listed for each account. Only a list that is asked for again is worth its disk space.
    asked: HashMap<AccountId, Snapshot>,
    /// Snapshots whose list is being written, so that it is written once only.
    recorded: HashSet<Snapshot>,
}

#[derive(Debug)]
struct Cached {
    snapshot: Snapshot,
    list: Arc<Stored>,
    used: Instant,
}

impl ListCache {
    /// Creates a cache of at most `limit` bytes in at most `files` files. With 0 it caches nothing.
    pub(crate) fn new(limit: u64, files: usize) -> Self {
        Self { disk: Disk::new(limit, files), lists: Mutex::default() }
    }

    /// Returns the list of a snapshot, if it is cached.
    pub(crate) fn get(&self, snapshot: Snapshot) -> Option<CachedList> {
        let mut lists = self.lists();
        let cached = lists.cached.get_mut(&snapshot.account)?;
        if cached.snapshot != snapshot {
            return None;
        }
        cached.used = Instant::now();
        let list = Arc::clone(&cached.list);
        Some(CachedList { list, offset: 0, piece: SMALLEST_PIECE, asked: None })
    }

    /// Starts to record the list of a snapshot while it is sent. Returns `None` if the list was not sent before, or is
    /// already being recorded.
    pub(crate) fn record(self: &Arc<Self>, snapshot: Snapshot) -> Option<Recording> {
        if self.disk.is_disabled() {
            return None;
        }
        let mut lists = self.lists();
        if lists.asked.insert(snapshot.account, snapshot) != Some(snapshot)
            || !lists.recorded.insert(snapshot)
        {
            return None;
        }
        drop(lists);
        Some(Recording { mark: Mark { cache: Arc::clone(self), snapshot }, file: None })
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

    /// Creates a file, in place of the list of an older revision.
    fn create_file(&self, account: AccountId) -> Option<Stored> {
        let before = self.lists().cached.remove(&account);
        drop(before);
        self.evict_until(|| self.disk.share()).and_then(Stored::create)
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
    file: Option<Stored>,
}

impl Recording {
    /// Writes the next piece. Returns `None` if the list cannot be cached, which does not fail the response.
    pub(crate) fn write(mut self, bytes: &[u8]) -> Option<Self> {
        let Mark { cache, snapshot } = &self.mark;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => cache.create_file(snapshot.account)?,
        };
        let more = bytes.len() as u64;
        // A list larger than the limit must not evict others.
        if cache.disk.exceeds_limit(file.length() + more) {
            return None;
        }
        cache.evict_until(|| file.share.grow(more))?;
        file.write(bytes)?;
        self.file = Some(file);
        Some(self)
    }

    /// Adds the list, which was written to its end, to the cache.
    pub(crate) fn finish(self) {
        let Self { mark, file } = self;
        let Some(file) = file else { return };
        let snapshot = mark.snapshot;
        let cached = Cached { snapshot, list: Arc::new(file), used: Instant::now() };
        let before = mark.cache.lists().cached.insert(snapshot.account, cached);
        drop(before);
    }
}

/// The mark that a list is being written. Removed when it is dropped.
#[derive(Debug)]
struct Mark {
    cache: Arc<ListCache>,
    snapshot: Snapshot,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.cache.lists().recorded.remove(&self.snapshot);
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

    /// Reads the next piece. Pieces grow for a fast client, so that a slow one holds little memory.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_finished() {
            return Ok(None);
        }
        let quick = self.asked.is_some_and(|asked| asked.elapsed() < QUICK);
        self.piece = if quick { LARGEST_PIECE.min(self.piece * 2) } else { SMALLEST_PIECE };
        self.asked = Some(Instant::now());
        let left = usize::try_from(self.list.length() - self.offset).unwrap_or(usize::MAX);
        let mut bytes = vec![0; self.piece.min(left)];
        self.list.file.read_exact_at(&mut bytes, self.offset)?;
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

    fn snapshot(account: i64, revision: i64) -> Snapshot {
        Snapshot { account: AccountId(account), revision, tag: revision }
    }

    /// Asks for a list twice, and starts to record it.
    fn record(cache: &Arc<ListCache>, snapshot: Snapshot) -> Option<Recording> {
        drop(cache.record(snapshot));
        cache.record(snapshot)
    }

    fn keep(cache: &Arc<ListCache>, snapshot: Snapshot, bytes: &[u8]) {
        record(cache, snapshot).unwrap().write(bytes).unwrap().finish();
    }

    #[test]
    fn a_list_is_recorded_once() {
        let cache = Arc::new(ListCache::new(100, 9));
        let first = record(&cache, snapshot(1, 1)).unwrap();
        assert!((0..4).all(|_| cache.record(snapshot(1, 1)).is_none()));
        // The recording was dropped, so the next request may record.
        drop(first.write(&[0; 60]).unwrap());
        cache.record(snapshot(1, 1)).unwrap().write(&[0; 100]).unwrap().finish();
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(1, 2)).is_none());
    }

    /// Two databases can reach the same revision number, for example a database and its restored backup.
    #[test]
    fn a_cached_list_of_another_database_is_not_found() {
        let cache = Arc::new(ListCache::new(100, 9));
        keep(&cache, snapshot(1, 1), b"a");
        assert!(cache.get(Snapshot { tag: 9, ..snapshot(1, 1) }).is_none());
        assert!(cache.get(snapshot(1, 1)).is_some());
    }

    #[test]
    fn the_least_recently_used_list_is_evicted_first() {
        let cache = Arc::new(ListCache::new(100, 9));
        keep(&cache, snapshot(1, 1), &[0; 40]);
        keep(&cache, snapshot(2, 1), &[0; 40]);
        assert!(cache.get(snapshot(1, 1)).is_some());
        keep(&cache, snapshot(3, 1), &[0; 40]);
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(2, 1)).is_none());
        // A list larger than the limit evicts nothing.
        assert!(record(&cache, snapshot(4, 1)).unwrap().write(&[0; 101]).is_none());
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(3, 1)).is_some());
    }

    #[test]
    fn a_list_counts_until_it_is_sent() {
        let cache = Arc::new(ListCache::new(100, 9));
        keep(&cache, snapshot(1, 1), &[0; 60]);
        let sent = cache.get(snapshot(1, 1)).unwrap();
        assert!(record(&cache, snapshot(2, 1)).unwrap().write(&[0; 60]).is_none());
        // The next revision of the same account: its list is removed, but the file still exists.
        assert!(record(&cache, snapshot(1, 2)).unwrap().write(&[0; 60]).is_none());
        drop(sent);
        keep(&cache, snapshot(2, 1), &[0; 60]);
    }

    #[test]
    fn the_number_of_files_is_limited_too() {
        let cache = Arc::new(ListCache::new(100, 1));
        let first = record(&cache, snapshot(1, 1)).unwrap().write(b"a").unwrap();
        assert!(record(&cache, snapshot(2, 1)).unwrap().write(b"a").is_none());
        first.finish();
        keep(&cache, snapshot(2, 1), b"a");
        assert!(cache.get(snapshot(1, 1)).is_none());
        assert!(record(&Arc::new(ListCache::new(0, 1)), snapshot(1, 1)).is_none());
    }
}
