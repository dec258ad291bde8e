//! The body of an answer: nothing, a few bytes, or a list that is read while it is sent.

use std::fmt;
use std::future::Future;
use std::io::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::{Body, Frame, SizeHint};
use tokio::task::JoinHandle;
use tokio::time::timeout_at;

use crate::error::{Error, ErrorKind};
use crate::front::list::ListSource;
use crate::front::log::{End, Record};
use crate::front::negotiate::Coding;
use crate::front::work::Work;
use crate::listen::verdicts::Answering;
use crate::store::Store;

/// The body of an answer. When it is dropped, its request is over and is logged.
pub(crate) struct AnswerBody {
    content: Content,
    record: Option<Record>,
    answering: Option<Answering>,
}

enum Content {
    Full(Option<Bytes>),
    List(Box<List>),
}

impl AnswerBody {
    pub(crate) fn empty() -> Self {
        Self { content: Content::Full(None), record: None, answering: None }
    }

    pub(crate) fn full(bytes: Bytes) -> Self {
        Self { content: Content::Full(Some(bytes)), record: None, answering: None }
    }

    /// Sends `first` and then what `source` still has, until the deadline.
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
        let list = List { state: State::Idle(pages), work, deadline };
        Self { content: Content::List(Box::new(list)), record: None, answering: None }
    }

    /// Tells the connection when the body is sent, or given up.
    pub(crate) fn until_sent(mut self, answering: Answering) -> Self {
        self.answering = Some(answering);
        self
    }

    /// Ties the body to the record of its request.
    pub(crate) fn recorded(mut self, record: Record) -> Self {
        self.record = Some(record);
        self
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        let Self { content, record, .. } = &mut *self;
        let next = match content {
            Content::Full(bytes) => bytes.take().map(Ok),
            Content::List(list) => ready!(list.poll_next(context)),
        };
        if let Some(record) = record {
            match &next {
                None => record.end(End::Complete),
                Some(Ok(bytes)) => record.sent(bytes.len()),
                Some(Err(error)) => record.broke_off(error),
            }
            if matches!(content, Content::Full(None)) {
                record.end(End::Complete);
            }
        }
        Poll::Ready(next.map(|result| result.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.content, Content::Full(None))
    }

    fn size_hint(&self) -> SizeHint {
        match &self.content {
            Content::Full(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Content::List(_) => SizeHint::default(),
        }
    }
}

impl fmt::Debug for AnswerBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnswerBody").finish_non_exhaustive()
    }
}

/// A page on its way. It is read by a task of its own: a future that only the body polls would wait, with a permit in
/// its hand that others need, until a slow client asks for more.
type Turn = JoinHandle<Result<(Pages, Option<Bytes>), Error>>;

/// A list that is sent. One page is read ahead while the one before is written; no more, so that a reader who takes
/// his time costs two pages of memory and nothing of the database.
struct List {
    state: State,
    work: Work,
    deadline: Instant,
}

enum State {
    Idle(Pages),
    Reading(Turn),
    Read(Pages, Option<Bytes>),
    Over,
}

impl List {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        if let Err(error) = ready!(self.poll_read(context)) {
            self.state = State::Over;
            return Poll::Ready(Some(Err(error)));
        }
        let State::Read(pages, bytes) = std::mem::replace(&mut self.state, State::Over) else {
            return Poll::Ready(None);
        };
        let Some(bytes) = bytes else { return Poll::Ready(None) };
        if Instant::now() > self.deadline {
            return Poll::Ready(Some(Err(late())));
        }
        self.state = State::Idle(pages);
        self.begin();
        Poll::Ready(Some(Ok(bytes)))
    }

    /// Begins to read the next page, if none is being read.
    fn begin(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::Over) {
            State::Idle(mut pages) => {
                let work = self.work.clone();
                let deadline = self.deadline.into();
                State::Reading(tokio::spawn(async move {
                    let read = move |_store: &dyn Store| {
                        let bytes = pages.next()?;
                        Ok((pages, bytes))
                    };
                    let read = timeout_at(deadline, work.go_on(read));
                    read.await.unwrap_or_else(|_elapsed| Err(late()))
                }))
            }
            other => other,
        };
    }

    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.begin();
        if let State::Reading(turn) = &mut self.state {
            let stopped = |error| Error::caused(ErrorKind::Storage, "a page broke off", error);
            let (pages, bytes) = ready!(Pin::new(turn).poll(context)).map_err(stopped)??;
            self.state = State::Read(pages, bytes);
        }
        Poll::Ready(Ok(()))
    }
}

fn late() -> Error {
    Error::new(ErrorKind::Io, "the answer took longer than allowed")
}

/// The pages of a list as they are sent: as they are, or compressed.
struct Pages {
    first: Option<Bytes>,
    source: ListSource,
    encoder: Option<GzEncoder<Vec<u8>>>,
}

impl Pages {
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

/// Compressed bytes are collected until they are worth a write.
const SMALLEST_PIECE: usize = 16 * 1024;

/// No answer may take longer, and where nothing else is set none does: superseded rows are kept for this long only.
pub(crate) const LONGEST_ANSWER: Duration = Duration::from_secs(15 * 60);
