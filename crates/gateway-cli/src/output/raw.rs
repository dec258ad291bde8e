//! Bytes as they come; on a terminal, what would act on it is shown instead.

use std::io::{self, Write as _};

use crate::escape::printable;
use crate::failure::Failure;
use crate::output::destination::Destination;
use crate::output::flags::OutputFlags;
use crate::screen::Screen;

/// An output for bytes of any number, of which it keeps few.
#[derive(Debug)]
pub(crate) struct Raw {
    out: Destination,
    terminal: bool,
    /// The line that has begun, on a terminal.
    line: Vec<u8>,
    last: Option<u8>,
}

impl Raw {
    /// Opens the output.
    pub(crate) fn open(flags: &OutputFlags, screen: Screen) -> Result<Self, Failure> {
        let out = Destination::open(flags.file())?;
        let terminal = out.view(screen).is_terminal();
        Ok(Self { out, terminal, line: Vec::new(), last: None })
    }

    /// Writes a piece.
    pub(crate) fn push(&mut self, piece: &[u8]) -> io::Result<()> {
        self.last = piece.last().copied().or(self.last);
        if !self.terminal {
            return self.out.write_all(piece);
        }
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if let Some(line) = self.line.strip_suffix(b"\n") {
                writeln!(self.out, "{}", shown(line.strip_suffix(b"\r").unwrap_or(line)))?;
                self.line.clear();
            } else if self.line.len() > LONG_LINE {
                let (begun, rest) = self.line.split_at(character_end(&self.line));
                write!(self.out, "{}", shown(begun))?;
                self.line = rest.to_vec();
            }
        }
        Ok(())
    }

    /// Ends the last line, if there is one without an end.
    pub(crate) fn end_line(&mut self) -> io::Result<()> {
        match self.last {
            None | Some(b'\n') => Ok(()),
            Some(_) => self.push(b"\n"),
        }
    }

    /// Passes on what has been written, because the next piece may be long in coming.
    pub(crate) fn pause(&mut self) {
        self.out.leave();
    }

    /// Passes on what came before something went wrong, so that what is said of it stands below.
    pub(crate) fn cut(&mut self) {
        if self.out.is_read_meanwhile() {
            let ended = if self.terminal { self.end_line() } else { Ok(()) };
            // There is something worse to tell than that this did not work either.
            drop(ended.and_then(|()| self.out.flush()));
        }
    }

    /// Writes what is left; a file takes its name now.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        if self.terminal {
            self.end_line()?;
        }
        self.out.finish()
    }
}

fn shown(line: &[u8]) -> String {
    printable(&String::from_utf8_lossy(line)).into_owned()
}

/// Returns how much of `text` ends with a whole character, and not with a CR that may belong to the end of the line.
fn character_end(text: &[u8]) -> usize {
    let whole = match text.utf8_chunks().last() {
        // What is cut may be completed by the next piece.
        Some(last) if last.invalid().len() < 4 => text.len() - last.invalid().len(),
        _ => text.len(),
    };
    let cr = text.get(..whole).is_some_and(|text| text.ends_with(b"\r"));
    whole - usize::from(cr)
}

/// A longer line is written before its end has come, in bytes.
const LONG_LINE: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{LONG_LINE, Raw};
    use crate::output::destination::Destination;

    /// Writes the pieces as on a terminal, and returns what is there then.
    fn on_terminal(pieces: &[&[u8]]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("terminal");
        let out = Destination::open(Some(&path)).unwrap();
        let mut raw = Raw { out, terminal: true, line: Vec::new(), last: None };
        for piece in pieces {
            raw.push(piece).unwrap();
        }
        raw.finish().unwrap();
        std::fs::read_to_string(path).unwrap()
    }

    #[test]
    fn lines_end_where_they_end() {
        assert_eq!(on_terminal(&[]), "");
        assert_eq!(on_terminal(&[b"a"]), "a\n");
        assert_eq!(on_terminal(&[b"a\n"]), "a\n");
        assert_eq!(on_terminal(&[b"a\r", b"\nb\r\n\n", b"c"]), "a\nb\n\nc\n");
        assert_eq!(on_terminal(&[b"a\rb\x1b[2J\xff"]), "a\\u{d}b\\u{1b}[2J\u{fffd}\n");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn pieces_do_not_show(
            text in "[aé😀\\r\\n\u{9b}]{0,40}",
            long in prop_oneof![Just(0), LONG_LINE - 9..LONG_LINE + 9],
            cut in any::<prop::sample::Index>(),
        ) {
            let text = "x".repeat(long) + &text;
            let (one, other) = text.as_bytes().split_at(cut.index(text.len() + 1));
            prop_assert_eq!(on_terminal(&[one, other]), on_terminal(&[text.as_bytes()]));
        }
    }
}
