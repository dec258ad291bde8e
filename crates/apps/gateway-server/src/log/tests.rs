//! The lines of the log, from events at a fixed time to bytes.

use std::io::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use super::*;

/// Sends what is written to a channel, after the gate was opened.
struct Gated {
    gate: Receiver<()>,
    written: SyncSender<Vec<u8>>,
}

impl Write for Gated {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gate.recv().map_err(io::Error::other)?;
        self.written.send(bytes.to_owned()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a log, the sender that lets it write once, and what it has written.
fn gated(is_json: bool, level: Level) -> (Log, SyncSender<()>, Receiver<Vec<u8>>) {
    let ((open, gate), (written, out)) = (sync_channel(WRITES), sync_channel(WRITES));
    (Log::to(Gated { gate, written }, is_json, level).unwrap(), open, out)
}

/// Returns the lines of the events that `emit` emits.
fn lines(is_json: bool, emit: impl FnOnce()) -> String {
    let (log, open, out) = gated(is_json, Level::Info);
    tracing::subscriber::with_default(tracing_subscriber::registry().with(log), emit);
    // The log ends with the subscriber. It writes at most this often.
    for _ in 0..WRITES {
        open.send(()).unwrap_or_default();
    }
    let text = String::from_utf8(out.iter().collect::<Vec<_>>().concat()).unwrap();
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z").unwrap();
    time.replace_all(&text, "TIME").into_owned()
}

fn emit_all() {
    tracing::error!(name: "first", text = "a\"b\u{1b}[31m\u{202e}\n", none = Option::<&str>::None, empty = "");
    tracing::warn!(name: "second", signed = -1, long = u64::MAX, yes = true, plain = "x/y:1", message = "two words");
    tracing::info!(name: "third", zero = 0.0, duration = 12.345_678_9, shown = %"a b");
    tracing::info!(name: "other_crate", target: "hyper", canary = "x");
    tracing::debug!(name: "too_detailed", a = 1);
}

#[test]
fn each_event_of_this_crate_is_one_line() {
    insta::assert_snapshot!("json", lines(true, emit_all));
    insta::assert_snapshot!("text", lines(false, emit_all));
}

#[test]
fn a_log_that_is_not_read_drops_and_counts_lines() {
    let (log, open, out) = gated(true, Level::Info);
    for _ in 0..10_000 {
        log.push("line\n".to_owned());
    }
    let dropped = log.dropped().load(Ordering::Relaxed);
    // The thread of the log may have taken some lines.
    assert!((1..=10_000 - 4096).contains(&dropped), "{dropped}");
    // Does not wait for a reader that has stopped.
    log.flush(Duration::from_millis(10));
    drop(log);
    for _ in 0..WRITES {
        open.send(()).unwrap_or_default();
    }
    let written = out.iter().map(|bytes| bytes.len()).sum::<usize>() / 5;
    assert_eq!(u64::try_from(written).unwrap() + dropped, 10_000);
}

/// Maximum number of writes in a test.
const WRITES: usize = 128;
