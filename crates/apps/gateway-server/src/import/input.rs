//! Standard input as a file of an import.

use std::io::{self, BufReader, Read};
use std::path::Path;

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
