//! Finds a CSV quote that is never closed, which the parser does not report.

use std::cell::Cell;
use std::io::Read;
use std::rc::Rc;

/// A reader that passes a table on and tracks its quotes as the parser does (RFC 4180, section 2).
pub(super) struct Quotes<R> {
    reader: R,
    separator: u8,
    state: State,
    line: u64,
    /// The line of the last opening quote.
    opened: u64,
    unclosed: Rc<Cell<Option<u64>>>,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Before the first character of a cell.
    Begin,
    /// In a cell without quotes, or after its closing quote.
    Plain,
    /// In a quoted cell.
    Quoted,
    /// After a quote in a quoted cell: the closing quote, or the first half of an escaped one.
    Quote,
}

impl<R> Quotes<R> {
    /// Wraps `reader`. After its end, the returned cell has the line of the quote that is still open, if any.
    pub(super) fn new(reader: R, separator: u8) -> (Self, Rc<Cell<Option<u64>>>) {
        let unclosed = Rc::default();
        let quotes = Self {
            reader,
            separator,
            state: State::Begin,
            line: 1,
            opened: 0,
            unclosed: Rc::clone(&unclosed),
        };
        (quotes, unclosed)
    }

    fn advance(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\n');
        self.state = match (self.state, byte) {
            (State::Begin, b'"') => {
                self.opened = self.line;
                State::Quoted
            }
            (State::Quoted, b'"') => State::Quote,
            (State::Quote, b'"') | (State::Quoted, _) => State::Quoted,
            (_, b'\r' | b'\n') => State::Begin,
            (_, byte) if byte == self.separator => State::Begin,
            _ => State::Plain,
        };
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = self.reader.read(buffer)?;
        if length == 0 && !buffer.is_empty() {
            self.unclosed.set((self.state == State::Quoted).then_some(self.opened));
        }
        for byte in buffer.get(..length).unwrap_or_default() {
            self.advance(*byte);
        }
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unclosed_quote_is_found_with_its_line() {
        for (text, expected) in [
            ("", None),
            ("a,\"b\"", None),
            ("a,\"b\"\"\"\r\n", None),
            ("a,b\"\n", None),
            ("\"a\"b\"c\n", None),
            ("\"\"", None),
            ("a\n\"b\nc", Some(2)),
            ("\"", Some(1)),
            ("a,\"\"\"", Some(1)),
            ("\"a\"\r\n\"b\",\"c\r\nd\r\n", Some(2)),
        ] {
            let (mut quotes, unclosed) = Quotes::new(text.as_bytes(), b',');
            quotes.read_to_end(&mut Vec::new()).unwrap();
            assert_eq!(unclosed.get(), expected, "{text}");
        }
    }
}
