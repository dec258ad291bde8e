//! Whole lists, kept as they were sent: the second client of a list costs a read of a file, not a walk of the database.
//!
//! The files have no name: nobody else can open them, and they are gone with the process, however it ends. A list is
//! of one revision of one account, so what was kept is right for as long as that revision is the newest.

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

/// The lists that are kept: the newest of each account, within a limit on disk.
#[derive(Debug)]
pub(crate) struct ListCache {
    disk: Arc<Disk>,
    lists: Mutex<Lists>,
}

#[derive(Debug, Default)]
struct Lists {
    kept: HashMap<AccountId, Kept>,
    /// The snapshots that were listed before. A list that nobody asks for again is not worth its disk.
    asked: HashMap<AccountId, Snapshot>,
    /// Whoever comes while a list is being kept does not keep it a second time.
    recorded: HashSet<Snapshot>,
}

#[derive(Debug)]
struct Kept {
    snapshot: Snapshot,
    list: Arc<Stored>,
    used: Instant,
}

impl ListCache {
    /// Keeps at most `limit` bytes in at most `files` files; 0 keeps nothing.
    pub(crate) fn new(limit: u64, files: usize) -> Self {
        Self { disk: Disk::new(limit, files), lists: Mutex::default() }
    }

    /// Returns the list of a snapshot, if it is kept.
    pub(crate) fn get(&self, snapshot: Snapshot) -> Option<KeptList> {
        let mut lists = self.lists();
        let kept = lists.kept.get_mut(&snapshot.account)?;
        if kept.snapshot != snapshot {
            return None;
        }
        kept.used = Instant::now();
        let list = Arc::clone(&kept.list);
        Some(KeptList { list, offset: 0, piece: SMALLEST_PIECE, asked: None })
    }

    /// Begins to keep the list of a snapshot that is about to be sent, if it was sent before and nobody else does.
    pub(crate) fn record(self: &Arc<Self>, snapshot: Snapshot) -> Option<Recording> {
        if self.disk.is_none() {
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

    /// Takes what `take` takes of the disk, and makes room for it if need be: what was not asked for the longest goes
    /// first. A list that is being sent lives until it is sent, so that to forget it would free nothing.
    fn take<T>(&self, mut take: impl FnMut() -> Option<T>) -> Option<T> {
        loop {
            if let Some(taken) = take() {
                return Some(taken);
            }
            let mut lists = self.lists();
            let idle = lists.kept.iter().filter(|(_, kept)| Arc::strong_count(&kept.list) == 1);
            let oldest = idle.min_by_key(|(_, kept)| kept.used).map(|(account, _)| *account)?;
            let forgotten = lists.kept.remove(&oldest);
            // A file that is closed is removed, which may take a while.
            drop(lists);
            drop(forgotten);
        }
    }

    /// Begins a file in the place of the list of another revision, which nobody asks for any more.
    fn begin(&self, account: AccountId) -> Option<Stored> {
        let before = self.lists().kept.remove(&account);
        drop(before);
        self.take(|| self.disk.share()).and_then(Stored::create)
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        lock(&self.lists)
    }
}

/// A list on its way into the cache.
#[derive(Debug)]
pub(crate) struct Recording {
    mark: Mark,
    /// Made with the first piece, by whoever may block.
    file: Option<Stored>,
}

impl Recording {
    /// Writes the next piece. Returns nothing when the list cannot be kept: that fails no answer.
    pub(crate) fn write(mut self, bytes: &[u8]) -> Option<Self> {
        let Mark { cache, snapshot } = &self.mark;
        let mut file = match self.file.take() {
            Some(file) => file,
            None => cache.begin(snapshot.account)?,
        };
        let more = bytes.len() as u64;
        // What can never fit drives nothing out.
        if cache.disk.is_beyond(file.length() + more) {
            return None;
        }
        cache.take(|| file.share.grow(more))?;
        file.write(bytes)?;
        self.file = Some(file);
        Some(self)
    }

    /// Keeps what was written, which is the whole list.
    pub(crate) fn finish(self) {
        let Self { mark, file } = self;
        let Some(file) = file else { return };
        let snapshot = mark.snapshot;
        let kept = Kept { snapshot, list: Arc::new(file), used: Instant::now() };
        let before = mark.cache.lists().kept.insert(snapshot.account, kept);
        drop(before);
    }
}

/// That a list is being kept. Ends when it is dropped.
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

/// A kept list that is being sent.
#[derive(Debug)]
pub(crate) struct KeptList {
    list: Arc<Stored>,
    offset: u64,
    piece: usize,
    asked: Option<Instant>,
}

impl KeptList {
    pub(crate) fn is_finished(&self) -> bool {
        self.offset == self.list.length()
    }

    /// Reads the next piece: larger ones for a client that takes them quickly, so that one that does not holds little.
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

const SMALLEST_PIECE: usize = 64 * 1024;

const LARGEST_PIECE: usize = 128 * 1024 - 64;

/// A client that asks for the next piece so soon is waiting for us, and not we for it.
pub(crate) const QUICK: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(account: i64, revision: i64) -> Snapshot {
        Snapshot { account: AccountId(account), revision, tag: revision }
    }

    /// Asks for a list twice, and begins to keep it.
    fn record(cache: &Arc<ListCache>, snapshot: Snapshot) -> Option<Recording> {
        drop(cache.record(snapshot));
        cache.record(snapshot)
    }

    fn keep(cache: &Arc<ListCache>, snapshot: Snapshot, bytes: &[u8]) {
        record(cache, snapshot).unwrap().write(bytes).unwrap().finish();
    }

    #[test]
    fn a_list_is_kept_once_and_by_one() {
        let cache = Arc::new(ListCache::new(100, 9));
        let first = record(&cache, snapshot(1, 1)).unwrap();
        assert!((0..4).all(|_| cache.record(snapshot(1, 1)).is_none()));
        // Given up, and so anybody's again.
        drop(first.write(&[0; 60]).unwrap());
        cache.record(snapshot(1, 1)).unwrap().write(&[0; 100]).unwrap().finish();
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(1, 2)).is_none());
    }

