//! Rows as the engine knows them, with the identities of their records.

use std::ops::Range;

use crate::engine::known::Known;

/// The knowledge of consecutive rows, and the identities of their records.
#[derive(Debug, Default)]
pub(crate) struct KnownRows {
    ids: String,
    rows: Vec<Row>,
    /// Number of bytes before the first identity.
    dropped: usize,
}

#[derive(Debug)]
struct Row {
    key: i64,
    /// `None` if the row was taken.
    known: Option<Known>,
    /// The place of its identity, in bytes.
    id: Range<usize>,
}

impl KnownRows {
    /// Appends a row.
    pub(crate) fn push(&mut self, id: &str, known: Known) {
        let start = self.dropped + self.ids.len();
        self.ids.push_str(id);
        self.rows.push(Row { key: known.key, known: Some(known), id: start..start + id.len() });
    }

    pub(crate) fn get(&self, index: usize) -> Option<(&str, &Known)> {
        let Row { known, id, .. } = self.rows.get(index)?;
        let id = self.ids.get(id.start - self.dropped..id.end - self.dropped);
        Some((id.unwrap_or_default(), known.as_ref()?))
    }

    pub(crate) fn take(&mut self, index: usize) {
        if let Some(row) = self.rows.get_mut(index) {
            row.known = None;
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn last_key(&self) -> Option<i64> {
        self.rows.last().map(|row| row.key)
    }

    /// Returns the number of rows up to this key.
    pub(crate) fn count_to(&self, key: i64) -> usize {
        self.rows.partition_point(|row| row.key <= key)
    }

    /// Removes the first rows.
    pub(crate) fn drop_front(&mut self, count: usize) {
        let Some(last) = count.checked_sub(1).and_then(|last| self.rows.get(last)) else { return };
        let bytes = last.id.end - self.dropped;
        self.ids.drain(..bytes);
        self.dropped += bytes;
        self.rows.drain(..count);
    }
}
