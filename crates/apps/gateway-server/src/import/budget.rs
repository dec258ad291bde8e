//! Limits how much of a file is read for one record, so that a record that is far too large is refused before it is in
//! memory.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use crate::error::Error;
use crate::place::Place;

/// A reader that fails when too many bytes were read since the last record.
pub(super) struct Budget<R> {
    reader: R,
    used: Rc<Cell<usize>>,
}

/// Notes the end of each record.
#[derive(Clone, Debug, Default)]
pub(super) struct Records(Rc<Cell<usize>>);

impl Records {
    /// Starts to count the bytes of the next record.
    pub(super) fn next(&self) {
        self.0.set(0);
    }
}

impl<R: Read> Budget<R> {
    pub(super) fn new(reader: R) -> (Self, Records) {
        let records = Records::default();
        (Self { reader, used: Rc::clone(&records.0) }, records)
    }
}

impl<R: Read> Read for Budget<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.used.get() > RECORD_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let length = self.reader.read(buffer)?;
        self.used.set(self.used.get() + length);
        Ok(length)
    }
}

/// Returns the error of a file that cannot be read, or whose record is too large to be read.
pub(super) fn unreadable(place: Place, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::FileTooLarge {
        let text = format!(
            "the record has more than {RECORD_BYTES} bytes; shorten it, or close its quotes"
        );
        return Error::at(place, text);
    }
    Error::at(place, format!("cannot read the file: {error}"))
}

/// Maximum size of a record in a file, in bytes. Far more than a record of the maximum size needs in any format.
pub(super) const RECORD_BYTES: usize = 8 * 1024 * 1024;
