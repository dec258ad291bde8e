//! Standard input as a file of an import, and the lines of a file.

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

/// A reader that counts lines.
pub(super) struct Counted<R> {
    reader: R,
    line: Rc<Cell<u64>>,
}

impl<R: Read> Counted<R> {
    /// Returns the reader, and the number of the line that it is in.
    pub(super) fn new(reader: R) -> (Self, Rc<Cell<u64>>) {
        let line = Rc::new(Cell::new(1));
        (Self { reader, line: Rc::clone(&line) }, line)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        let read = buffer.get(..length).unwrap_or_default();
        for byte in read {
            self.line.set(self.line.get() + u64::from(*byte == b'\n'));
        }
        Ok(length)
    }
}

/// Returns the error of a file that cannot be read.
pub(super) fn unreadable(place: Place, error: &io::Error) -> Error {
    Error::at(place, format!("cannot read the file: {error}"))
}
