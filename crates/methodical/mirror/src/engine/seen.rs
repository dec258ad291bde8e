//! The rows that occurred in a list: one bit for each row, so that a million records take 125 kB.

/// A set of row numbers.
#[derive(Debug, Default)]
pub(crate) struct Seen(Vec<u64>);

impl Seen {
    /// Adds a row. Returns whether it is new.
    pub(crate) fn insert(&mut self, key: i64) -> bool {
        let (word, bit) = place(key);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let Some(bits) = self.0.get_mut(word) else { return false };
        let is_new = *bits & bit == 0;
        *bits |= bit;
        is_new
    }

    pub(crate) fn contains(&self, key: i64) -> bool {
        let (word, bit) = place(key);
        self.0.get(word).is_some_and(|bits| bits & bit != 0)
    }
}

/// Row numbers begin at 1 and have no large gaps.
fn place(key: i64) -> (usize, u64) {
    let key = usize::try_from(key).unwrap_or_default();
    (key / 64, 1 << (key % 64))
}

#[cfg(test)]
mod tests {
    use super::Seen;

    #[test]
    fn each_row_has_its_bit() {
        let mut seen = Seen::default();
        for key in [1, 63, 64, 65, 1_000_000] {
            assert!(!seen.contains(key));
            assert!(seen.insert(key));
            assert!(seen.contains(key) && !seen.insert(key));
        }
        assert!(!seen.contains(2) && !seen.contains(2_000_000));
    }
}
