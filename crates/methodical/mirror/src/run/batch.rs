//! Records that wait for each other.

use crate::fields::hash::Hash;
use crate::fields::text_hash::TextHash;

/// A record that is compared.
pub(crate) struct Entry {
    pub(crate) place: Place,
    pub(crate) id: String,
    pub(crate) hash: Hash,
    pub(crate) json: String,
}

/// The place of a record in the list, and the hash of its text.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) index: u64,
    pub(crate) text: TextHash,
}

/// The JSON texts of records that are written together.
#[derive(Default)]
pub(crate) struct Waiting {
    text: String,
    /// The place in the list, and the end of the text, of each.
    ends: Vec<(Place, usize)>,
}

impl Waiting {
    pub(crate) fn push(&mut self, place: Place, json: &str) {
        self.text.push_str(json);
        self.ends.push((place, self.text.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Place, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(place, end)| {
            let json = self.text.get(start..end).unwrap_or_default();
            start = end;
            (place, json)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}
