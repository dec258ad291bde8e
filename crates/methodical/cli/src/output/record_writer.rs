//! The writers of records, one for each output format.

use std::io::{self, Write};

/// A writer of records in one format. [`OutputFormat::writer`](crate::OutputFormat::writer) creates it.
///
/// The program passes the same output to every call: a file that replaces its target when the writer has finished, or a
/// stream. A format that needs the whole list writes in [`finish`](Self::finish).
///
/// # Examples
///
/// ```
/// use std::io::{self, Write};
///
/// use methodical_cli::{Ending, RecordWriter};
///
/// /// One JSON object on each line.
/// #[derive(Debug)]
/// struct Lines;
///
/// impl RecordWriter for Lines {
///     fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()> {
///         writeln!(out, "{record}")
///     }
///
///     fn finish(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<Ending> {
///         Ok(Ending::new())
///     }
/// }
///
/// let mut out = Vec::new();
/// Lines.write(&mut out, r#"{"id":"7","title":"Sunrise"}"#)?;
/// assert_eq!(Lines.finish(&mut out)?, Ending::new());
/// assert_eq!(out, b"{\"id\":\"7\",\"title\":\"Sunrise\"}\n");
/// # io::Result::Ok(())
/// ```
pub trait RecordWriter {
    /// Writes one record, given as JSON text on one line. It may hold the record until later.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn write(&mut self, out: &mut (dyn Write + Send), record: &str) -> io::Result<()>;

    /// Writes held records if they have waited long enough. Called before the program waits for the next record, if a
    /// reader sees the output before it is complete.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn idle(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
        Ok(())
    }

    /// Writes held records and ends the line after a failure. The output stays visibly incomplete.
    ///
    /// Called only if a reader sees the output before it is complete: an incomplete file is removed.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn abort(&mut self, _out: &mut (dyn Write + Send)) -> io::Result<()> {
        Ok(())
    }

    /// Writes the rest of the output.
    ///
    /// # Errors
    ///
    /// Fails if the output cannot be written.
    fn finish(&mut self, out: &mut (dyn Write + Send)) -> io::Result<Ending>;
}

/// The end of an output: the notes for the user, and the values that the format cannot hold.
///
/// # Examples
///
/// ```
/// use methodical_cli::Ending;
///
/// let ending = Ending::new()
///     .note("photos from 1,048,576 on are in the sheet `records 2`")
///     .left_out("record 7, field `caption`: 40000 characters, but a cell holds 32767");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Ending {
    pub(crate) notes: Vec<String>,
    pub(crate) left_out: Vec<String>,
    pub(crate) left_out_count: u64,
}

impl Ending {
    /// Creates the end of an output that contains everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a note for the user, which `-q` hides.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Reports a value that is not in the output: the place of the value, and the reason. The program prints the first ones, and
    /// its exit code is 6.
    pub fn left_out(mut self, text: impl Into<String>) -> Self {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_REPORTED {
            self.left_out.push(text.into());
        }
        self
    }
}

/// Maximum number of values whose places are reported.
const MAX_REPORTED: usize = 10;
