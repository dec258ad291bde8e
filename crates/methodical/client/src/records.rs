//! The records of a list, from one page or from all pages: the steps from record to record, which do no I/O, and their
//! async and blocking drivers.

use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::{fmt, mem};

use futures_core::Stream;
use gateway_transport::{BlockingBody, Body, MaybeSend};
use http::response::Parts;
use methodical_model::{Metadata, Next, PagedOperation, Record, Rejected, StreamDecoder};
use pollster::block_on;

use crate::Error;
use crate::engine::Answer;
use crate::pace::Permit;
use crate::pager::{PageFuture, Pager};
use crate::time::{Limit, now};
use crate::trace::{CallSpan, RejectedPaths};

#[cfg(test)]
mod tests;

/// An entry of a list: a record, or one that could not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a record is decoded or rejected")]
pub enum Entry<T> {
    /// A decoded record.
    Record(T),
    /// A record that could not be decoded. The records after it are still read.
    Rejected(Rejected),
}

/// The records returned by [`Client::stream`](crate::Client::stream) or, for all pages, by
/// [`Client::stream_all`](crate::Client::stream_all): a [`Stream`], and an [`Iterator`] in
/// [`blocking`](crate::blocking::Records).
///
/// A page is requested only once all records of the previous page have been taken and another one is needed. After an
/// error there are no more records. Dropping this value ends the exchange and closes the connection.
pub struct Records<T, M = (), B = Body> {
    page: Page<T, M>,
    /// Requests pages; `None` for a list without pages.
    pages: Option<Pager<ListReader<T, M>, M>>,
    delivered: u64,
    limit: u64,
    record_limit: Option<usize>,
    mode: PhantomData<fn() -> B>,
}

/// The state of the current page.
enum Page<T, M> {
    /// No page is being read.
    Before,
    Requested(PageFuture<ListReader<T, M>>),
    Open(Box<ListReader<T, M>>),
    /// The page has been read to its end.
    Read(Box<ListReader<T, M>>),
}

impl<T, M, B> Records<T, M, B> {
    /// Creates the records of one response.
    pub(crate) fn from_list(reader: ListReader<T, M>) -> Self {
        Self { page: Page::Open(Box::new(reader)), ..Self::before(None) }
    }

    /// Creates the records of all pages. `open` requests a page.
    pub(crate) fn from_pages<O: PagedOperation<Item = T, Metadata = M>>(
        query: O,
        open: impl FnMut(O) -> PageFuture<ListReader<T, M>> + MaybeSend + 'static,
    ) -> Self {
        Self::before(Some(Pager::new(query, open)))
    }

    fn before(pages: Option<Pager<ListReader<T, M>, M>>) -> Self {
        let mode = PhantomData;
        Self { page: Page::Before, pages, delivered: 0, limit: u64::MAX, record_limit: None, mode }
    }

    /// Sets the maximum number of records; rejected records do not count. Default: no limit.
    ///
    /// At the limit, the list ends without an error, and further pages are not requested. With a limit of zero, the
    /// list is empty.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Entry, Error, blocking::Client};
    ///
    /// /// Returns the first 100 records. Requests only the pages that contain them.
    /// fn first<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<Vec<Entry<O::Item>>, Error> {
    ///     client.stream_all(query).limit(100).collect()
    /// }
    /// ```
    #[must_use]
    pub fn limit(mut self, records: u64) -> Self {
        self.limit = records;
        self
    }

    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, an error of kind [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the records
    /// of the last page allowed. With a maximum of zero, that error comes first.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        if let Some(all) = &mut self.pages {
            all.limit(pages);
        }
        self
    }
}

impl<T: Record, M: Metadata, B> Records<T, M, B> {
    /// Sets the maximum size of one record, in bytes. Default: 1 MiB.
    ///
    /// A larger record is rejected without its text; the list continues. A larger value next to the list is an error.
    #[must_use]
    pub fn record_limit(mut self, bytes: usize) -> Self {
        self.record_limit = Some(bytes);
        self.page = match self.page {
            Page::Open(reader) => Page::Open(Box::new(reader.limit_records(bytes))),
            page => page,
        };
        self
    }

