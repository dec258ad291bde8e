//! Tests the lines of the log, from events to bytes.

use parking_lot::Mutex;

use super::*;

/// Returns the log lines for the events that `emit` emits.
fn lines(is_text: bool, emit: impl FnOnce()) -> String {
    let written = Arc::new(Mutex::new(Vec::new()));
    let layer = layer(is_text, LevelFilter::INFO, Shared(Arc::clone(&written)));
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), emit);
    let text = String::from_utf8(std::mem::take(&mut *written.lock())).unwrap();
    let time = regex::Regex::new(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z").unwrap();
    time.replace_all(&text, "TIME").into_owned()
}

/// A writer that appends everything to a shared buffer.
#[derive(Clone)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl MakeWriter<'_> for Shared {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn emit_all() {
    let detail = "a\"b\u{1b}[31m\u{202e}\n";
    tracing::error!(event = "first", detail, none = Option::<&str>::None, empty = "");
    tracing::warn!(event = "second", signed = -1, long = u64::MAX, yes = true, shown = %"a b");
    tracing::info!(target: "hyper", canary = "x");
    tracing::debug!(event = "too_detailed", a = 1);
}

#[test]
fn each_event_of_this_crate_is_one_line() {
    insta::assert_snapshot!("json", lines(false, emit_all));
    insta::assert_snapshot!("text", lines(true, emit_all));
}
