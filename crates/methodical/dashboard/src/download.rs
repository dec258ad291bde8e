//! Downloads of a view: all of its records, in a format that the program provides.

pub(crate) mod format;

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::stream::unfold;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use methodical_mirror::model::tables::FieldType;
use methodical_mirror::{Page, Record};
use serde_json::{Map, Value};
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;

use crate::board::counts::version;
use crate::cells::fields;
use crate::download::format::DownloadColumn;
use crate::records::view::View;
use crate::shared::{Params, Problem, Shared};
use crate::time::{civil, day};
use crate::words::plural;

/// Responds with all records of a view, which are sent while they are read.
pub(crate) async fn answer(shared: Shared, params: Params) -> Result<Response, Problem> {
    let downloads = Arc::clone(&shared.downloads);
    let slot = downloads.try_acquire_owned().map_err(|_full| Problem::Busy)?;
    let (sender, pieces) = channel(WAITING);
    let (announce, head) = oneshot::channel();
    tokio::task::spawn_blocking(move || {
        let _slot = slot;
        let mut announce = Some(announce);
        let ready = |head| announce.take().is_some_and(|announce| announce.send(Ok(head)).is_ok());
        let done = write(&shared, &params, Pipe(sender), ready);
        // Nothing has been sent, so a page can explain the failure.
        if let (Err(Stopped::Problem(problem)), Some(announce)) = (done, announce) {
            drop(announce.send(Err(problem)));
        }
    });
    let (media_type, disposition) = head.await.map_err(|_panicked| Problem::Template)??;
    let headers = [(CONTENT_TYPE, media_type.to_owned()), (CONTENT_DISPOSITION, disposition)];
    let body = unfold(Some(pieces), |pieces| async {
        let mut pieces = pieces?;
        match pieces.recv().await {
            Some(Some(piece)) => Some((Ok(piece), Some(pieces))),
            Some(None) => None,
            None => Some((Err(io::Error::other("the download was interrupted")), None)),
        }
    });
    Ok((headers, Body::from_stream(body)).into_response())
}

/// Why a download ends early.
enum Stopped {
    Problem(Problem),
    /// The reader has left, or the format cannot represent a value.
    Output,
    /// The mirror changed, so the file could lack records or contain them twice.
    Changed,
}

impl<E: Into<Problem>> From<E> for Stopped {
    fn from(error: E) -> Self {
        Self::Problem(error.into())
    }
}

