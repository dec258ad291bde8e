//! Standard input as a file of an import.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use crate::error::{Error, Place};

/// Returns whether a path means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns standard input. With `whole_lines`, reading fails at its end if the last line has no line break: the program
/// that writes it may have ended early.
pub(super) fn standard_input(whole_lines: bool) -> Box<dyn Read> {
    let input = BufReader::with_capacity(256 * 1024, io::stdin().lock());
    if whole_lines { Box::new(WholeLines { input, last: b'\n' }) } else { Box::new(input) }
}

struct WholeLines<R> {
    input: R,
    last: u8,
}

impl<R: Read> Read for WholeLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.input.read(buffer)?;
        match buffer.get(..length).and_then(<[u8]>::last) {
            Some(last) => self.last = *last,
            None if !buffer.is_empty() && self.last != b'\n' => {
                let text = "its last line has no line break, so it may be truncated";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
            }
            None => {}
        }
        Ok(length)
    }
}

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
