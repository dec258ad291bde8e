//! The pages of a list: the state machine that decides which page comes next, and its async and blocking drivers.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::{fmt, mem};

use bytes::Bytes;
use futures_core::Stream;
use gateway_transport::{BlockingBody, Body, BoxFuture, MaybeSend};
use methodical_model::paging::{PageMarks, PagedBy, Paging, Position};
use methodical_model::{Operation, PagedOperation};
use pollster::block_on;

use crate::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// Reads the pages of a list: requests each page and decides which page comes next.
pub(crate) struct Pager<P, M> {
    paging: Paging,
    ask: Box<dyn Ask<P>>,
    marks: fn(&M) -> PageMarks,
    next: Next,
    max_pages: u64,
    /// Number of pages that were requested.
    pages: u64,
    /// The position of the page that is being read, if it is a number.
    number: Option<i64>,
    /// The page that is being read.
    page: Page,
    /// Number of records in all pages that have been read, including rejected ones.
    records: u64,
    /// Number of records that were decoded.
    delivered: u64,
    /// Number of records before the first requested page, if it is known.
    before: Option<u64>,
    /// The number of the last page, as stated by the pages so far.
    last: Option<u64>,
    /// The total number of records, as stated by the pages so far.
    total: Option<u64>,
    /// The hash of the previous page, if the records have an identity.
    previous: Option<u64>,
    /// The hashes of the first position and of all cursors so far, used to detect a repeated cursor.
    requested: HashSet<u64>,
    hasher: RandomState,
}

/// The pager's next step.
enum Next {
    /// Request the page at this position, or the page that the query requests.
    Request(Option<Position>),
    Fail(Error),
    /// A page was requested, or no page remains.
    Nothing,
}

/// The number of a page's records, and their hash.
#[derive(Clone, Copy, Debug, Default)]
struct Page {
    /// Number of records, including rejected ones.
    records: u64,
    /// The hash of the records, if they have an identity.
    hash: Option<u64>,
}

/// The future of a requested page.
pub(crate) type PageFuture<P> = BoxFuture<'static, Result<P, Error>>;

/// A function that requests the page at a position, or the page that the query requests.
trait Ask<P>: MaybeSend {
    fn page(&mut self, position: Option<Position>) -> PageFuture<P>;
}

impl<P, F: FnMut(Option<Position>) -> PageFuture<P> + MaybeSend> Ask<P> for F {
    fn page(&mut self, position: Option<Position>) -> PageFuture<P> {
        self(position)
    }
}

impl<P, M> Pager<P, M> {
    /// Creates a pager that begins with the page that `query` requests. `ask` requests the page of a query.
    pub(crate) fn new<O: PagedOperation<Metadata = M>>(
        mut query: O,
        mut ask: impl FnMut(O) -> PageFuture<P> + MaybeSend + 'static,
    ) -> Self {
        let (position, before) = (query.position(), records_before(&query));
        let ask = move |position| {
            if let Some(position) = position {
                query.turn_to(position);
            }
            ask(query.clone())
        };
        let mut pager = Self {
            paging: O::PAGING,
            ask: Box::new(ask),
            marks: O::marks,
            next: Next::Request(None),
            max_pages: MAX_PAGES,
            pages: 0,
            number: position.as_ref().and_then(Position::number),
            page: Page::default(),
            records: 0,
            delivered: 0,
            before,
            last: None,
            total: None,
            previous: None,
            requested: HashSet::new(),
            hasher: RandomState::new(),
        };
        if let Some(position) = position {
            pager.is_new(&position);
        }
        pager
    }

    pub(crate) fn limit(&mut self, pages: u64) {
        self.max_pages = pages;
    }

