//! The body of a response: empty, a few bytes, or a list that is read while it is sent.

use std::fmt;
use std::io::Write as _;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::{Body, Frame, SizeHint};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout, timeout_at};

use crate::error::{Error, ErrorKind};
use crate::front::recorder::Recorder;
use crate::front::request::Coding;
use crate::front::work::Work;
use crate::storage::{self, Call, Records};
use crate::store::{Cursor, Page, Principal, Snapshot, Store};

pub(crate) struct ResponseBody {
    content: Content,
    /// Dropped after the content: only then has the response ended.
    recorder: Option<Recorder>,
}

enum Content {
    Full(Option<Bytes>),
    List { pieces: Receiver<Result<Piece, Error>>, deadline: Instant, is_finished: bool },
}

impl Content {
    fn is_finished(&self) -> bool {
        match self {
            Self::Full(bytes) => bytes.is_none(),
            Self::List { is_finished, .. } => *is_finished,
        }
    }
}

/// A piece of a list.
struct Piece {
    bytes: Bytes,
    is_last: bool,
}

impl ResponseBody {
    pub(crate) fn empty() -> Self {
        Self { content: Content::Full(None), recorder: None }
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        Self { content: Content::Full(Some(bytes)), recorder: None }
    }

    /// Creates a body of `first` and the rest of `source`. It fails at the deadline.
    pub(crate) fn list(
        first: Bytes,
        source: ListSource,
        coding: Coding,
        work: Work,
        deadline: Instant,
    ) -> Self {
        let encoder = match coding {
            Coding::Identity => None,
            Coding::Gzip => Some(GzEncoder::new(Vec::new(), Compression::fast())),
        };
        let pages = Pages { first: Some(first), source, encoder };
        let (sender, pieces) = channel(PIECES);
        tokio::spawn(read(pages, work, deadline, sender));
        Self { content: Content::List { pieces, deadline, is_finished: false }, recorder: None }
    }

    /// Returns the same body, with its response recorded by `recorder`.
    pub(crate) fn recorded(self, recorder: Recorder) -> Self {
        Self { recorder: Some(recorder), ..self }
    }
}