    #[test]
    fn what_was_not_asked_for_the_longest_goes_first() {
        let cache = Arc::new(ListCache::new(100, 9));
        keep(&cache, snapshot(1, 1), &[0; 40]);
        keep(&cache, snapshot(2, 1), &[0; 40]);
        assert!(cache.get(snapshot(1, 1)).is_some());
        keep(&cache, snapshot(3, 1), &[0; 40]);
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(2, 1)).is_none());
        // What can never fit drives nothing out.
        assert!(record(&cache, snapshot(4, 1)).unwrap().write(&[0; 101]).is_none());
        assert!(cache.get(snapshot(1, 1)).is_some() && cache.get(snapshot(3, 1)).is_some());
    }

    #[test]
    fn what_is_being_sent_takes_its_room_until_it_is_sent() {
        let cache = Arc::new(ListCache::new(100, 9));
        keep(&cache, snapshot(1, 1), &[0; 60]);
        let sent = cache.get(snapshot(1, 1)).unwrap();
        assert!(record(&cache, snapshot(2, 1)).unwrap().write(&[0; 60]).is_none());
        // The same account's next revision: the file is forgotten, and there all the same.
        assert!(record(&cache, snapshot(1, 2)).unwrap().write(&[0; 60]).is_none());
        drop(sent);
        keep(&cache, snapshot(2, 1), &[0; 60]);
    }

    #[test]
    fn files_are_counted_too() {
        let cache = Arc::new(ListCache::new(100, 1));
        let first = record(&cache, snapshot(1, 1)).unwrap().write(b"a").unwrap();
        assert!(record(&cache, snapshot(2, 1)).unwrap().write(b"a").is_none());
        first.finish();
        keep(&cache, snapshot(2, 1), b"a");
        assert!(cache.get(snapshot(1, 1)).is_none());
        assert!(record(&Arc::new(ListCache::new(0, 1)), snapshot(1, 1)).is_none());
    }
}