    /// Returns the list's metadata, such as a total, once the list has ended without an error. For a list in pages,
    /// this is the metadata of the page that has just ended, until the next page is requested.
    ///
    /// ```
    /// use methodical_client::model::{Metadata, Record};
    /// use methodical_client::Records;
    ///
    /// fn is_last<T: Record, M: Metadata>(records: &Records<T, M>, cursor: impl Fn(&M) -> Option<&str>) -> bool {
    ///     records.metadata().is_some_and(|metadata| cursor(metadata).is_none())
    /// }
    /// # fn with<T: Record>(records: &Records<T>) -> bool { is_last(records, |()| None) }
    /// ```
    pub fn metadata(&self) -> Option<&M> {
        match &self.page {
            Page::Read(reader) => reader.decoder.metadata(),
            Page::Before | Page::Requested(_) | Page::Open(_) => None,
        }
    }
}

/// The steps from one record to the next, which both clients share.
impl<T: Record, M: Metadata, B> Records<T, M, B> {
    /// Decodes the next record from the bytes already received.
    fn step<X>(&mut self, take: impl FnOnce(T::Ref<'_>, &str) -> X) -> Step<X> {
        if self.delivered >= self.limit {
            self.page = Page::Before;
            return Poll::Ready(None);
        }
        let is_last = self.pages.is_none();
        let Page::Open(reader) = &mut self.page else {
            return if is_last { Poll::Ready(None) } else { Poll::Pending };
        };
        let pages = &mut self.pages;
        let step = reader.step(|record, json| {
            if let Some(pages) = pages {
                pages.count(json, true);
            }
            take(record, json)
        });
        match (&step, pages) {
            (Poll::Ready(Some(Ok(Entry::Record(_)))), _) => self.delivered += 1,
            (Poll::Ready(Some(Ok(Entry::Rejected(rejected)))), Some(pages)) => {
                pages.count(rejected.raw(), false);
            }
            (Poll::Ready(None), _) => {
                self.turn();
                if !is_last {
                    return Poll::Pending;
                }
            }
            _ => {}
        }
        step.map_err(|error| self.fail(error))
    }

    /// Ends the current page.
    fn turn(&mut self) {
        if let Page::Open(reader) = mem::replace(&mut self.page, Page::Before) {
            if let (Some(pages), Some(metadata)) = (&mut self.pages, reader.decoder.metadata()) {
                pages.turn(metadata);
            }
            self.page = Page::Read(reader);
        }
    }

    fn request(&mut self) -> Option<Result<(), Error>> {
        let page = self.pages.as_mut()?.request()?;
        Some(page.map(|page| self.page = Page::Requested(page)))
    }

    /// Moves on to a requested page. Fails if the request failed.
    fn open(&mut self, page: Result<ListReader<T, M>, Error>) -> Result<(), Error> {
        self.page = Page::Before;
        let mut reader = page.map_err(|error| self.fail(error))?;
        if let Some(bytes) = self.record_limit {
            reader = reader.limit_records(bytes);
        }
        self.page = Page::Open(Box::new(reader));
        Ok(())
    }

    /// Adds to an error how many records were decoded before it, over all pages.
    fn fail(&self, error: Error) -> Error {
        match &self.pages {
            Some(pages) => pages.fail(error),
            None => error,
        }
    }

    /// Waits for the next record. Dropping the future loses nothing, because everything received is kept in `self`.
    async fn advance<X>(
        &mut self,
        take: &mut impl FnMut(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        loop {
            if let Poll::Ready(entry) = self.step(&mut *take) {
                return entry;
            }
            let waited = match &mut self.page {
                Page::Open(reader) => {
                    let received = reader.receive().await;
                    received.map_err(|error| self.fail(error))
                }
                Page::Requested(page) => {
                    let page = page.as_mut().await;
                    self.open(page)
                }
                Page::Before | Page::Read(_) => self.request()?,
            };
            if let Err(error) = waited {
                return Some(Err(error));
            }
        }
    }
}

impl<T: Record, M: Metadata> Records<T, M> {
    /// Waits for the next entry; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future does not lose a record.
    ///
    /// # Errors
    ///
    /// Fails if the list cannot be read to its end: [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted),
    /// [`Timeout`](crate::ErrorKind::Timeout), [`TooLarge`](crate::ErrorKind::TooLarge),
    /// [`Decode`](crate::ErrorKind::Decode), or [`Paging`](crate::ErrorKind::Paging) if a page violates the contract.
    /// [`Error::delivered`] returns how many records were decoded before the error, over all pages.
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Entry, Error, Records};
    ///
    /// /// Prints every record, and if the list ends early, how many records came before.
    /// async fn print<T: Record + std::fmt::Debug>(mut records: Records<T>) -> Result<(), Error> {
    ///     while let Some(entry) = records.next().await {
    ///         match entry {
    ///             Ok(Entry::Record(record)) => println!("{record:?}"),
    ///             Ok(Entry::Rejected(rejected)) => eprintln!("{}", rejected.error()),
    ///             Err(error) => {
    ///                 eprintln!("{error}, after {:?} records", error.delivered());
    ///                 return Err(error);
    ///             }
    ///         }
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Entry<T>, Error>> {
        self.next_json_with(|record, _| T::from_ref(record)).await
    }

    /// Waits for the next record as [`next`](Self::next) does, but lends it to `take` with its JSON text, instead of
    /// copying it.
    ///
    /// Use this for long lists that are only passed on, such as an export: the record borrows from the received bytes,
    /// and the text contains every field and the original whitespace.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`next`](Self::next).
    ///
    /// ```
    /// use methodical_client::model::Record;
    /// use methodical_client::{Error, Records};
    ///
    /// async fn lines<T: Record>(mut records: Records<T>) -> Result<String, Error> {
    ///     let mut out = String::new();
    ///     while let Some(entry) = records.next_json_with(|_, json| out += &format!("{json}\n")).await {
    ///         entry?;
    ///     }
    ///     Ok(out)
    /// }
    /// ```
    pub async fn next_json_with<X>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        self.advance(&mut take).await
    }
}

