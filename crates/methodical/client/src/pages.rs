//! The pages of a list, and their async and blocking drivers.

use std::fmt;
use std::marker::PhantomData;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_core::Stream;
use gateway_transport::{BlockingBody, Body, BoxFuture, MaybeSend};
use methodical_model::{Operation, PagedOperation};
use pollster::block_on;

use crate::Error;
use crate::pager::Pager;

/// The pages of [`Client::pages`](crate::Client::pages): a [`Stream`] of [`Listing`](methodical_model::Listing)s, and an
/// [`Iterator`] in [`blocking`](crate::blocking::Pages).
///
/// A page is requested only when it is asked for. After an error there are no more pages; [`Error::delivered`] returns how
/// many records the pages before it had. Dropping the value ends a request that was sent.
pub struct Pages<O: PagedOperation, B = Body> {
    pager: Pager<O>,
    request: Box<dyn Request<O>>,
    /// The page that was requested.
    response: Option<PageFuture<O>>,
    mode: PhantomData<fn() -> B>,
}

/// A page that was requested, and its body.
type PageFuture<O> = BoxFuture<'static, Result<(<O as Operation>::Output, Bytes), Error>>;

/// A function that requests a page.
trait Request<O: PagedOperation>: MaybeSend {
    fn page(&mut self, query: O) -> PageFuture<O>;
}

impl<O: PagedOperation, F: FnMut(O) -> PageFuture<O> + MaybeSend> Request<O> for F {
    fn page(&mut self, query: O) -> PageFuture<O> {
        self(query)
    }
}

impl<O: PagedOperation, B> Pages<O, B> {
    pub(crate) fn new(
        query: O,
        request: impl FnMut(O) -> PageFuture<O> + MaybeSend + 'static,
    ) -> Self {
        let (pager, request) = (Pager::new(query), Box::new(request));
        Self { pager, request, response: None, mode: PhantomData }
    }

    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the last one of them.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.pager.limit_pages(pages);
        self
    }

    /// Waits for the next page. Dropping the future loses nothing: a page that was requested is in `self`.
    async fn advance(&mut self) -> Option<Result<O::Output, Error>> {
        let response = match &mut self.response {
            Some(response) => response,
            none => match self.pager.next()? {
                Ok(query) => none.insert(self.request.page(query)),
                Err(error) => return Some(Err(error)),
            },
        };
        let page = response.as_mut().await;
        self.response = None;
        Some(match page {
            Ok((listing, body)) => {
                self.pager.whole(&listing, &body);
                Ok(listing)
            }
            Err(error) => Err(self.pager.fail(error)),
        })
    }
}

impl<O: PagedOperation> Pages<O> {
    /// Waits for the next page; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future loses no page.
    ///
    /// # Errors
    ///
    /// Those of [`Client::send`](crate::Client::send), and [`ErrorKind::Paging`](crate::ErrorKind::Paging) if the pages do not
    /// follow the contract. [`Error::delivered`] returns how many records the pages before had.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Error, Pages};
    ///
    /// /// Returns the first pages that have at least `count` records. It requests no other page.
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
        // The future has no further state.
        pin!(self.advance()).poll(context)
    }
}

impl<O: PagedOperation> Iterator for Pages<O, BlockingBody> {
    type Item = Result<O::Output, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        block_on(self.advance())
    }
}

/// Nothing in it is pinned.
impl<O: PagedOperation, B> Unpin for Pages<O, B> {}

impl<O: PagedOperation, B> fmt::Debug for Pages<O, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("pager", &self.pager).finish_non_exhaustive()
    }
}
