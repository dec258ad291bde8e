//! The records of a response, rendered as JSON one after another.

/// The JSON text around the records of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The text before the first record.
    pub(crate) open: &'static str,
    /// The text after the last record.
    pub(crate) close: &'static str,
}

/// The object around the list in a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope {
    /// The operation whose responses have it.
    pub(crate) method: &'static str,
    /// The field whose value says whether the call succeeded.
    pub(crate) marker: &'static str,
    /// The value of the marker after a success.
    pub(crate) success: &'static str,
    /// The field of the list.
    pub(crate) items: &'static str,
}

/// Appends records to a buffer, with commas between them.
#[derive(Debug)]
pub(crate) struct Records<'o> {
    out: &'o mut Vec<u8>,
    is_first: bool,
}

impl<'o> Records<'o> {
    /// Appends to `out`. `is_first` says whether the next record is the first one of its response.
    pub(crate) fn new(out: &'o mut Vec<u8>, is_first: bool) -> Self {
        Self { out, is_first }
    }

    /// Appends a record that is JSON already.
    pub(crate) fn push(&mut self, record: &[u8]) {
        self.next().extend_from_slice(record);
    }

    /// Returns the buffer for the next record.
    pub(crate) fn next(&mut self) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        self.out
    }
}
