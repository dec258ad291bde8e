//! Rows that are read ahead: most lists have the order of the last time, and a lookup of each record costs more.

use std::collections::HashMap;
use std::mem::take;

use crate::engine::known::Known;

/// The rows that are expected next: two pages, because a list has gaps and moves.
#[derive(Debug, Default)]
pub(crate) struct Window {
    newer: HashMap<String, Known>,
    older: HashMap<String, Known>,
    /// The rows after this one are not read yet.
    after: i64,
    is_at_end: bool,
    hits: usize,
    misses: usize,
}

impl Window {
    /// Takes a row out.
    pub(crate) fn take(&mut self, id: &str) -> Option<Known> {
        let known = self.newer.remove(id).or_else(|| self.older.remove(id))?;
        self.hits += 1;
        Some(known)
    }

    /// Counts rows that were looked up.
    pub(crate) fn miss(&mut self, rows: usize) {
        self.misses += rows;
    }

    /// Returns after which key to read the next page. `None` if the rows that are here may suffice for the missing ones of
    /// a batch, or if reading ahead does not pay.
    pub(crate) fn wants(&self, missing: usize, batch: usize) -> Option<i64> {
        let runs_out = self.newer.len() <= batch || missing * 2 > batch;
        (missing > 0 && runs_out && self.pays()).then_some(self.after)
    }

    /// Returns after which key to read the page after the last one.
    pub(crate) fn next(&self) -> Option<i64> {
        self.pays().then_some(self.after)
    }

    /// A list in another order would read many rows in vain.
    fn pays(&self) -> bool {
        !self.is_at_end && self.misses <= self.hits + TRIALS
    }

    /// Adds the page after the last one.
    pub(crate) fn fill(&mut self, page: Vec<(String, Known)>) {
        match page.last() {
            Some((_, last)) => self.after = last.key,
            None => self.is_at_end = true,
        }
        self.older = take(&mut self.newer);
        self.newer = page.into_iter().collect();
    }
}

/// Lookups before reading ahead is given up.
const TRIALS: usize = 2000;

/// Number of rows in a page.
pub(crate) const WINDOW: i64 = 4096;

#[cfg(test)]
mod tests {
    use super::{WINDOW, Window};
    use crate::engine::known::{Known, State};

    /// Takes records from rows with the keys 1 to 20,000. Returns how many pages were read, and how many rows looked up.
    fn costs(list: &[i64]) -> (usize, usize) {
        let (mut window, mut pages, mut looked_up) = (Window::default(), 0, 0);
        for batch in list.chunks(512) {
            let mut missing: Vec<i64> = batch.to_vec();
            missing.retain(|id| window.take(&id.to_string()).is_none());
            while let Some(after) = window.wants(missing.len(), batch.len()) {
                let keys = (after + 1..=20_000).take(usize::try_from(WINDOW).unwrap());
                window.fill(keys.map(|key| (key.to_string(), known(key))).collect());
                pages += 1;
                missing.retain(|id| window.take(&id.to_string()).is_none());
            }
            window.miss(missing.len());
            looked_up += missing.len();
        }
        (pages, looked_up)
    }

    fn known(key: i64) -> Known {
        Known { key, state: State::Present, misses: 0, shape: 1, hash: None }
    }

    #[test]
    fn a_list_in_the_same_order_needs_no_lookup() {
        let list: Vec<i64> = (1..=20_000).collect();
        assert_eq!(costs(&list), (5, 0));
    }

    #[test]
    fn gaps_and_new_records_do_not_end_reading_ahead() {
        let list = (1..=20_000).filter(|key| key % 100 != 0);
        let list: Vec<i64> = list
            .flat_map(|key| {
                [key, 100_000 + key].into_iter().take(if key % 50 == 1 { 2 } else { 1 })
            })
            .collect();
        let (pages, looked_up) = costs(&list);
        assert!(pages <= 6 && looked_up <= 500, "{pages} {looked_up}");
    }

    #[test]
    fn a_list_in_reverse_order_gives_up_reading_ahead() {
        let list: Vec<i64> = (1..=20_000).rev().collect();
        let (pages, looked_up) = costs(&list);
        assert!(pages <= 6 && looked_up > 10_000, "{pages} {looked_up}");
    }
}
