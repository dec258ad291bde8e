//! The texts of the records of a list, and whether rows get the hashes of theirs.

use crate::error::Error;
use crate::fields::text_hash::{TextHash, TextHasher};
use crate::store::Store;

/// Hashes the texts of one list.
///
/// If only the text of a record differs, such as the order of its fields, its row is not written: a service may send them in
/// another order each time. The exception is the first list that is read in a new way, such as by another release: its rows are
/// written once, and get the hashes of the texts.
pub(crate) struct Texts {
    hasher: TextHasher,
    /// The note that a complete list was read in this way.
    note: String,
    is_new: bool,
}

impl Texts {
    pub(crate) fn of(store: &mut Store, table: &str, reading: &str) -> Result<Self, Error> {
        let hasher = TextHasher::new(&store.identity().secret, reading);
        let note = format!("texts of {table} {}", hasher.name());
        let is_new = store.note(&note)?.is_none();
        Ok(Self { hasher, note, is_new })
    }

    pub(crate) fn hash(&self, text: &str) -> TextHash {
        self.hasher.hash(text)
    }

    /// Returns whether a row is written if only its text differs.
    pub(crate) const fn are_new(&self) -> bool {
        self.is_new
    }

    /// Notes that the list is complete.
    pub(crate) fn finish(&self, store: &mut Store) -> Result<(), Error> {
        if self.is_new { store.set_note(&self.note, "complete") } else { Ok(()) }
    }
}