/// Reads a list in a separate task. A future that only the body polls would hold its database reader until a slow
/// client reads more. In a task, a slow client costs up to four pages of memory, but no database reader.
async fn read(
    mut pages: Pages,
    work: Work,
    deadline: Instant,
    pieces: Sender<Result<Piece, Error>>,
) {
    loop {
        // Only this task sends, so the room remains until it does. This fails if the client is gone.
        if pieces.reserve().await.is_err() {
            return;
        }
        let (sender, readers) = (pieces.clone(), work.clone());
        let read = work.run_patiently(pages.encoder.is_some(), move |_store: &Store| {
            let has_more = pages.read(&sender, &readers)?;
            Ok(has_more.then_some(pages))
        });
        match timeout_at(deadline, read).await.unwrap_or_else(|_| Err(late())) {
            Ok(Some(rest)) => pages = rest,
            Ok(None) => return,
            Err(error) => return drop(pieces.send(Err(error)).await),
        }
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Self { content, recorder } = &mut *self;
        let mut is_late = false;
        let next = match content {
            Content::Full(bytes) => bytes.take().map(Ok),
            Content::List { is_finished: true, .. } => None,
            Content::List { pieces, deadline, is_finished } => {
                let piece = ready!(pieces.poll_recv(context));
                is_late = Instant::now() > *deadline;
                let piece = if is_late { Some(Err(late())) } else { piece };
                *is_finished = !matches!(&piece, Some(Ok(piece)) if !piece.is_last);
                piece.map(|piece| piece.map(|piece| piece.bytes))
            }
        };
        if let Some(recorder) = recorder {
            recorder.polled(next.as_ref(), content.is_finished(), is_late);
        }
        Poll::Ready(next.map(|result| result.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.content.is_finished()
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Full(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::List { .. } => SizeHint::default(),
        }
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").finish_non_exhaustive()
    }
}

fn late() -> Error {
    Error::new(ErrorKind::Io, "the response took longer than --response-timeout")
}

/// The pages of a list, plain or compressed.
struct Pages {
    first: Option<Bytes>,
    source: ListSource,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Pages {
    /// Returns whether the last byte was returned.
    fn is_finished(&self) -> bool {
        self.first.is_none() && self.encoder.is_none() && self.source.is_finished()
    }

    /// Reads a piece and sends it. If the client reads fast, reads the next ones on the same thread, because handing a
    /// page to another thread takes as long as reading it. Returns whether there is more to read.
    fn read(&mut self, pieces: &Sender<Result<Piece, Error>>, work: &Work) -> Result<bool, Error> {
        let begun = Instant::now();
        loop {
            if pieces.capacity() == 0 {
                match Handle::current().block_on(timeout(PATIENCE, pieces.reserve())) {
                    Ok(Ok(_room)) => {}
                    Ok(Err(_client_gone)) => return Ok(false),
                    Err(_slow) => return Ok(true),
                }
            }
            let Some(bytes) = self.next()? else { return Ok(false) };
            let is_last = self.is_finished();
            // This fails if the client is gone. No permit is held while the database is read: it would block the error
            // of a database that does not respond.
            if pieces.try_send(Ok(Piece { bytes, is_last })).is_err() || is_last {
                return Ok(false);
            }
            if begun.elapsed() > TURN || work.is_wanted() || self.encoder.is_some() {
                return Ok(true);
            }
        }
    }

    fn next(&mut self) -> Result<Option<Bytes>, Error> {
        loop {
            let plain = match self.first.take() {
                Some(first) => Some(first),
                None => self.source.next()?,
            };
            let Some(encoder) = &mut self.encoder else { return Ok(plain) };
            let Some(plain) = plain else {
                let last = self.encoder.take().map(GzEncoder::finish).transpose()?;
                return Ok(last.map(Bytes::from));
            };
            encoder.write_all(&plain)?;
            if encoder.get_ref().len() >= SMALLEST_PIECE {
                return Ok(Some(std::mem::take(encoder.get_mut()).into()));
            }
        }
    }
}

/// Maximum number of pieces that wait to be written. With only one, the reader waits for the connection after each piece,
/// and a list of 1,000,000 records takes a quarter longer. Each one holds memory for a slow client.
const PIECES: usize = 2;

/// Maximum time that one thread reads pages in a row.
const TURN: Duration = Duration::from_millis(50);

/// Maximum time that a reader waits for a client.
const PATIENCE: Duration = Duration::from_millis(2);

/// Minimum size of a compressed piece, except for the last one, in bytes.
const SMALLEST_PIECE: usize = 16 * 1024;

/// The bytes of one list, in pages. No database resource is held between pages.
#[derive(Debug)]
pub(crate) struct ListSource {
    store: Arc<Store>,
    snapshot: Snapshot,
    call: Call,
    frame: storage::Frame,
    /// Where the next page begins; `None` after the last page.
    next: Option<Cursor>,
    /// Capacity of the last page's buffer, in bytes. The next page needs about the same.
    capacity: usize,
}

impl ListSource {
    /// Creates the source for a response that is a list.
    pub(crate) fn new(
        store: Arc<Store>,
        principal: &Principal,
        call: Call,
        frame: storage::Frame,
    ) -> Self {
        Self {
            store,
            snapshot: principal.snapshot,
            call,
            frame,
            next: Some(Cursor::START),
            capacity: 0,
        }
    }

    /// Returns whether the last byte was returned.
    pub(crate) fn is_finished(&self) -> bool {
        self.next.is_none()
    }

    /// Reads and renders the next page. Blocks on the database.
    pub(crate) fn next(&mut self) -> Result<Option<Bytes>, Error> {
        let Some(from) = self.next else { return Ok(None) };
        let mut out = Vec::with_capacity(self.capacity);
        let is_first = from == Cursor::START;
        if is_first {
            out.extend_from_slice(self.frame.open.as_bytes());
        }
        let page = Page { from, limit: ROWS };
        let records = &mut Records::new(&mut out, is_first);
        self.next = self.call.fetch(&self.store, self.snapshot, page, records)?;
        if self.next.is_none() {
            // The JSON is closed only here, so that a truncated response is never valid.
            out.extend_from_slice(self.frame.close.as_bytes());
        }
        self.capacity = out.capacity();
        Ok(Some(Bytes::from(out)))
    }
}

/// Records per page. A slow client holds up to four pages: two in the buffers of hyper, and two waiting.
const ROWS: u32 = 512;
