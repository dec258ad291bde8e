//! The log of the program: the events of this crate, one line each, on standard error.
//!
//! The crate emits its events through `tracing`; a program that embeds a server may collect them in another way. A line
//! that cannot be written in time is dropped and counted: logging never delays a response.
//!
//! `tracing_subscriber::fmt` is not used: its JSON has other names for the time and the event.

mod line;
mod queue;

use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{fmt, io};

use clap::ValueEnum;
use jiff::Timestamp;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};

use self::line::Line;
use self::queue::Queue;
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

#[cfg(test)]
mod tests;
