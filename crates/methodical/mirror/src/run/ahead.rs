//! Reads rows ahead: most lists have the order of the last time, and a row that was read ahead needs no lookup.

use crate::engine::known::{Known, State};
use crate::engine::known_rows::KnownRows;
use crate::error::Error;
use crate::fields::text_hash::TextHash;
use crate::store::Store;

/// The rows that are expected next, in the order of their keys.
#[derive(Debug, Default)]
pub(crate) struct Ahead {
    page: KnownRows,
    /// The rows before this one were taken, or their records did not occur where they were expected.
    next: usize,
    /// The rows after this one are not read yet.
    after: i64,
    is_at_end: bool,
    read: usize,
    hits: usize,
}

impl Ahead {
    /// Reads more rows if they are needed and a list in this order is likely to have them.
    pub(crate) fn read(&mut self, store: &mut Store, table: &str) -> Result<(), Error> {
        if !self.pays() {
            self.page = KnownRows::default();
            self.next = 0;
        }
        while self.wants() {
            self.page.drop_front(self.next.saturating_sub(NEAR));
            self.next = self.next.min(NEAR);
            let before = self.page.len();
            store.known_after(table, self.after, &mut self.page)?;
            let read = self.page.len() - before;
            self.read += read;
            self.is_at_end = read == 0;
            self.after = self.page.last_key().filter(|_| read > 0).unwrap_or(self.after);
        }
        Ok(())
    }

    fn wants(&self) -> bool {
        self.page.len() - self.next < NEAR && !self.is_at_end && self.pays()
    }

    /// A list in another order would read and compare many rows in vain.
    const fn pays(&self) -> bool {
        self.read <= self.hits * 2 + TRIALS
    }

    /// Takes the present row that was written from this text, with these columns.
    pub(crate) fn take_text(&mut self, text: TextHash, shape: i64) -> Option<Known> {
        self.take(|_, known| {
            known.text == Some(text) && known.state == State::Present && known.shape == shape
        })
    }

    /// Takes the row of a record.
    pub(crate) fn take_id(&mut self, id: &str) -> Option<Known> {
        self.take(|one, _| one == id)
    }

    /// Takes the nearest row that is wanted. Rows after it stay, and rows shortly before it: lists have gaps, and records move.
    fn take(&mut self, is_wanted: impl Fn(&str, &Known) -> bool) -> Option<Known> {
        let length = self.page.len();
        let expected = self.next..length.min(self.next + NEAR);
        let passed = self.next.saturating_sub(NEAR)..self.next;
        let (index, known) = expected
            .chain(passed)
            .filter_map(|index| self.page.get(index).map(|row| (index, row)))
            .find_map(|(index, (id, known))| is_wanted(id, known).then_some((index, *known)))?;
        self.page.take(index);
        self.next = self.next.max(index + 1);
        self.hits += 1;
        Some(known)
    }

    /// Continues after a row that was looked up, unless it lies before the expected ones.
    pub(crate) fn jump(&mut self, key: i64) {
        if key > self.after {
            self.page = KnownRows::default();
            (self.next, self.after, self.is_at_end) = (0, key, false);
        }
        let passed = self.page.count_to(key);
        self.next = self.next.max(passed);
    }
}

/// Maximum distance of a row from the expected one, in rows.
const NEAR: usize = 32;

/// Number of rows that are read before a list in another order is noticed.
const TRIALS: usize = 16_384;

#[cfg(test)]
mod tests {
    use methodical_model::{Column, Table};

    use super::Ahead;
    use crate::engine::known::Known;
    use crate::fields::hash::{Hash, Secret};
    use crate::fields::row::Row;
    use crate::fields::shape::Shape;
    use crate::fields::text_hash::TextHasher;
    use crate::store::Store;
    use crate::store::data::{Scope, Written};

    const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);
    const ROWS: i64 = 20_000;

    /// A store that has rows with the keys 1 to `ROWS`.
    fn store(texts: &TextHasher) -> Store {
        let (mut store, shape) = (Store::in_memory().unwrap(), Shape::of(&PHOTO).unwrap());
        let scope = Scope { name: "photos/list", table: "photo" };
        let shape = store.begin(scope, &shape).unwrap().shape;
        let (meaning, row) = (Hash::from_bytes([7; 16]), Row::default());
        for key in 1..=ROWS {
            let id = key.to_string();
            let hashes = (meaning, texts.hash(&id));
            store.write("photo", &Written::new(key, &id, hashes, shape, &row, 0)).unwrap();
        }
        store
    }

    /// Takes records from the rows, by their texts or by their identities. Returns how many rows were read, and how many
    /// records must be looked up.
    fn costs(list: &[i64], by_text: bool) -> (usize, usize) {
        let texts = TextHasher::new(&Secret::from_bytes([1; 32]), "");
        let (mut store, mut ahead, mut looked_up) = (store(&texts), Ahead::default(), 0);
        for wanted in list {
            ahead.read(&mut store, "photo").unwrap();
            let id = wanted.to_string();
            let found: Option<Known> =
                if by_text { ahead.take_text(texts.hash(&id), 1) } else { ahead.take_id(&id) };
            if let Some(known) = found {
                assert_eq!(known.key, *wanted);
                continue;
            }
            looked_up += 1;
            if *wanted <= ROWS {
                ahead.jump(*wanted);
            }
        }
        (ahead.read, looked_up)
    }

    fn assert_costs(list: impl IntoIterator<Item = i64>, most_read: usize, most_looked_up: usize) {
        let list: Vec<i64> = list.into_iter().collect();
        for by_text in [true, false] {
            let (read, looked_up) = costs(&list, by_text);
            assert!(read <= most_read && looked_up <= most_looked_up, "{read} {looked_up}");
        }
    }

    #[test]
    fn a_list_in_the_same_order_needs_no_lookup() {
        assert_costs(1..=ROWS, 20_000, 0);
    }

    #[test]
    fn short_gaps_and_short_moves_need_no_lookup() {
        assert_costs((1..=ROWS).filter(|key| key % 100 > 9), 20_000, 0);
        assert_costs(
            (0..ROWS / 8).flat_map(|group| (1..=8).rev().map(move |key| group * 8 + key)),
            20_000,
            0,
        );
    }

    #[test]
    fn each_long_gap_and_each_new_record_cost_one_lookup() {
        assert_costs((1..=ROWS).filter(|key| key % 1000 > 99), 20_000, 20);
        assert_costs((1..=500).flat_map(|key| [key, 2 * ROWS + key]), 1024, 500);
    }

    #[test]
    fn a_row_is_taken_once() {
        assert_costs([1, 2, 3], 512, 0);
        assert_eq!(costs(&[1, 2, 1, 3], true), (512, 1));
    }

    #[test]
    fn a_list_in_another_order_gives_up_reading_ahead() {
        assert_costs((1..=ROWS).rev(), 17_000, 20_000);
        assert_costs((0..ROWS).map(|index| index * 7919 % ROWS + 1), 17_000, 20_000);
    }
}
