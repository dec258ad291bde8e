//! Writes events as lines of JSON.

use std::fmt;
use std::io::{ErrorKind, Write};

use crate::feed::event::Event;
use crate::feed::sink::{Failure, Sink};

/// Writes each event as one line of JSON, such as to standard output.
///
/// The position moves after the writer was flushed, at the latest after 256 events. So many events are written twice if the
/// process is killed. If the reader closes the pipe, the delivery ends without an error, and the events since the last flush
/// are written again the next time.
///
/// # Examples
///
/// ```
/// use methodical_mirror::{Limits, Mirror, Ndjson, StartAt};
///
/// # fn main() -> Result<(), methodical_mirror::Error> {
/// let mut mirror = Mirror::in_memory()?;
/// mirror.add_consumer("export", &StartAt::Oldest)?;
/// let mut lines = Ndjson::new(Vec::new());
/// mirror.deliver("export", &mut lines, &Limits::new())?;
/// assert!(lines.into_inner().is_empty());
/// # Ok(())
/// # }
/// ```
pub struct Ndjson<W>(W);

impl<W: Write> Ndjson<W> {
    /// Creates a sink from a writer, such as the locked standard output. A buffered writer is faster.
    pub fn new(writer: W) -> Self {
        Self(writer)
    }

    /// Returns the writer.
    pub fn into_inner(self) -> W {
        self.0
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn deliver(&mut self, event: &Event) -> Result<(), Failure> {
        let mut line = event.to_json().map_err(Failure::from_error)?;
        line.push('\n');
        self.0.write_all(line.as_bytes()).map_err(failed)
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.0.flush().map_err(failed)
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

fn failed(error: std::io::Error) -> Failure {
    if error.kind() == ErrorKind::BrokenPipe {
        return Failure::closed();
    }
    Failure::new(format!("cannot write the events: {error}")).because(error)
}

impl<W> fmt::Debug for Ndjson<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ndjson").finish_non_exhaustive()
    }
}

/// Number of events between two flushes.
const BATCH: usize = 256;