impl<T: Record, M: Metadata> Stream for Records<T, M> {
    type Item = Result<Entry<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // All state is in `self`, so the future can be created anew for each poll.
        pin!(self.next()).poll(context)
    }
}

impl<T: Record, M: Metadata> Records<T, M, BlockingBody> {
    /// Reads the next record like [`Iterator::next`], but lends it to `take` with its JSON text, instead of copying it.
    ///
    /// Use this for long lists that are only passed on, such as an export: the record borrows from the received bytes,
    /// and the text contains every field and the original whitespace. See the example of
    /// [`received_json_with`](Self::received_json_with).
    pub fn next_json_with<X>(
        &mut self,
        mut take: impl FnMut(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        // Most records have already been received, so they need no future.
        match self.step(&mut take) {
            Poll::Ready(entry) => entry,
            Poll::Pending => block_on(self.advance(&mut take)),
        }
    }

    /// Takes the next record from the bytes already received, as [`next_json_with`](Self::next_json_with) does.
    ///
    /// Use this to do something before the next wait, such as flushing output. This never waits: `None` means that more
    /// bytes must be received, or that the list has ended.
    ///
    /// ```
    /// use std::io::{self, Write};
    ///
    /// use methodical_client::blocking::Records;
    /// use methodical_client::model::Record;
    ///
    /// fn lines<T: Record>(
    ///     records: &mut Records<T>,
    ///     out: &mut dyn Write,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
    ///     loop {
    ///         while let Some(entry) = records.received_json_with(|_, json| writeln!(out, "{json}")) {
    ///             entry?;
    ///         }
    ///         out.flush()?;
    ///         match records.next_json_with(|_, json| writeln!(out, "{json}")) {
    ///             Some(entry) => entry?,
    ///             None => return Ok(()),
    ///         };
    ///     }
    /// }
    /// ```
    pub fn received_json_with<X>(
        &mut self,
        take: impl FnOnce(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        match self.step(take) {
            Poll::Ready(entry) => entry,
            Poll::Pending => None,
        }
    }
}

impl<T: Record, M: Metadata> Iterator for Records<T, M, BlockingBody> {
    type Item = Result<Entry<T>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_json_with(|record, _| T::from_ref(record))
    }
}

/// The fields are never pinned.
impl<T, M, B> Unpin for Records<T, M, B> {}

impl<T, M, B> fmt::Debug for Records<T, M, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("delivered", &self.delivered).finish_non_exhaustive()
    }
}