/// Writes all records of a view. Once the first ones are read, calls `begin` with the media type and the disposition.
/// `begin` returns whether the reader is still waiting.
fn write(
    shared: &Shared,
    params: &Params,
    pipe: Pipe,
    begin: impl FnOnce((&'static str, String)) -> bool,
) -> Result<(), Stopped> {
    let view = View::of(shared, params)?;
    let format =
        params.get("as").and_then(|name| shared.formats.iter().find(|one| one.extension == name));
    let format =
        format.ok_or_else(|| Problem::NotFound("The format does not exist.".to_owned()))?;
    let (before, tables) = version(&shared.mirror)?;
    let output = |_error: io::Error| Stopped::Output;
    let unwritten = |error: io::Error| Problem::Format(error.to_string());
    let mut writer = (format.writer)(&columns(&view, shared.who.masks)).map_err(unwritten)?;
    let (now, name) = (day((shared.now)()), safe(&plural(view.table.name())));
    let mut out = BufWriter::with_capacity(PIECE, pipe);
    // A table that has not been synced has no rows. Other readers of the mirror wait for at most one page.
    let mut page =
        if view.is_in_mirror(&tables) { view.read(shared, None, ROWS)? } else { Page::default() };
    let file = format!("attachment; filename=\"{name}-{now}.{}\"", safe(format.extension));
    if !begin((format.media_type, file)) {
        return Err(Stopped::Output);
    }
    loop {
        let texts = view.texts(shared, &page.records)?;
        for (row, (_, text)) in page.records.iter().zip(&texts) {
            writer.write(&mut out, &json(&view, row, text)).map_err(output)?;
        }
        if out.get_ref().0.is_closed() {
            return Err(Stopped::Output);
        }
        // A search may find nothing in one part of the table.
        let Some(next) = page.next else { break };
        page = view.read(shared, Some(next), ROWS)?;
    }
    writer.finish(&mut out).map_err(output)?;
    if version(&shared.mirror)?.0 != before {
        return Err(Stopped::Changed);
    }
    out.flush().map_err(output)?;
    out.get_ref().send(None).map_err(output)
}

/// Returns a row as JSON: the record as received, and what the mirror knows about it.
fn json(view: &View<'_>, row: &Record, record: &str) -> String {
    let mut known = Map::new();
    let mut add = |name: &str, value: Value| known.insert(name.to_owned(), value);
    add("state", row.state.as_str().into());
    add("first_seen", civil(row.first_seen).into());
    add("changed_at", civil(row.changed_at).into());
    if let Some(placements) = view.placements() {
        let placement = fields(&row.json);
        for name in [placements.group, placements.value] {
            add(name, placement.get(name).cloned().unwrap_or_default());
        }
    }
    // The text is kept unparsed, because numbers could lose digits.
    let inside = record.trim().strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let inside = inside.unwrap_or_default().trim();
    let comma = if inside.is_empty() { "" } else { "," };
    let known = Value::Object(known);
    format!("{{{inside}{comma}\"{MIRROR}\":{known}}}")
}

/// Returns the columns of a view: the contract's fields that are not hidden, and what the mirror knows about a row.
fn columns(view: &View<'_>, hides_personal: bool) -> Vec<DownloadColumn> {
    let all = view.table.columns().iter();
    let shown = all.filter(|column| !(hides_personal && column.is_personal()));
    let mut columns: Vec<DownloadColumn> = shown
        .map(|column| DownloadColumn {
            path: column.path().join("."),
            field_type: column.field_type(),
        })
        .collect();
    let placed = view
        .placements()
        .map(|placements| [(placements.group, FieldType::Id), (placements.value, FieldType::Text)]);
    let known = [
        ("state", FieldType::Text),
        ("first_seen", FieldType::DateTime),
        ("changed_at", FieldType::DateTime),
    ];
    for (name, field_type) in placed.into_iter().flatten().chain(known) {
        columns.push(DownloadColumn { path: format!("{MIRROR}.{name}"), field_type });
    }
    columns
}

/// The writing end of a pipe, which waits until pieces are sent. Unless a `None` comes last, readers get an error.
struct Pipe(Sender<Option<Bytes>>);

impl Pipe {
    fn send(&self, piece: Option<Bytes>) -> io::Result<()> {
        self.0.blocking_send(piece).map_err(|_gone| io::ErrorKind::BrokenPipe.into())
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Some(Bytes::copy_from_slice(bytes))).map(|()| bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns a part of a file name, without characters that are special in a shell, a path or a header.
fn safe(text: &str) -> String {
    let is_safe = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    text.chars().map(|letter| if is_safe(letter) { letter } else { '-' }).collect()
}

/// Maximum number of concurrent downloads. Each occupies a thread until its reader has received it.
pub(crate) const DOWNLOADS: usize = 3;

/// The name of the object with what the mirror knows about a row.
const MIRROR: &str = "mirror";

/// Number of rows that are read together.
const ROWS: usize = 2000;

/// Size of a piece, in bytes.
const PIECE: usize = 64 * 1024;

/// Maximum number of pieces that wait to be sent.
const WAITING: usize = 4;

#[cfg(test)]
mod tests {
    use super::safe;

    #[test]
    fn names_of_files_have_no_special_characters() {
        assert_eq!(safe("a\"b\r\n/../c_d-7é"), "a-b------c_d-7-");
    }
}
