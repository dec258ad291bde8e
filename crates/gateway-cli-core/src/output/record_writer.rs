//! The trait of the output formats.

use std::io::{self, Write};

/// A writer of records in one format.
///
/// To add a format, implement this trait, add a variant to [`Format`](crate::output::format::Format), map its file
/// extensions there, and create the writer in [`Printer`](crate::output::printer::Printer).
pub(crate) trait RecordWriter {
    /// Writes one record, given as JSON text on one line.
    fn write(&mut self, out: &mut dyn Write, record: &str) -> io::Result<()>;

    /// Writes held records if they have waited long enough. Called before the program waits for the next record.
    fn idle(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes held records and ends the line after a failure. The output stays visibly incomplete.
    fn abort(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes the rest of the output. May return a note for the user.
    fn finish(&mut self, out: &mut dyn Write) -> io::Result<Option<String>>;
}
