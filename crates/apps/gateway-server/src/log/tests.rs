//! The lines of the log, from events at a fixed time to bytes.

use std::sync::mpsc::{SyncSender, sync_channel};

use super::*;

/// Sends what is written to a channel.
struct Sent(SyncSender<Vec<u8>>);

impl io::Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_owned()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the lines of the events that are emitted.
fn lines(is_json: bool) -> String {
    let (sender, written) = sync_channel(64);
    let log = Log::to(Sent(sender), is_json, Level::Info).unwrap();
    // The log ends with the subscriber.
    tracing::subscriber::with_default(tracing_subscriber::registry().with(log), emit_all);
    let text = String::from_utf8(written.iter().collect::<Vec<_>>().concat()).unwrap();
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
    insta::assert_snapshot!("json", lines(true));
    insta::assert_snapshot!("text", lines(false));
}
