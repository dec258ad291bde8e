//! Records that wait for each other.

use crate::engine::known::Known;
use crate::fields::hash::Hash;
use crate::fields::render::{Mark, Rendered};
use crate::fields::text_hash::TextHash;

/// A record that waits for its batch.
pub(crate) struct Entry {
    pub(crate) place: Place,
    pub(crate) id: String,
    pub(crate) hash: Hash,
    pub(crate) json: String,
    /// The knowledge of the store, if it was read ahead.
    pub(crate) known: Option<Known>,
}

/// The place of a record in the list, and the hash of its text.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) index: u64,
    pub(crate) text: TextHash,
}

/// Records that are written together.
#[derive(Default)]
pub(crate) struct Waiting {
    text: String,
    marks: Vec<Mark>,
    /// The place in the list, and the length of the text and the number of marks, of each.
    records: Vec<(Place, usize, usize)>,
}

impl Waiting {
    pub(crate) fn push(&mut self, place: Place, record: Rendered<'_>) {
        self.text.push_str(record.json);
        self.marks.extend_from_slice(record.marks);
        self.records.push((place, record.json.len(), record.marks.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Place, Rendered<'_>)> {
        let (mut text, mut marks) = (&*self.text, &*self.marks);
        self.records.iter().map(move |&(place, length, count)| {
            let (json, texts) = text.split_at_checked(length).unwrap_or_default();
            let (own, others) = marks.split_at_checked(count).unwrap_or_default();
            (text, marks) = (texts, others);
            (place, Rendered { json, marks: own })
        })
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
        self.records.clear();
    }
}
