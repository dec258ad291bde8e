//! Whole lists, kept as they were sent: the second client of a list costs a read of a file, not a walk of the database.
//!
//! The files have no name: nobody else can open them, and they are gone with the process, however it ends. A list is
//! of one revision of one account, so what was kept is right for as long as that revision is the newest.

use std::collections::HashMap;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::error::Error;
use crate::store::{AccountId, Snapshot};

/// The lists that are kept: the newest of each account, within a limit on disk.
#[derive(Debug)]
pub(crate) struct ListCache {
    limit: u64,
    lists: Mutex<HashMap<AccountId, Kept>>,
    /// The revisions that were listed once. A list that nobody asks for again is not worth its disk.
    asked_once: Mutex<HashMap<AccountId, i64>>,
}

#[derive(Debug)]
struct Kept {
    revision: i64,
    file: Arc<File>,
    length: u64,
    used: Instant,
}

impl ListCache {
    /// Keeps at most `limit` bytes; 0 keeps nothing.
    pub(crate) fn new(limit: u64) -> Self {
        Self { limit, lists: Mutex::default(), asked_once: Mutex::default() }
    }

    /// Returns the list of a snapshot, if it is kept.
    pub(crate) fn get(&self, snapshot: Snapshot) -> Option<KeptList> {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = lists.get_mut(&snapshot.account)?;
        if kept.revision != snapshot.revision {
            return None;
        }
        kept.used = Instant::now();
        Some(KeptList {
            file: Arc::clone(&kept.file),
            offset: 0,
            length: kept.length,
            piece: SMALLEST_PIECE,
            asked: None,
        })
    }

    /// Begins to keep the list of a snapshot that is about to be sent, if it was sent before.
    pub(crate) fn record(self: &Arc<Self>, snapshot: Snapshot) -> Option<Recording> {
        if self.limit == 0 {
            return None;
        }
        let mut asked = self.asked_once.lock().unwrap_or_else(PoisonError::into_inner);
        // Whoever comes while a list is being kept does not keep it a second time.
        if asked.insert(snapshot.account, snapshot.revision) != Some(snapshot.revision) {
            return None;
        }
        asked.remove(&snapshot.account);
        drop(asked);
        // Without a temporary file lists are sent all the same.
        let file = tempfile::tempfile().ok()?;
        Some(Recording { cache: Arc::clone(self), snapshot, file, length: 0 })
    }

    fn put(&self, snapshot: Snapshot, file: File, length: u64) {
        let mut lists = self.lists.lock().unwrap_or_else(PoisonError::into_inner);
        if lists.get(&snapshot.account).is_some_and(|kept| kept.revision >= snapshot.revision) {
            return;
        }
        let used = Instant::now();
        let kept = Kept { revision: snapshot.revision, file: Arc::new(file), length, used };
        lists.insert(snapshot.account, kept);
        // What was not asked for the longest goes first; a file that is being sent lives until it is sent.
        while lists.values().map(|kept| kept.length).sum::<u64>() > self.limit {
            let oldest =
                lists.iter().min_by_key(|(_, kept)| kept.used).map(|(account, _)| *account);
            let Some(oldest) = oldest else { return };
            lists.remove(&oldest);
        }
    }
}

/// A list on its way into the cache.
#[derive(Debug)]
pub(crate) struct Recording {
    cache: Arc<ListCache>,
    snapshot: Snapshot,
    file: File,
    length: u64,
}

impl Recording {
    /// Writes the next piece. Returns nothing when the list cannot be kept: that fails no answer.
    pub(crate) fn write(mut self, bytes: &[u8]) -> Option<Self> {
        self.length += bytes.len() as u64;
        if self.length > self.cache.limit || self.file.write_all(bytes).is_err() {
            return None;
        }
        Some(self)
    }

    /// Keeps what was written, which is the whole list.
    pub(crate) fn finish(self) {
        let Self { cache, snapshot, file, length } = self;
        cache.put(snapshot, file, length);
    }
}

/// A kept list that is being sent.
#[derive(Debug)]
pub(crate) struct KeptList {
    file: Arc<File>,
    offset: u64,
    length: u64,
    piece: usize,
    asked: Option<Instant>,
}

impl KeptList {
    pub(crate) fn is_finished(&self) -> bool {
        self.offset == self.length
    }

    /// Reads the next piece: larger ones for a client that takes them quickly, so that one that does not holds little.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        if self.is_finished() {
            return Ok(None);
        }
        let quick = self.asked.is_some_and(|asked| asked.elapsed() < QUICK);
        self.piece = if quick { LARGEST_PIECE.min(self.piece * 2) } else { SMALLEST_PIECE };
        self.asked = Some(Instant::now());
        let left = usize::try_from(self.length - self.offset).unwrap_or(usize::MAX);
        let mut bytes = vec![0; self.piece.min(left)];
        self.file.read_exact_at(&mut bytes, self.offset)?;
        self.offset += bytes.len() as u64;
        Ok(Some(Bytes::from(bytes)))
    }
}

const SMALLEST_PIECE: usize = 64 * 1024;

const LARGEST_PIECE: usize = 128 * 1024 - 64;

/// A client that asks for the next piece so soon is waiting for us, and not we for it.
pub(crate) const QUICK: Duration = Duration::from_millis(20);
