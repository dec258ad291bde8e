//! The trait for receivers of events, their failures, and a receiver that writes JSON lines.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;
use std::io::{self, Write};
use std::time::Duration;

use crate::error::Error;
use crate::feed::Event;

/// A receiver of events.
///
/// # Examples
///
/// ```
/// use methodical_mirror::{Event, Failure, Sink};
///
/// /// Counts events.
/// #[derive(Default)]
/// struct Counter(u64);
///
/// impl Sink for Counter {
///     fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
///         self.0 += events.len() as u64;
///         Ok(())
///     }
/// }
/// ```
pub trait Sink {
    /// Delivers the next events: at least one, and at most [`batch`](Self::batch). Once this has succeeded, they are not
    /// delivered again.
    ///
    /// # Errors
    ///
    /// Returns a failure, which says when all these events are to be delivered again.
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure>;

    /// Returns the maximum number of events that are delivered together. Default: 1. If the process is killed, up to this
    /// many events are delivered twice.
    fn batch(&self) -> usize {
        1
    }
}

/// The reason why events were not delivered, and the consequence.
///
/// The text is a lowercase fragment. It is logged, so it must not contain a value of a record or a secret.
#[derive(Debug)]
pub struct Failure {
    pub(crate) text: Cow<'static, str>,
    pub(crate) consequence: Consequence,
    pub(crate) source: Option<Box<dyn StdError + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consequence {
    /// The event is delivered again after a delay that grows with each failure, but at least this long.
    Retry(Option<Duration>),
    /// The delivery ends as if there were no more events.
    Close,
    /// Nothing is delivered until the consumer is enabled again.
    Disable,
}

impl Failure {
    /// Creates a failure. The event is delivered again after a delay that grows with each failure.
    pub fn new(text: impl Into<Cow<'static, str>>) -> Self {
        Self { text: text.into(), consequence: Consequence::Retry(None), source: None }
    }

    /// Creates the failure for an event that cannot be written as JSON.
    pub(crate) fn from_error(error: Error) -> Self {
        Self::new(error.to_string()).because(error)
    }

    /// Creates the failure for a receiver that was closed, such as a pipe whose reader has gone. The delivery ends
    /// without an error.
    pub fn closed() -> Self {
        Self { consequence: Consequence::Close, ..Self::new("the receiver was closed") }
    }

    /// Sets the minimum delay until the event is delivered again, at most 24 hours.
    #[must_use]
    pub fn retry_after(self, delay: Duration) -> Self {
        Self { consequence: Consequence::Retry(Some(delay)), ..self }
    }

    /// Disables the consumer: nothing is delivered until it is enabled again.
    #[must_use]
    pub fn disable(self) -> Self {
        Self { consequence: Consequence::Disable, ..self }
    }

    /// Sets the cause. Its text must not contain a value of a record or a secret.
    #[must_use]
    pub fn because(self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self { source: Some(source.into()), ..self }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl StdError for Failure {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source: &(dyn StdError + 'static) = self.source.as_deref()?;
        Some(source)
    }
}

/// Writes each event as one line of JSON, such as to standard output.
///
/// The position moves after the writer is flushed, which happens at least every 256 events. Up to 256 events may be
/// written again if the process is killed. If the reader closes the pipe, the delivery ends without an error, and the
/// events since the last flush are written again the next time.
///
/// ```
/// use methodical_mirror::{Limits, Mirror, Ndjson};
///
/// # fn main() -> Result<(), methodical_mirror::Error> {
/// let mut mirror = Mirror::in_memory()?;
/// mirror.add_consumer("export")?;
/// let mut lines = Ndjson::new(Vec::new());
/// mirror.deliver("export", &mut lines, &Limits::default())?;
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

    /// Returns the writer, without flushing it.
    pub fn into_inner(self) -> W {
        self.0
    }
}

impl<W: Write> Sink for Ndjson<W> {
    fn deliver(&mut self, events: &[Event]) -> Result<(), Failure> {
        for event in events {
            let json = event.to_json().map_err(Failure::from_error)?;
            writeln!(self.0, "{json}").map_err(failed)?;
        }
        self.0.flush().map_err(failed)
    }

    fn batch(&self) -> usize {
        BATCH
    }
}

fn failed(error: io::Error) -> Failure {
    if error.kind() == io::ErrorKind::BrokenPipe {
        return Failure::closed();
    }
    Failure::new(format!("cannot write the events: {error}")).because(error)
}

impl<W> fmt::Debug for Ndjson<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ndjson").finish_non_exhaustive()
    }
}

/// Maximum number of events between two flushes.
const BATCH: usize = 256;
