//! The known rows of a table: read once under the lock, and compared in memory.
//!
//! It takes about 200 bytes for each record, so a table of a million records takes 200 MB during its sync.

use std::collections::HashMap;

use crate::engine::known::{Known, State};
use crate::fields::text_hash::TextHash;

/// The rows of a table, by the identities and by the texts of their records.
#[derive(Debug, Default)]
pub(crate) struct KnownRows {
    rows: Vec<Known>,
    ids: HashMap<Box<str>, usize>,
    texts: HashMap<TextHash, usize>,
}

impl KnownRows {
    /// Sets what is known of a record.
    pub(crate) fn set(&mut self, id: &str, known: Known) {
        let next = self.rows.len();
        let index = match self.ids.get(id) {
            Some(index) => *index,
            None => *self.ids.entry(id.into()).or_insert(next),
        };
        match self.rows.get_mut(index) {
            Some(row) => *row = known,
            None => self.rows.push(known),
        }
        if let Some(text) = known.text {
            self.texts.insert(text, index);
        }
    }

    /// Returns what is known of a record.
    pub(crate) fn of_id(&self, id: &str) -> Option<Known> {
        self.rows.get(*self.ids.get(id)?).copied()
    }

    /// Returns the present row that was written from this text, with these columns.
    pub(crate) fn of_text(&self, text: TextHash, shape: i64) -> Option<Known> {
        let known = self.rows.get(*self.texts.get(&text)?).copied()?;
        let is_current = known.text == Some(text) && known.shape == shape;
        (is_current && known.state == State::Present).then_some(known)
    }
}

#[cfg(test)]
mod tests {
    use super::KnownRows;
    use crate::engine::known::{Known, State};
    use crate::fields::hash::Secret;
    use crate::fields::text_hash::TextHasher;

    #[test]
    fn a_row_is_found_by_its_identity_and_by_its_last_text() {
        let texts = TextHasher::new(&Secret::from_bytes([1; 32]), "");
        let (old, new) = (texts.hash("old"), texts.hash("new"));
        let known = |key, text| {
            let text = Some(text);
            Known { key, state: State::Present, misses: 0, shape: 1, hash: None, text }
        };
        let mut rows = KnownRows::default();
        rows.set("1", known(7, old));
        rows.set("2", known(8, texts.hash("other")));
        assert_eq!(rows.of_text(old, 1).map(|one| one.key), Some(7));
        assert_eq!(rows.of_text(old, 2), None);
        rows.set("1", known(7, new));
        assert_eq!((rows.of_text(old, 1), rows.of_id("3")), (None, None));
        assert_eq!(rows.of_text(new, 1), rows.of_id("1"));
        rows.set("1", Known { state: State::Missing, ..known(7, new) });
        assert_eq!(rows.of_text(new, 1), None);
    }
}
