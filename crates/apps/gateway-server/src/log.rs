//! The log of the program: the events of this crate, one line each, on standard error.
//!
//! The crate emits its events through `tracing`; a program that embeds a server may collect them in another way. A line
//! that cannot be written in time is dropped and counted: logging never delays a response.
//!
//! `tracing_subscriber::fmt` is not used: its JSON has other names for the time and the event.

use std::io::Write;
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fmt, io};

use clap::ValueEnum;
use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::error::{Error, ErrorKind};
use crate::json;

/// The form of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text if standard error is a terminal, otherwise JSON.
    #[default]
    Auto,
    /// One JSON object per line.
    Json,
    /// Text for people.
    Text,
}

/// The least severe events that are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Level {
    /// No events.
    Off,
    /// Failures of the server.
    Error,
    /// Also warnings, which an operator should check.
    Warn,
    /// Also requests, start and stop.
    #[default]
    Info,
}

impl From<Level> for LevelFilter {
    fn from(level: Level) -> Self {
        match level {
            Level::Off => Self::OFF,
            Level::Error => Self::ERROR,
            Level::Warn => Self::WARN,
            Level::Info => Self::INFO,
        }
    }
}

/// The log of this process.
#[derive(Debug)]
pub(crate) struct Log {
    queue: Queue,
}

impl Log {
    /// Starts to write the events of this process, and its panics, to standard error.
    ///
    /// # Errors
    ///
    /// Fails if the process has a subscriber already, or if no thread can be started.
    pub(crate) fn install(format: Format, level: Level) -> Result<Self, Error> {
        let queue = Queue::to(io::stderr())?;
        let is_json = match format {
            Format::Auto => !io::IsTerminal::is_terminal(&io::stderr()),
            Format::Json => true,
            Format::Text => false,
        };
        let lines = Lines { queue: queue.clone(), is_json, level: level.into(), now };
        let subscriber = tracing_subscriber::registry().with(lines);
        tracing::subscriber::set_global_default(subscriber).map_err(|error| {
            Error::caused(ErrorKind::Config, "cannot start the log of this process", error)
        })?;
        std::panic::set_hook(Box::new(panicked));
        Ok(Self { queue })
    }

    /// Returns the number of lines that were dropped. It grows.
    pub(crate) fn dropped(&self) -> Arc<AtomicU64> {
        self.queue.dropped()
    }

    /// Waits until the lines so far are written, at most for `limit`.
    pub(crate) fn flush(&self, limit: Duration) {
        self.queue.flush(limit);
    }
}

/// Returns the system time, or 1970 for an earlier one.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::UNIX_EPOCH.saturating_add(since).unwrap_or(Timestamp::MAX)
}

/// Emits the event of a panic. A formatted message may contain data, so it is left out.
fn panicked(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(tracing::field::display);
    let message = panic.payload().downcast_ref::<&str>().copied();
    let thread = std::thread::current();
    tracing::error!(name: "panic", location, thread = thread.name(), message);
}

/// Writes each event of this crate as a line.
struct Lines {
    queue: Queue,
    is_json: bool,
    level: LevelFilter,
    /// A function, so that tests can replace the time.
    now: fn() -> Timestamp,
}

impl<S: Subscriber> Layer<S> for Lines {
    /// Other crates may put queries or other data of clients into their events.
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with(env!("CARGO_CRATE_NAME"))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line::begin(self.is_json, (self.now)(), event.metadata());
        event.record(&mut line);
        self.queue.push(line.end());
    }
}

impl fmt::Debug for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lines").field("level", &self.level).finish_non_exhaustive()
    }
}

/// A line that is being written.
#[derive(Debug)]
struct Line {
    is_json: bool,
    bytes: Vec<u8>,
}

impl Line {
    /// Starts a line with the time, the level and the name of an event.
    fn begin(is_json: bool, time: Timestamp, event: &Metadata<'_>) -> Self {
        let mut bytes = Vec::with_capacity(512);
        let (time, name) = (time.strftime("%Y-%m-%dT%H:%M:%S%.6fZ"), event.name());
        let level = match *event.level() {
            tracing::Level::ERROR => "error",
            tracing::Level::WARN => "warn",
            _ => "info",
        };
        // Writing to a vector cannot fail.
        drop(if is_json {
            write!(bytes, "{{\"time\":\"{time}\",\"level\":\"{level}\",\"event\":\"{name}\"")
        } else {
            write!(bytes, "{time} {:5} {name}", level.to_uppercase())
        });
        Self { is_json, bytes }
    }

