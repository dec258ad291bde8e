//! The log of the program: the events of this crate, one line each, on standard error.
//!
//! The crate emits its events through `tracing`; a program that embeds a server may collect them in another way. A line
//! that cannot be written in time is dropped and counted: logging never delays a response.
//!
//! `tracing_subscriber::fmt` is not used: its JSON has other names for the time, and none for the event.
//! `tracing_appender` is not used: it needs nine more crates, for thirty lines.

use std::fmt::Write as _;
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fmt, io};

use clap::ValueEnum;
use jiff::Timestamp;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use crate::error::{Error, ErrorKind};

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
#[derive(Clone, Debug)]
pub(crate) struct Log {
    lines: SyncSender<String>,
    /// Lines that are not written yet.
    waiting: Arc<AtomicUsize>,
    dropped: Arc<AtomicU64>,
    is_json: bool,
    level: LevelFilter,
}

impl Log {
    /// Starts to write the events of this process, and its panics, to standard error.
    ///
    /// # Errors
    ///
    /// Fails if the process has a subscriber already, or if no thread can be started.
    pub(crate) fn install(format: Format, level: Level) -> Result<Self, Error> {
        let is_json = match format {
            Format::Auto => !io::IsTerminal::is_terminal(&io::stderr()),
            Format::Json => true,
            Format::Text => false,
        };
        let log = Self::to(io::stderr(), is_json, level)?;
        let subscriber = tracing_subscriber::registry().with(log.clone());
        tracing::subscriber::set_global_default(subscriber).map_err(|error| {
            Error::caused(ErrorKind::Config, "cannot start the log of this process", error)
        })?;
        std::panic::set_hook(Box::new(panicked));
        Ok(log)
    }

    /// Writes to `out` from a separate thread, which ends when the last handle is dropped.
    fn to(
        mut out: impl io::Write + Send + 'static,
        is_json: bool,
        level: Level,
    ) -> Result<Self, Error> {
        let (lines, queued) = sync_channel::<String>(QUEUED_LINES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        std::thread::Builder::new().name("log".into()).spawn(move || {
            while let Ok(mut text) = queued.recv() {
                let more: Vec<_> = queued.try_iter().take(GATHERED_LINES).collect();
                text.extend(more.iter().map(String::as_str));
                // Ignored: this is the place where an error would be reported.
                drop(out.write_all(text.as_bytes()));
                written.fetch_sub(1 + more.len(), Ordering::Relaxed);
            }
        })?;
        Ok(Self { lines, waiting, dropped: Arc::default(), is_json, level: level.into() })
    }

    /// Returns the number of lines that were dropped. It grows.
    pub(crate) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dropped)
    }

    /// Queues a line, or drops and counts it.
    fn push(&self, line: String) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.lines.try_send(line).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Waits until the lines so far are written, at most for `limit`.
    pub(crate) fn flush(&self, limit: Duration) {
        let begun = Instant::now();
        while self.waiting.load(Ordering::Relaxed) > 0 && begun.elapsed() < limit {
            std::thread::park_timeout(Duration::from_millis(1));
        }
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

impl<S: Subscriber> Layer<S> for Log {
    /// Other crates may put queries or other data of clients into their events.
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        *metadata.level() <= self.level && metadata.target().starts_with(env!("CARGO_CRATE_NAME"))
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.level)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut line = Line { is_json: self.is_json, text: String::with_capacity(512) };
        line.begin(event.metadata());
        event.record(&mut line);
        line.text.push_str(if self.is_json { "}\n" } else { "\n" });
        self.push(line.text);
    }
}

/// A line that is being written.
#[derive(Debug)]
struct Line {
    is_json: bool,
    text: String,
}

impl Line {
    /// Writes the time, the level and the name of an event.
    fn begin(&mut self, event: &Metadata<'_>) {
        let time = now().strftime("%Y-%m-%dT%H:%M:%S%.6fZ");
        let (level, name) = (event.level(), event.name());
        let written = if self.is_json {
            let level = level.as_str().to_lowercase();
            write!(self.text, "{{\"time\":\"{time}\",\"level\":\"{level}\",\"event\":\"{name}\"")
        } else {
            write!(self.text, "{time} {level:5} {name}")
        };
        // Writing to a string cannot fail.
        written.unwrap_or_default();
    }

    fn field(&mut self, field: &Field, value: impl fmt::Display) {
        let name = field.name();
        let written = if self.is_json {
            write!(self.text, ",\"{name}\":{value}")
        } else {
            write!(self.text, " {name}={value}")
        };
        written.unwrap_or_default();
    }
}

impl Visit for Line {
    /// Writes a number of seconds with six decimals: all numbers with a fraction are durations.
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.field(field, format_args!("{value:.6}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.field(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.field(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.field(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"';
        if self.is_json {
            self.field(field, serde_json::Value::from(value));
        } else if !value.is_empty() && value.bytes().all(is_plain) {
            self.field(field, value);
        } else {
            // Escapes everything that could control a terminal.
            self.field(field, format_args!("{value:?}"));
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record_str(field, &format!("{value:?}"));
    }
}

/// Maximum number of lines that wait to be written.
const QUEUED_LINES: usize = 4096;

/// Maximum number of lines in one write, after the first.
const GATHERED_LINES: usize = 63;

#[cfg(test)]
mod tests;
