//! The mirrors that this process has open: their files must not be opened and closed in another way, because closing a file
//! drops all locks that the process has on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How many stores of this process have each file open.
static OPENED: Mutex<BTreeMap<PathBuf, usize>> = Mutex::new(BTreeMap::new());

/// A file that a store has open.
#[derive(Debug)]
pub(crate) struct Opened(PathBuf);

impl Opened {
    /// Notes that a file is about to be opened. Calls `check` before, if no store of this process has it open.
    pub(crate) fn note<E>(path: &Path, check: impl FnOnce() -> Result<(), E>) -> Result<Self, E> {
        let mut opened = lock();
        // The name of a file that does not exist yet has no links.
        let path = path.canonicalize().unwrap_or_else(|_missing| path.to_owned());
        if !opened.contains_key(&path) {
            check()?;
        }
        *opened.entry(path.clone()).or_default() += 1;
        Ok(Self(path))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let mut opened = lock();
        if let Some(count) = opened.get_mut(&self.0) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                opened.remove(&self.0);
            }
        }
    }
}

fn lock() -> MutexGuard<'static, BTreeMap<PathBuf, usize>> {
    OPENED.lock().unwrap_or_else(PoisonError::into_inner)
}