    /// Ends the line.
    fn end(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(if self.is_json { b"}\n" } else { b"\n" });
        self.bytes
    }

    /// Writes the name of a field.
    fn name(&mut self, field: &Field) {
        let name = field.name();
        drop(if self.is_json {
            write!(self.bytes, ",\"{name}\":")
        } else {
            write!(self.bytes, " {name}=")
        });
    }

    /// Writes a value that is the same in both forms.
    fn plain(&mut self, field: &Field, value: impl fmt::Display) {
        self.name(field);
        drop(write!(self.bytes, "{value}"));
    }
}

impl Visit for Line {
    /// Writes a number of seconds with six decimals: all numbers with a fraction are durations.
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.name(field);
        // A duration is neither negative nor infinite.
        let duration = Duration::try_from_secs_f64(value).unwrap_or_default();
        let (seconds, micros) = (duration.as_secs(), duration.subsec_micros());
        drop(write!(self.bytes, "{seconds}.{micros:06}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.plain(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.plain(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.plain(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.name(field);
        if self.is_json {
            json::text(&mut self.bytes, value);
        } else if !value.is_empty()
            && value.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"')
        {
            self.bytes.extend_from_slice(value.as_bytes());
        } else {
            // Escapes everything that could control a terminal.
            drop(write!(self.bytes, "{value:?}"));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// The lines of the log that are not written yet.
#[derive(Clone, Debug)]
struct Queue {
    sender: SyncSender<Entry>,
    dropped: Arc<AtomicU64>,
}

enum Entry {
    Line(Vec<u8>),
    /// Dropped when the lines before it are written.
    Mark(SyncSender<()>),
}

impl Queue {
    /// Writes lines to `out` from a separate thread, which ends when the last handle is dropped.
    fn to(out: impl Write + Send + 'static) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel(QUEUED_LINES);
        std::thread::Builder::new().name("log".into()).spawn(move || write(out, &receiver))?;
        Ok(Self { sender, dropped: Arc::default() })
    }

    fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dropped)
    }

    /// Queues a line, or drops and counts it.
    fn push(&self, line: Vec<u8>) {
        if self.sender.try_send(Entry::Line(line)).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until the lines so far are written, at most for `limit`.
    fn flush(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let (mark, written) = sync_channel(0);
        let sender = self.sender.clone();
        // On another thread: the queue may be full, and the reader of the log may have stopped.
        let queued =
            std::thread::Builder::new().spawn(move || drop(sender.send(Entry::Mark(mark))));
        if queued.is_ok() {
            let left = deadline.saturating_duration_since(Instant::now());
            // An error means that the time is over.
            written.recv_timeout(left).unwrap_or_default();
        }
    }
}

/// Writes entries until every sender is dropped.
fn write(mut out: impl Write, entries: &Receiver<Entry>) {
    let mut waiting = Vec::with_capacity(WRITE);
    let mut write = |waiting: &mut Vec<u8>| {
        // Ignored: this is the place where an error would be reported.
        drop(out.write_all(waiting));
        waiting.clear();
    };
    while let Ok(first) = entries.recv() {
        // Lines that arrive meanwhile wake no thread: the waking was a third of the cost of a small response.
        std::thread::park_timeout(GATHERING);
        let mut next = Some(first);
        while let Some(entry) = next {
            match entry {
                Entry::Line(line) => waiting.extend_from_slice(&line),
                Entry::Mark(_mark) => write(&mut waiting),
            }
            if waiting.len() >= WRITE {
                write(&mut waiting);
            }
            next = entries.try_recv().ok();
        }
        write(&mut waiting);
    }
}

/// Maximum number of lines that wait to be written.
const QUEUED_LINES: usize = 4096;

/// Time for which lines are gathered before they are written.
const GATHERING: Duration = Duration::from_millis(5);

/// Number of bytes from which on waiting lines are written.
const WRITE: usize = 16 * 1024;

#[cfg(test)]
mod tests;
