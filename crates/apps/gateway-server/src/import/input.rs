//! Reads standard input as a file to import.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use crate::error::{Error, Place};

/// Returns whether a path means standard input.
pub(super) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Returns standard input. With `whole_lines`, reading fails if the last line does not end with a line break, because
/// the program that wrote it may have been killed.
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
                let text = "its last line has no line break, so it may be truncated; add one if it is complete";
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
            }
            None => {}
        }
        Ok(length)
    }
}

/// A reader that counts lines and fails when too many bytes were read since the last record.
pub(super) struct Metered<R> {
    reader: R,
    progress: Progress,
}

/// The progress of reading a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Progress(Rc<[Cell<u64>; 2]>);

impl Progress {
    /// Starts to count the bytes of the next record.
    pub(super) fn next_record(&self) {
        let [bytes, _] = &*self.0;
        bytes.set(0);
    }

    pub(super) fn line(&self) -> u64 {
        let [_, breaks] = &*self.0;
        breaks.get() + 1
    }
}

impl<R: Read> Metered<R> {
    pub(super) fn new(reader: R) -> (Self, Progress) {
        let progress = Progress::default();
        (Self { reader, progress: progress.clone() }, progress)
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let [bytes, breaks] = &*self.progress.0;
        if bytes.get() > RECORD_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let length = self.reader.read(buffer)?;
        bytes.set(bytes.get() + length as u64);
        let read = buffer.get(..length).unwrap_or_default();
        for byte in read {
            breaks.set(breaks.get() + u64::from(*byte == b'\n'));
        }
        Ok(length)
    }
}

/// Returns the error for a file that cannot be read, or whose record is too large to be read.
pub(super) fn unreadable(place: Place, error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::FileTooLarge {
        let text = format!(
            "the record has more than {RECORD_BYTES} bytes; shorten it, or look for an unclosed quote"
        );
        return Error::at(place, text);
    }
    Error::at(place, format!("cannot read the input: {error}"))
}

/// Maximum size of a record in a file, in bytes, far more than the largest valid record needs in any format.
const RECORD_BYTES: u64 = 8 * 1024 * 1024;
