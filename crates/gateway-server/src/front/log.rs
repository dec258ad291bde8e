//! The access log: one JSON line for each request, written when its response has ended. A line never holds a name, a
//! token, or a query.

use std::fmt;
use std::io::Write;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;

use http::StatusCode;
use tokio::sync::oneshot;

use crate::error::Error;
use crate::front::ended::EndedResponse;
use crate::generated::operation::Operation;
use crate::json;

/// The access log. A line that cannot be written in time is dropped: logging never delays a response.
#[derive(Clone, Default)]
pub(crate) struct AccessLog(Option<SyncSender<Entry>>);

enum Entry {
    Line(Vec<u8>),
    /// Is dropped when the lines before it are written.
    Mark(oneshot::Sender<()>),
}

impl AccessLog {
    /// Writes lines to `out` from a separate thread, which ends when the last handle is dropped.
    pub(crate) fn to(mut out: impl Write + Send + 'static) -> Result<Self, Error> {
        let (sender, receiver) = sync_channel(QUEUED_LINES);
        let writer = move || {
            for entry in receiver {
                match entry {
                    // Ignored: this is the place where an error would be reported.
                    Entry::Line(line) => drop(out.write_all(&line)),
                    Entry::Mark(mark) => drop(mark),
                }
            }
        };
        std::thread::Builder::new().name("access-log".into()).spawn(writer)?;
        Ok(Self(Some(sender)))
    }

    /// Returns whether lines are written at all.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Queues the line of a response. Returns false if the line had to be dropped.
    pub(crate) fn write(&self, response: &EndedResponse) -> bool {
        self.0.as_ref().is_none_or(|sender| sender.try_send(Entry::Line(line(response))).is_ok())
    }

    /// Waits until the lines queued so far are written.
    pub(crate) async fn written(&self) {
        let Some(sender) = self.0.clone() else { return };
        let (mark, written) = oneshot::channel();
        // The queue may be full.
        tokio::task::spawn_blocking(move || drop(sender.send(Entry::Mark(mark))));
        drop(written.await);
    }
}

impl fmt::Debug for AccessLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on() { "AccessLog" } else { "AccessLog(off)" })
    }
}

fn line(response: &EndedResponse) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    let milliseconds = |duration: Duration| {
        let micros = duration.as_micros();
        format!("{}.{:03}", micros / 1000, micros % 1000)
    };
    out.extend_from_slice(b"{\"request_id\":");
    json::text(&mut out, response.request_id.to_str().unwrap_or_default());
    if let Some(client) = response.client {
        out.extend_from_slice(format!(",\"client\":\"{client}\"").as_bytes());
    }
    if let Some(account) = response.account {
        out.extend_from_slice(format!(",\"account\":{account}").as_bytes());
    }
    let texts = [
        ("token", response.token.as_deref()),
        ("operation", response.operation.map(Operation::method)),
        ("problem", response.problem),
        ("cause", response.cause.as_deref()),
        ("end", Some(response.end.name())),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            out.extend_from_slice(format!(",\"{name}\":").as_bytes());
            json::text(&mut out, text);
        }
    }
    let status = response.status.as_ref().map_or(0, StatusCode::as_u16);
    out.extend_from_slice(format!(",\"status\":{status},\"bytes\":{}", response.bytes).as_bytes());
    if let Some(first) = response.first_byte {
        out.extend_from_slice(format!(",\"first_byte_ms\":{}", milliseconds(first)).as_bytes());
    }
    out.extend_from_slice(format!(",\"ms\":{}}}\n", milliseconds(response.took)).as_bytes());
    out
}

/// Maximum number of lines that wait to be written.
const QUEUED_LINES: usize = 4096;