    /// Requests the next page. Returns `None` after the last page and after an error.
    pub(crate) fn request(&mut self) -> Option<Result<PageFuture<P>, Error>> {
        let error = match mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing => return None,
            Next::Request(position) if self.pages < self.max_pages => {
                self.pages += 1;
                self.page = Page::default();
                return Some(Ok(self.ask.page(position)));
            }
            Next::Request(_) => {
                let text = format!(
                    "the list has more than {} pages; raise the limit with `max_pages`",
                    self.max_pages
                );
                Error::new(ErrorKind::Paging, text)
            }
            Next::Fail(error) => error,
        };
        Some(Err(self.fail(error)))
    }

    /// Adds to an error how many records were decoded before it.
    pub(crate) fn fail(&self, error: Error) -> Error {
        if self.delivered == 0 { error } else { error.after_records(self.delivered) }
    }

    /// Counts an entry of the current page.
    pub(crate) fn count(&mut self, json: &str, is_accepted: bool) {
        self.delivered += u64::from(is_accepted);
        self.page.records += 1;
        if self.paging.has_identity {
            self.page.hash = Some(self.hasher.hash_one((self.page.hash, json)));
        }
    }

    /// Counts the entries of a whole page. `body` is the page's text.
    fn count_all(&mut self, items: usize, rejected: usize, body: &[u8]) {
        let (records, rejected) = (number(items), number(rejected));
        self.delivered += records;
        let hash = self.paging.has_identity.then(|| self.hasher.hash_one(body));
        self.page = Page { records: records + rejected, hash };
    }

    /// Ends the page and decides from its metadata what follows.
    pub(crate) fn turn(&mut self, metadata: &M) {
        self.next = match self.after(self.page, (self.marks)(metadata)) {
            Ok(Some(position)) => {
                self.number = position.number();
                Next::Request(Some(position))
            }
            Ok(None) => Next::Nothing,
            Err(cause) => {
                let text = format!("cannot read the next page: {cause}");
                Next::Fail(Error::new(ErrorKind::Paging, text))
            }
        };
    }

    /// Returns the position of the page after `page`, or `None` if `page` is the last one. Fails if `page` violates the
    /// contract.
    fn after(&mut self, page: Page, marks: PageMarks) -> Result<Option<Position>, Cause> {
        self.records = self.records.saturating_add(page.records);
        if page.records > 0 && page.hash.is_some() && page.hash == self.previous {
            return Err("the service returned the same page again; report it to the service");
        }
        self.previous = page.hash;
        rises(&mut self.last, marks.last)?;
        rises(&mut self.total, marks.total)?;
        if marks.more == Some(false) {
            return Ok(None);
        }
        let goes_on = marks.more == Some(true);
        let number = self.number;
        match self.paging.by {
            PagedBy::Number { first } => {
                let number = number.unwrap_or(first);
                let is_last = match self.last {
                    _ if goes_on => false,
                    Some(last) => u64::try_from(number).is_ok_and(|number| number >= last),
                    None => self.is_complete(page)?,
                };
                Ok((!is_last).then(|| Position::Number(number.saturating_add(1))))
            }
            PagedBy::Offset if goes_on && page.records == 0 => Err(
                "the service returned no records, but says that more follow; report it to the service",
            ),
            PagedBy::Offset => {
                let records = i64::try_from(page.records).unwrap_or(i64::MAX);
                let next = number.unwrap_or_default().saturating_add(records);
                let is_last = !goes_on && self.is_complete(page)?;
                Ok((!is_last).then_some(Position::Number(next)))
            }
            _ if goes_on && marks.next.is_none() => Err(
                "the service says that a page follows, but returned no position; report it to the service",
            ),
            PagedBy::NextOffset => match marks.next {
                Some(Position::Number(next)) if next > number.unwrap_or_default() => {
                    Ok(Some(Position::Number(next)))
                }
                Some(_) => Err("the offset did not increase; report it to the service"),
                None => Ok(None),
            },
            _ => match marks.next {
                Some(next) if !self.is_new(&next) => {
                    Err("the service returned an earlier position; report it to the service")
                }
                next => Ok(next),
            },
        }
    }

    /// Returns whether `page` is the last one. The total decides if it is known; otherwise an empty page is the last.
    /// Fails if the page is empty although the total says that records follow.
    fn is_complete(&self, page: Page) -> Result<bool, Cause> {
        if let (Some(total), Some(before)) = (self.total, self.before) {
            let is_complete = before.saturating_add(self.records) >= total;
            return if page.records == 0 && !is_complete {
                Err(
                    "the total says that records follow, but the service returned none; report it to the service",
                )
            } else {
                Ok(is_complete)
            };
        }
        Ok(page.records == 0)
    }

    /// Remembers a position. Returns false if it was remembered before.
    fn is_new(&mut self, position: &Position) -> bool {
        self.requested.insert(self.hasher.hash_one(position))
    }
}

/// Why the next page cannot be read, and what to do next.
type Cause = &'static str;

