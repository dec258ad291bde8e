//! The program's log: the events of this crate, one line each, on standard error.
//!
//! The crate emits its events through `tracing`; a program that embeds a server may collect them in another way. A line
//! that cannot be written in time is dropped and counted: logging never delays a response.
//!
//! `tracing_appender` is not used: it would add nine crates to save thirty lines.

use std::io::{self, IsTerminal as _, Write};
use std::panic::PanicHookInfo;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, Instant};

use tracing::Subscriber;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::fmt::{self, MakeWriter};
use tracing_subscriber::layer::{Layer, SubscriberExt as _};
use tracing_subscriber::registry::LookupSpan;

use crate::error::{Error, ErrorKind};

/// The lines of this process that wait to be written.
#[derive(Clone, Debug)]
pub(crate) struct Log {
    lines: SyncSender<Vec<u8>>,
    /// The number of lines that are not written yet.
    waiting: Arc<AtomicUsize>,
    dropped: Arc<AtomicU64>,
}

impl Log {
    /// Starts writing this process's events and panics to standard error: as text on a terminal, otherwise as JSON.
    ///
    /// # Errors
    ///
    /// Fails if the process already has a subscriber, or if a thread cannot be started.
    pub(crate) fn install(level: LevelFilter) -> Result<Self, Error> {
        let log = Self::to(io::stderr())?;
        let writer = log.clone();
        let layer = layer(io::stderr().is_terminal(), level, move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::set_global_default(subscriber)
            .map_err(|error| Error::caused(ErrorKind::Config, "cannot start logging", error))?;
        std::panic::set_hook(Box::new(panicked));
        Ok(log)
    }

    /// Writes to `out` from a separate thread, which ends when the last handle is dropped.
    fn to(mut out: impl Write + Send + 'static) -> Result<Self, Error> {
        let (lines, queued) = sync_channel::<Vec<u8>>(QUEUED_LINES);
        let waiting = Arc::new(AtomicUsize::new(0));
        let written = Arc::clone(&waiting);
        std::thread::Builder::new().name("log".into()).spawn(move || {
            while let Ok(line) = queued.recv() {
                // Ignored, because the log is where an error would be reported.
                drop(out.write_all(&line));
                written.fetch_sub(1, Ordering::Relaxed);
            }
        })?;
        Ok(Self { lines, waiting, dropped: Arc::default() })
    }

    /// Returns the total number of lines that were dropped.
    pub(crate) fn dropped(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.dropped)
    }

    /// Waits up to `limit` until all lines queued so far are written.
    pub(crate) fn wait(&self, limit: Duration) {
        let begun = Instant::now();
        while self.waiting.load(Ordering::Relaxed) > 0 && begun.elapsed() < limit {
            std::thread::park_timeout(Duration::from_millis(1));
        }
    }
}

impl Write for Log {
    /// Queues a line, or drops and counts it. An event is one write.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.waiting.fetch_add(1, Ordering::Relaxed);
        if self.lines.try_send(line.to_owned()).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Formats the events of this crate and of the span export. Events of other crates are ignored, because they may
/// contain data from clients.
fn layer<S>(
    is_text: bool,
    level: LevelFilter,
    out: impl for<'w> MakeWriter<'w> + Send + Sync + 'static,
) -> impl Layer<S>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let own = [env!("CARGO_CRATE_NAME"), "opentelemetry_sdk"].map(|target| (target, level));
    let lines = fmt::layer().with_target(false).with_writer(out);
    let lines = if is_text { lines.boxed() } else { lines.json().flatten_event(true).boxed() };
    lines.with_filter(Targets::new().with_targets(own))
}

/// Emits the event for a panic. A formatted message may contain data, so it is omitted.
fn panicked(panic: &PanicHookInfo<'_>) {
    let location = panic.location().map(tracing::field::display);
    let detail = panic.payload().downcast_ref::<&str>().copied();
    let thread = std::thread::current();
    tracing::error!(event = "panic", location, thread = thread.name(), detail);
}

/// Maximum number of lines that wait to be written.
const QUEUED_LINES: usize = 4096;

#[cfg(test)]
mod tests;
