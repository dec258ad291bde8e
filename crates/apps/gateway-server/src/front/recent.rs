//! A map of limited size that forgets the keys that were not inserted for longest.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// A map in two generations. When the newer one is full, it becomes the older one, and the keys of that are forgotten.
#[derive(Debug)]
pub(crate) struct Recent<K, V> {
    /// Maximum number of keys in a generation.
    half: usize,
    newer: HashMap<K, V>,
    older: HashMap<K, V>,
}

impl<K: Eq + Hash, V> Recent<K, V> {
    /// Creates a map of at most `capacity` keys, of which it remembers at least the last half.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { half: capacity / 2, newer: HashMap::new(), older: HashMap::new() }
    }

    pub(crate) fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.newer.get(key).or_else(|| self.older.get(key))
    }

    /// Inserts a value, or replaces it. The key is then the last one to be forgotten.
    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.newer.len() >= self.half && !self.newer.contains_key(&key) {
            self.older = std::mem::take(&mut self.newer);
        }
        self.newer.insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: &K) {
        self.newer.remove(key);
        self.older.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_keys_are_remembered_and_no_more_than_the_capacity() {
        let mut recent = Recent::new(100);
        for key in 0..10_000_u32 {
            recent.insert(key, key);
            // A key that is inserted repeatedly is never forgotten.
            recent.insert(0, 0);
            assert!(recent.newer.len() + recent.older.len() <= 100);
            assert!((key.saturating_sub(48)..=key).all(|key| recent.get(&key) == Some(&key)));
            assert_eq!(recent.get(&0), Some(&0));
        }
        assert_eq!(recent.get(&9_000), None);
        recent.remove(&0);
        assert_eq!(recent.get(&0), None);
    }
}
