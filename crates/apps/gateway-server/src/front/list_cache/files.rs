//! The files of cached lists, and what happens to them when their records are erased.
//!
//! An erasure waits for the holds that began before it, so this keeps one while there are files. [`Files::refresh`]
//! renews it: the new hold first, then a look at the revision of each file, and only then the end of the former hold.
//! A file that is created in between looks at its revision itself, after it was added here.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, Weak};

use crate::error::Error;
use crate::front::list_cache::disk::Stored;
use crate::lock::lock;
use crate::store::{Hold, Snapshot, Store};

/// All files of the cache, also those that are only being sent or written.
#[derive(Debug, Default)]
pub(super) struct Files {
    files: Mutex<Vec<(Snapshot, Weak<Stored>)>>,
    hold: Mutex<Option<Hold>>,
}

impl Files {
    /// Adds a file. Returns `None` if the rows of its snapshot do not exist any more, so that nothing may be written.
    pub(super) fn add(
        &self,
        store: &dyn Store,
        snapshot: Snapshot,
        file: Stored,
    ) -> Option<Arc<Stored>> {
        let file = Arc::new(file);
        let mut files = lock(&self.files);
        files.retain(|(_, file)| file.strong_count() > 0);
        files.push((snapshot, Arc::downgrade(&file)));
        drop(files);
        let mut hold = lock(&self.hold);
        if hold.is_none() {
            *hold = Some(store.hold().ok()?);
        }
        drop(hold);
        store.exists(snapshot).is_ok_and(|exists| exists).then_some(file)
    }

    /// Sets a newer snapshot whose rows a file contains.
    pub(super) fn renew(&self, file: &Arc<Stored>, newer: Snapshot) {
        for (snapshot, known) in lock(&self.files).iter_mut() {
            if std::ptr::eq(known.as_ptr(), Arc::as_ptr(file)) {
                *snapshot = newer;
            }
        }
    }

    /// Returns whether there are files, or a hold for files that are gone.
    pub(super) fn is_in_use(&self) -> bool {
        !lock(&self.files).is_empty() || lock(&self.hold).is_some()
    }

    /// Discards the files whose rows do not exist any more, and returns their snapshots. If the store fails, discards
    /// all.
    pub(super) fn refresh(&self, store: &dyn Store) -> HashSet<Snapshot> {
        let mut hold = lock(&self.hold);
        let all = self.snapshots();
        if all.is_empty() {
            *hold = None;
            return all;
        }
        let (gone, new) = self.gone(store).map_or((all, None), |(gone, new)| (gone, Some(new)));
        lock(&self.files).retain(|(snapshot, file)| {
            let is_gone = gone.contains(snapshot);
            if is_gone && let Some(file) = file.upgrade() {
                file.discard();
            }
            !is_gone
        });
        // The former hold ends after the files. If the store failed, it stays.
        if new.is_some() {
            *hold = new;
        }
        gone
    }

    /// Begins a hold, and returns the snapshots whose rows do not exist any more.
    fn gone(&self, store: &dyn Store) -> Result<(HashSet<Snapshot>, Hold), Error> {
        let hold = store.hold()?;
        let mut gone = HashSet::new();
        for snapshot in self.snapshots() {
            if !store.exists(snapshot)? {
                gone.insert(snapshot);
            }
        }
        Ok((gone, hold))
    }

    /// Returns the snapshots of all files that are still in use.
    fn snapshots(&self) -> HashSet<Snapshot> {
        let mut files = lock(&self.files);
        files.retain(|(_, file)| file.strong_count() > 0);
        files.iter().map(|(snapshot, _)| *snapshot).collect()
    }
}
