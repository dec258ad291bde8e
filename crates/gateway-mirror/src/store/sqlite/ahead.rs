//! Reads rows ahead: most lists have the order of the last time, and a row that was read ahead needs no lookup.

use std::collections::VecDeque;

use crate::engine::known::Known;

/// The rows that are expected next.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    rows: VecDeque<(String, Known)>,
    /// The rows after this one are not read yet.
    after: i64,
    /// How many rows the last query asked for.
    size: u32,
    is_at_end: bool,
    hits: u64,
    misses: u64,
}

impl Ahead {
    /// Returns which rows to read now: those after a key, and how many. `None` if none are needed.
    pub(crate) fn wants(&mut self) -> Option<(i64, u32)> {
        // A list in another order would read many rows in vain.
        let pays = self.misses <= self.hits + TRIALS;
        if !self.rows.is_empty() || self.is_at_end || !pays {
            return None;
        }
        self.size = (self.size * 2).clamp(SMALLEST, LARGEST);
        Some((self.after, self.size))
    }

    /// Takes the rows that were read.
    pub(crate) fn fill(&mut self, rows: Vec<(String, Known)>) {
        self.is_at_end = rows.is_empty();
        if let Some((_, last)) = rows.last() {
            self.after = last.key;
        }
        self.rows = rows.into();
    }

    /// Returns the next row if it is this record.
    pub(crate) fn take(&mut self, id: &str) -> Option<Known> {
        self.rows.front().filter(|(next, _)| next == id)?;
        self.hits += 1;
        self.rows.pop_front().map(|(_, known)| known)
    }

    /// Continues after a row that was looked up, unless it lies before the expected ones.
    pub(crate) fn jump(&mut self, key: i64) {
        self.misses += 1;
        if key > self.after {
            self.rows.clear();
            (self.after, self.size, self.is_at_end) = (key, 0, false);
        }
        while self.rows.front().is_some_and(|(_, next)| next.key <= key) {
            self.rows.pop_front();
        }
    }
}

/// Lookups before reading ahead is given up.
const TRIALS: u64 = 1000;

const SMALLEST: u32 = 16;
const LARGEST: u32 = 512;

#[cfg(test)]
mod tests {
    use super::Ahead;
    use crate::engine::known::{Known, State};

    /// Takes records from rows with the keys 1 to 1000. Returns how many rows were read, and how many looked up.
    fn costs(list: impl IntoIterator<Item = i64>) -> (usize, usize) {
        let (mut ahead, mut read, mut looked_up) = (Ahead::default(), 0, 0);
        for wanted in list {
            if let Some((after, size)) = ahead.wants() {
                let keys = (after + 1..=1000).take(size as usize);
                let rows: Vec<_> = keys.map(|key| (key.to_string(), known(key))).collect();
                read += rows.len();
                ahead.fill(rows);
            }
            if let Some(known) = ahead.take(&wanted.to_string()) {
                assert_eq!(known.key, wanted);
                continue;
            }
            looked_up += 1;
            if wanted <= 1000 {
                ahead.jump(wanted);
            }
        }
        (read, looked_up)
    }

    fn known(key: i64) -> Known {
        Known { key, state: State::Present, misses: 0, shape: 1, hash: None }
    }

    #[test]
    fn a_list_in_the_same_order_needs_no_lookup() {
        assert_eq!(costs(1..=1000), (1000, 0));
    }

    #[test]
    fn each_gap_costs_one_lookup() {
        let (read, looked_up) = costs((1..=1000).filter(|key| key % 100 != 0));
        assert_eq!((read, looked_up), (1000, 9));
    }

    #[test]
    fn new_records_cost_one_lookup_each() {
        let (read, looked_up) = costs((1..=500).flat_map(|key| [key, 2000 + key]));
        assert_eq!(looked_up, 500);
        assert!(read <= 1000, "{read}");
    }

    #[test]
    fn a_list_in_reverse_order_gives_up_reading_ahead() {
        let lists = (0..10).flat_map(|_| (1..=1000).rev());
        let (read, looked_up) = costs(lists);
        assert_eq!(looked_up, 10_000);
        assert!(read < 2000, "{read}");
    }
}
