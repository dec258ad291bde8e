//! Downloads of a view: all of its records, in a format that the program provides.

pub(crate) mod format;
mod rows;

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::Extension;
use axum::body::Body;
use axum::extract::{Query, State};
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_core::Stream;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{Semaphore, oneshot};

use crate::access::Who;
use crate::app::{Parsed, html, unreadable};
use crate::board::counts::version;
use crate::download::rows::Rows;
use crate::problem;
use crate::records::view::View;
use crate::shared::{Params, Problem, Server, Shared};
use crate::time::day;
use crate::words::plural;

/// The head of a download.
struct Head {
    media_type: &'static str,
    file: String,
}

/// Answers a request for all records of a view. The records are sent while they are read.
pub(crate) async fn answer(
    State(server): State<Arc<Server>>,
    Extension(who): Extension<Who>,
    query: Parsed,
) -> Response {
    let shared = Shared { server, who };
    let Ok(Query(params)) = query else { return html(problem::render(&unreadable())) };
    let Ok(slot) = Arc::clone(&shared.downloads).try_acquire_owned() else {
        return html(problem::render(&Problem::Busy));
    };
    let (sender, pieces) = channel(WAITING);
    let sink = Sink { sender, piece: Vec::with_capacity(PIECE), is_complete: false };
    let (announce, head) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let _slot = slot;
        let mut announce = Some(announce);
        let ready =
            |head: Head| announce.take().is_some_and(|announce| announce.send(Ok(head)).is_ok());
        let done = write(&shared, &Params::new(params), sink, ready);
        // Nothing was sent yet: a page explains why.
        if let (Err(Stopped::Problem(problem)), Some(announce)) = (done, announce) {
            drop(announce.send(Err(problem)));
        }
    });
    match head.await {
        Ok(Ok(Head { media_type, file })) => {
            let disposition = format!("attachment; filename=\"{file}\"");
            let headers =
                [(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, disposition)];
            (headers, Body::from_stream(Pieces(pieces))).into_response()
        }
        Ok(Err(problem)) => html(problem::render(&problem)),
        Err(_panicked) => html(problem::render(&Problem::Template)),
    }
}

/// Why a download ends early.
enum Stopped {
    Problem(Problem),
    /// The reader is gone, or the format cannot hold a value.
    Output,
    /// The mirror changed, so that records could be absent or twice in the file.
    Changed,
}

impl<E: Into<Problem>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Problem(error.into())
    }
}

/// Writes all records of a view. Calls `begin` when the first ones were read; it returns whether somebody waits for them.
fn write(
    shared: &Shared,
    params: &Params,
    mut out: Sink,
    begin: impl FnOnce(Head) -> bool,
) -> Result<(), Stopped> {
    let view = View::of(shared, params)?;
    let format =
        params.get("as").and_then(|name| shared.formats.iter().find(|one| one.extension() == name));
    let format = format.ok_or_else(|| Problem::NotFound("the format does not exist".to_owned()))?;
    let (before, _tables) = version(&shared.mirror)?;
    let mut rows = Rows::open(shared, &view)?;
    let output = |_error: io::Error| Stopped::Output;
    let unwritten = |error: io::Error| Problem::Format(error.to_string());
    let mut writer = format.writer(rows.columns()).map_err(unwritten)?;
    let now = day((shared.now)());
    let file = format!("{}-{now}.{}", safe(&plural(view.table.name())), safe(format.extension()));
    let mut page = rows.next()?;
    if !begin(Head { media_type: format.media_type(), file }) {
        return Err(Stopped::Output);
    }
    while let Some(lines) = page {
        for json in &lines {
            writer.write(&mut out, json).map_err(output)?;
        }
        if out.is_closed() {
            return Err(Stopped::Output);
        }
        page = rows.next()?;
    }
    writer.finish(&mut out).map_err(output)?;
    if version(&shared.mirror)?.0 != before {
        return Err(Stopped::Changed);
    }
    out.finish().map_err(output)
}

/// The end of a pipe that is written to. A writer waits until the pieces are sent.
struct Sink {
    sender: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
    is_complete: bool,
}

impl Sink {
    /// Returns whether the reader is gone.
    fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Sends the rest, and ends the download. Without it, the reader gets an error.
    fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        self.is_complete = true;
        Ok(())
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let sent = self.sender.blocking_send(Ok(Bytes::from(piece)));
        sent.map_err(|_gone| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if !self.is_complete {
            let interrupted = io::Error::other("the download was interrupted");
            // The reader may be gone.
            drop(self.sender.blocking_send(Err(interrupted)));
        }
    }
}

/// The end of a pipe that is sent.
struct Pieces(Receiver<io::Result<Bytes>>);

impl Stream for Pieces {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

/// Returns a part of the name of a file: no character that a shell, a path or a header reads as another one.
fn safe(text: &str) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    text.chars().map(|letter| if is_safe(letter) { letter } else { '-' }).collect()
}

/// Creates the permits of concurrent downloads.
pub(crate) fn slots() -> Arc<Semaphore> {
    Arc::new(Semaphore::new(DOWNLOADS))
}

/// Maximum number of concurrent downloads. Each has a thread until its reader has read it.
const DOWNLOADS: usize = 3;

/// Size of a piece, in bytes.
const PIECE: usize = 64 * 1024;

/// Maximum number of pieces that wait.
const WAITING: usize = 4;

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn names_of_files_have_no_special_characters() {
        assert_eq!(safe("a\"b\r\n/../c_d-7é"), "a-b------c_d-7-");
    }
}