/// Updates a total number of pages or records. Fails if the total decreases, because records may then have been missed:
/// removing a record moves later ones to an earlier page.
fn rises(known: &mut Option<u64>, now: Option<u64>) -> Result<(), Cause> {
    if now.is_some() && now < *known {
        return Err("records may be missing, because the list became shorter; read it again");
    }
    *known = now.or(*known);
    Ok(())
}

/// Returns the number of records before the page that a query requests, if it is known.
fn records_before<O: PagedOperation>(query: &O) -> Option<u64> {
    let number = query.position().and_then(|position| position.number());
    match (O::PAGING.by, number) {
        (_, None) => Some(0),
        (PagedBy::Number { first }, Some(number)) => {
            let pages = u64::try_from(number.checked_sub(first)?).ok()?;
            if pages == 0 { Some(0) } else { pages.checked_mul(query.page_size()?) }
        }
        (_, Some(number)) => u64::try_from(number).ok(),
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Default maximum number of pages of a list.
pub(crate) const MAX_PAGES: u64 = 10_000;

/// The pages returned by [`Client::pages`](crate::Client::pages): a [`Stream`] of
/// [`Listing`](methodical_model::Listing)s, and an [`Iterator`] in [`blocking`](crate::blocking::Pages).
///
/// A page is requested only when you ask for it. After an error there are no more pages. Dropping this value ends a
/// request in progress. `Debug` shows only how many pages and records there were, because records may be personal data.
pub struct Pages<O: PagedOperation, B = Body> {
    pager: Pager<WithBody<O>, O::Metadata>,
    /// The page that was requested but has not been returned yet.
    response: Option<PageFuture<WithBody<O>>>,
    mode: PhantomData<fn() -> B>,
}

/// A page and its body.
type WithBody<O> = (<O as Operation>::Output, Bytes);

impl<O: PagedOperation, B> Pages<O, B> {
    pub(crate) fn new(
        query: O,
        ask: impl FnMut(O) -> PageFuture<WithBody<O>> + MaybeSend + 'static,
    ) -> Self {
        Self { pager: Pager::new(query, ask), response: None, mode: PhantomData }
    }

    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, an error of kind [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the last
    /// page allowed. With a maximum of zero, that error comes first.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.pager.limit(pages);
        self
    }

    /// Waits for the next page. Dropping the future loses nothing, because a requested page is kept in `self`.
    async fn advance(&mut self) -> Option<Result<O::Output, Error>> {
        let response = match &mut self.response {
            Some(response) => response,
            none => match self.pager.request()? {
                Ok(page) => none.insert(page),
                Err(error) => return Some(Err(error)),
            },
        };
        let page = response.as_mut().await;
        self.response = None;
        Some(match page {
            Ok((listing, body)) => {
                let (items, rejected) = (listing.items.len(), listing.rejected.len());
                self.pager.count_all(items, rejected, &body);
                self.pager.turn(&listing.metadata);
                Ok(listing)
            }
            Err(error) => Err(self.pager.fail(error)),
        })
    }
}

impl<O: PagedOperation> Pages<O> {
    /// Waits for the next page; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future does not lose a page.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Client::send`](crate::Client::send), and [`ErrorKind::Paging`](crate::ErrorKind::Paging)
    /// if a page violates the contract. [`Error::delivered`] returns how many records were decoded before the error.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Error, Pages};
    ///
    /// /// Requests pages until there are at least `count` records, and returns these.
    /// async fn first<O: PagedOperation>(mut pages: Pages<O>, count: usize) -> Result<Vec<O::Item>, Error> {
    ///     let mut records = Vec::new();
    ///     while records.len() < count && let Some(page) = pages.next().await {
    ///         records.extend(page?.items);
    ///     }
    ///     Ok(records)
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Result<O::Output, Error>> {
        self.advance().await
    }
}

impl<O: PagedOperation> Stream for Pages<O> {
    type Item = Result<O::Output, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // All state is in `self`, so the future can be created anew for each poll.
        pin!(self.advance()).poll(context)
    }
}

impl<O: PagedOperation> Iterator for Pages<O, BlockingBody> {
    type Item = Result<O::Output, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        block_on(self.advance())
    }
}

/// The fields are never pinned.
impl<O: PagedOperation, B> Unpin for Pages<O, B> {}

impl<O: PagedOperation, B> fmt::Debug for Pages<O, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Pager { pages, records, .. } = &self.pager;
        let mut fields = f.debug_struct("Pages");
        fields.field("pages", pages).field("records", records).finish_non_exhaustive()
    }
}
