//! What every output format does: it takes records one by one, and writes.

use std::io::{self, Write};

/// One output format. A new one is a type with these functions, a variant of [`Format`](crate::output::Format), and an
/// arm where the name of a file is read and one where the form is made.
pub(crate) trait Form {
    /// Takes one record, as JSON text on one line.
    fn record(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()>;

    /// Writes what it can, because nobody knows when the next record comes.
    fn pause(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes what is left and ends the line, because something went wrong: what comes out is seen to have no end.
    fn cut(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes what is left, and returns what the person should know about the output.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<Option<String>>;
}
