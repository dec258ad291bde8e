//! Counts of what is open at the same time, with a maximum for each key.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::lock::lock;

/// The open shares of each key. A key without an open share takes no memory.
#[derive(Debug)]
pub(crate) struct Shares<K> {
    limit: usize,
    open: Mutex<HashMap<K, usize>>,
}

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Creates counts of at most `limit` for each key.
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, open: Mutex::default() })
    }

    /// Opens one more share of a key. Returns `None` if the key has as many as the limit.
    pub(crate) fn open(self: &Arc<Self>, key: &K) -> Option<Share<K>> {
        let mut open = lock(&self.open);
        let count = open.get(key).copied().unwrap_or_default();
        if count >= self.limit {
            return None;
        }
        open.insert(key.clone(), count + 1);
        Some(Share { shares: Arc::clone(self), key: key.clone() })
    }
}

/// A share of a key. Closed when this is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Eq + Hash> {
    shares: Arc<Shares<K>>,
    key: K,
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let mut open = lock(&self.shares.open);
        if let Some(count) = open.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_limit_and_closed_shares_take_no_memory() {
        let shares = Shares::new(2);
        let first = shares.open(&"a").unwrap();
        let second = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        let other = shares.open(&"b").unwrap();
        drop(first);
        let third = shares.open(&"a").unwrap();
        assert!(shares.open(&"a").is_none());
        drop((second, third, other));
        assert!(lock(&shares.open).is_empty());
    }
}
