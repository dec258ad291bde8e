//! Records that wait for each other.

use crate::fields::hash::Hash;

/// A record that waits for its batch.
pub(crate) struct Entry {
    pub(crate) index: u64,
    pub(crate) id: String,
    pub(crate) hash: Hash,
    pub(crate) json: String,
}

/// The JSON texts of records that are written together.
#[derive(Default)]
pub(crate) struct Waiting {
    text: String,
    /// The index in the list, and the end of the text, of each.
    ends: Vec<(u64, usize)>,
}

impl Waiting {
    pub(crate) fn push(&mut self, index: u64, json: &str) {
        self.text.push_str(json);
        self.ends.push((index, self.text.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &str)> {
        let mut start = 0;
        self.ends.iter().map(move |&(index, end)| {
            let json = self.text.get(start..end).unwrap_or_default();
            start = end;
            (index, json)
        })
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }
}
