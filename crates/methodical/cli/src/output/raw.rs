//! Unchanged bytes; on a terminal, control characters are escaped.

use std::io::{self, Write as _};

use crate::escape::printable;
use crate::failure::Failure;
use crate::invocation::Invocation;
use crate::output::destination::Destination;

/// An output of bytes, in constant memory.
#[derive(Debug)]
pub(crate) struct Raw {
    out: Destination,
    terminal: bool,
    /// On a terminal: the start of the current line.
    line: Vec<u8>,
    last: Option<u8>,
}

impl Raw {
    /// Opens the output.
    pub(crate) fn open(invocation: &Invocation) -> Result<Self, Failure> {
        let out = Destination::open(invocation.output.file(), &invocation.program)?;
        let terminal = out.view(invocation.screen).is_terminal();
        Ok(Self { out, terminal, line: Vec::new(), last: None })
    }

    /// Writes a piece of the response.
    pub(crate) fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        self.last = piece.last().copied().or(self.last);
        if !self.terminal {
            return self.out.write_all(piece);
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                writeln!(self.out, "{}", safe(line.strip_suffix(b"\r").unwrap_or(line)))?;
                self.line.clear();
            } else if self.line.len() > MAX_LINE {
                let (start, rest) = self.line.split_at(character_end(&self.line));
                write!(self.out, "{}", safe(start))?;
                self.line = rest.to_vec();
            }
        }
        Ok(())
    }

    /// Ends the last line if it has no line end.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        match self.last {
            None | Some(b'\n') => Ok(()),
            Some(_) => self.write(b"\n"),
        }
    }

    /// Flushes live output soon, in the background. Call it before waiting for the next piece.
    pub(crate) fn idle(&mut self) {
        self.out.flush_soon();
    }

    /// Ends the output after a failure, so that the error message appears below the written bytes.
    pub(crate) fn abort(&mut self) {
        if self.out.is_live() {
            let ended = if self.terminal { self.end_line() } else { Ok(()) };
            // The failure that is about to be reported matters more than an error here.
            drop(ended.and_then(|()| self.out.flush()));
        }
    }

    /// Completes the output. A file is renamed to its final name.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.terminal {
            self.end_line()?;
        }
        self.out.finish()
    }
}

fn safe(line: &[u8]) -> String {
    printable(&String::from_utf8_lossy(line)).into_owned()
}

/// Returns the length of `text` without a partial character, or a CR that may belong to the line end, at its end.
fn character_end(text: &[u8]) -> usize {
    let whole = match text.utf8_chunks().last() {
        // The next piece may complete the character.
        Some(last) if last.invalid().len() < 4 => text.len() - last.invalid().len(),
        _ => text.len(),
    };
    let cr = text.get(..whole).is_some_and(|text| text.ends_with(b"\r"));
    whole - usize::from(cr)
}

/// Maximum length of a line that is held until it is complete, in bytes.
const MAX_LINE: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{MAX_LINE, Raw};
    use crate::output::destination::Destination;
    use crate::program::Program;

    /// Writes the pieces as on a terminal, and returns the output.
    fn on_terminal(pieces: &[&[u8]]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terminal");
        let out = Destination::open(Some(&path), &Program::new("photos", "1.0.0")).unwrap();
        let mut raw = Raw { out, terminal: true, line: Vec::new(), last: None };
        for piece in pieces {
            raw.write(piece).unwrap();
        }
        raw.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn line_ends_are_kept_and_a_missing_one_is_added() {
        assert_eq!(on_terminal(&[]), "");
        assert_eq!(on_terminal(&[b"a"]), "a\n");
        assert_eq!(on_terminal(&[b"a\n"]), "a\n");
        assert_eq!(on_terminal(&[b"a\r", b"\nb\r\n\n", b"c"]), "a\nb\n\nc\n");
        assert_eq!(on_terminal(&[b"a\rb\x1b[2J\xff"]), "a\\u{d}b\\u{1b}[2J\u{fffd}\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn the_output_does_not_depend_on_the_pieces(
            text in "[aé😀\\r\\n\u{9b}]{0,40}",
            long in prop_oneof![Just(0), MAX_LINE - 9..MAX_LINE + 9],
            cut in any::<prop::sample::Index>(),
        ) {
            let text = "x".repeat(long) + &text;
            let (one, other) = text.as_bytes().split_at(cut.index(text.len() + 1));
            prop_assert_eq!(on_terminal(&[one, other]), on_terminal(&[text.as_bytes()]));
        }
    }
}
