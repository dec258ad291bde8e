//! Objects with arbitrary keys.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use serde::{Serialize, Serializer};

/// A JSON object with arbitrary keys, such as records by their ids, in the order of the response.
///
/// A record with a duplicate key is rejected. Two maps are equal if they have the same entries, in any order. The keys
/// of a borrowed record are `Cow<str>`.
///
/// # Examples
///
/// ```
/// use methodical_model::Map;
///
/// let sizes: Map<u32> = [("small", 75), ("large", 1024)].map(|(key, size)| (key.to_owned(), size)).into();
/// assert_eq!(sizes.get("large"), Some(&1024));
/// assert_eq!(sizes.iter().map(|(key, _)| key).collect::<Vec<_>>(), ["small", "large"]);
/// assert_eq!(serde_json::to_string(&sizes)?, r#"{"small":75,"large":1024}"#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone)]
pub struct Map<V, K = String> {
    entries: Vec<(K, V)>,
    /// The positions of the entries in the order of their keys.
    sorted: Vec<usize>,
}

impl<V, K: AsRef<str>> Map<V, K> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self { entries: Vec::new(), sorted: Vec::new() }
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the map has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the value of a key. The time grows with the logarithm of the length.
    ///
    /// ```
    /// # use methodical_model::Map;
    /// let map: Map<u32> = [("a".to_owned(), 1)].into();
    /// assert_eq!(map.get("a"), Some(&1));
    /// assert_eq!(map.get("b"), None);
    /// ```
    pub fn get(&self, key: &str) -> Option<&V> {
        let at = self.sorted.get(self.find(key).ok()?)?;
        self.entries.get(*at).map(|(_, value)| value)
    }

    /// Sets the value of a key, and returns the old one. A new key becomes the last one.
    ///
    /// ```
    /// # use methodical_model::Map;
    /// let mut map = Map::new();
    /// assert_eq!(map.insert("a".to_owned(), 1), None);
    /// assert_eq!(map.insert("a".to_owned(), 2), Some(1));
    /// ```
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(key.as_ref()) {
            Ok(found) => {
                let at = self.sorted.get(found)?;
                let (_, old) = self.entries.get_mut(*at)?;
                Some(core::mem::replace(old, value))
            }
            Err(place) => {
                self.sorted.insert(place, self.entries.len());
                self.entries.push((key, value));
                None
            }
        }
    }

    /// Returns the entries in the order of the response.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &V)> + DoubleEndedIterator {
        self.entries.iter().map(|(key, value)| (key.as_ref(), value))
    }

    /// Creates a map; `None` if a key is a duplicate.
    pub(crate) fn from_entries(entries: Vec<(K, V)>) -> Option<Self> {
        let key = |at: &usize| entries.get(*at).map(|(key, _)| key.as_ref());
        let mut sorted: Vec<_> = (0..entries.len()).collect();
        let rises = |sorted: &[usize]| sorted.is_sorted_by(|one, next| key(one) < key(next));
        if !rises(&sorted) {
            sorted.sort_unstable_by(|one, other| key(one).cmp(&key(other)));
            if !rises(&sorted) {
                return None;
            }
        }
        Some(Self { entries, sorted })
    }

    /// Converts all keys and values. The keys must keep their texts.
    pub(crate) fn convert<W, L>(self, key: fn(K) -> L, value: fn(V) -> W) -> Map<W, L> {
        let entries = self.entries.into_iter().map(|(k, v)| (key(k), value(v))).collect();
        Map { entries, sorted: self.sorted }
    }

    /// Returns the place of a key in `sorted`, or the place where it would be.
    fn find(&self, key: &str) -> Result<usize, usize> {
        let key_at = |at: &usize| self.entries.get(*at).map(|(key, _)| key.as_ref());
        self.sorted.binary_search_by(|at| key_at(at).cmp(&Some(key)))
    }
}

impl<V, K: AsRef<str>> Default for Map<V, K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: PartialEq, K: AsRef<str>> PartialEq for Map<V, K> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len()
            && self.iter().all(|(key, value)| other.get(key).is_some_and(|found| found == value))
    }
}

impl<V: Eq, K: AsRef<str>> Eq for Map<V, K> {}

impl<V: fmt::Debug, K: AsRef<str>> fmt::Debug for Map<V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<V: Serialize, K: AsRef<str>> Serialize for Map<V, K> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

/// The last value of a duplicate key wins.
impl<V, K: AsRef<str>> FromIterator<(K, V)> for Map<V, K> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<V, K: AsRef<str>> Extend<(K, V)> for Map<V, K> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<V, K: AsRef<str>, const N: usize> From<[(K, V); N]> for Map<V, K> {
    fn from(entries: [(K, V); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V, K> IntoIterator for Map<V, K> {
    type Item = (K, V);
    type IntoIter = alloc::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::Map;

    #[test]
    fn every_key_is_found_whatever_the_order() {
        let keys = ["m", "", "é", "a", "zz", "z", "b"];
        let map = Map::from_entries(keys.into_iter().zip(0..).collect()).unwrap();
        let built: Map<i32, &str> = keys.into_iter().zip(0..).collect();
        for (key, value) in keys.into_iter().zip(0..) {
            assert_eq!((map.get(key), built.get(key)), (Some(&value), Some(&value)), "{key}");
        }
        assert_eq!((map.get("y"), map.len()), (None, keys.len()));
        assert_eq!(map.iter().map(|(key, _)| key).collect::<Vec<_>>(), keys);
        assert_eq!(map, built);
    }

    #[test]
    fn a_duplicate_key_is_refused() {
        assert!(Map::from_entries([("a", 1), ("b", 2), ("a", 1)].to_vec()).is_none());
    }

    #[test]
    fn the_order_of_entries_does_not_count() {
        let map = |entries: [(&'static str, i32); 2]| Map::from(entries);
        assert_eq!(map([("a", 1), ("b", 2)]), map([("b", 2), ("a", 1)]));
        assert_ne!(map([("a", 1), ("b", 2)]), map([("a", 1), ("b", 3)]));
        assert_ne!(map([("a", 1), ("b", 2)]), map([("a", 1), ("c", 2)]));
    }
}