/// The next entry, or `None` at the end of the list; pending if more must be requested or received first.
type Step<T> = Poll<Option<Result<Entry<T>, Error>>>;

/// The list in one response, while it is being read.
pub(crate) struct ListReader<T, M> {
    body: Body,
    span: CallSpan,
    decoder: StreamDecoder<T, M>,
    /// The response head, until it is moved into an error.
    head: Option<Parts>,
    attempts: u32,
    /// The time limit of the whole list.
    end: Limit,
    permit: Permit,
    /// Whether a rejected record is an error.
    is_strict: bool,
    delivered: u64,
    rejected: RejectedPaths,
    /// Whether the list has ended, after its last record or with an error.
    is_over: bool,
}

impl<T: Record, M: Metadata> ListReader<T, M> {
    pub(crate) fn new(
        answer: Answer<Body>,
        decoder: StreamDecoder<T, M>,
        span: CallSpan,
        is_strict: bool,
    ) -> Self {
        let Answer { response, attempts, end, permit } = answer;
        let (head, body) = response.into_parts();
        Self {
            body,
            span,
            decoder,
            head: Some(head),
            attempts,
            end,
            permit,
            is_strict,
            delivered: 0,
            rejected: RejectedPaths::default(),
            is_over: false,
        }
    }

    /// Sets the maximum size of one record, in bytes.
    fn limit_records(mut self, bytes: usize) -> Self {
        self.decoder = self.decoder.with_record_limit(bytes);
        self
    }

    /// Decodes the next record from the bytes already received.
    fn step<X>(&mut self, take: impl FnOnce(T::Ref<'_>, &str) -> X) -> Step<X> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let entry = match self.decoder.next_json_with(take) {
            Ok(Next::Item(record)) => {
                self.delivered += 1;
                Ok(Entry::Record(record))
            }
            Ok(Next::Rejected(rejected)) if self.is_strict => {
                Err(self.fail(rejected.error().clone().into()))
            }
            Ok(Next::Rejected(rejected)) => {
                self.rejected.add(&rejected);
                Ok(Entry::Rejected(rejected))
            }
            Ok(Next::End) => {
                self.finish();
                return Poll::Ready(None);
            }
            Ok(_) => return Poll::Pending,
            Err(error) => Err(self.fail(error.into())),
        };
        Poll::Ready(Some(entry))
    }

    /// Receives the next chunk of the body, or its end.
    async fn receive(&mut self) -> Result<(), Error> {
        match self.span.around(self.body.chunk()).await {
            Ok(Some(chunk)) => self.decoder.push(&chunk),
            Ok(None) => self.decoder.finish(),
            Err(error) => {
                let error = self.end.error(error, now());
                return Err(self.fail(error));
            }
        }
        Ok(())
    }

    /// Ends the list. Adds the response head and the number of decoded records to the error.
    fn fail(&mut self, error: Error) -> Error {
        self.span.failed(&error);
        self.finish();
        let error = error.after_attempts(self.attempts).after_records(self.delivered);
        match self.head.take() {
            Some(head) => error.with_head(head),
            None => error,
        }
    }

    fn finish(&mut self) {
        self.is_over = true;
        self.span.rejected(&self.rejected);
        self.span.end_after(self.delivered);
        // Dropping the body returns its connection to the pool or closes it.
        self.body = Body::empty();
        self.permit = None;
    }
}
