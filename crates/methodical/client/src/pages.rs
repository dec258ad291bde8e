//! The pages of a list, as the async client reads them.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_core::Stream;
use gateway_transport::BoxFuture;
use methodical_model::{Operation, PagedOperation, Service};

use crate::pager::Pager;
use crate::{Client, Error};

impl<S: Service> Client<S> {
    /// Returns the pages of a list: that of the query, and those after it.
    ///
    /// Only operations whose contract declares paging have pages. Nothing is sent until the first page is polled, and each
    /// page is a separate call, with the timeouts and retries of [`send`](Self::send). A
    /// [deadline](crate::CallOptions::deadline) is an instant, so it applies to all pages together.
    ///
    /// A service whose list changes while it is read may move records from one page to another. The client cannot see that,
    /// except if the number of pages or records falls.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Client, Error};
    ///
    /// async fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<usize, Error> {
    ///     let (mut count, mut pages) = (0, client.pages(query));
    ///     while let Some(page) = pages.next().await {
    ///         count += page?.items.len();
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn pages<O: PagedOperation<Service = S>>(&self, query: &O) -> Pages<O> {
        Pages { client: self.clone(), pager: Pager::new(query.clone()), response: None }
    }
}

/// The pages of [`Client::pages`]: a [`Stream`] of [`Listing`](methodical_model::Listing)s.
///
/// A page is requested only when it is polled. After an error there are no more pages. Dropping the value ends a request
/// that was sent.
pub struct Pages<O: PagedOperation> {
    client: Client<O::Service>,
    pager: Pager<O>,
    /// The page that was requested.
    response: Option<BoxFuture<'static, Result<Page<O>, Error>>>,
}

/// A page and its body.
type Page<O> = (<O as Operation>::Output, Bytes);

impl<O: PagedOperation> Pages<O> {
    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the last one of them.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.pager = self.pager.with_max_pages(pages);
        self
    }

    /// Waits for the next page; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future loses no page.
    ///
    /// # Errors
    ///
    /// Those of [`Client::send`], and [`ErrorKind::Paging`](crate::ErrorKind::Paging) if the pages do not follow the contract.
    /// [`Error::delivered`] returns how many records the pages before had.
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
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<O::Output, Error>>> {
        let response = match &mut self.response {
            Some(response) => response,
            none => match self.pager.next() {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(query)) => {
                    let client = self.client.clone();
                    none.insert(Box::pin(async move { client.page(&query).await }))
                }
            },
        };
        let page = ready!(response.as_mut().poll(context));
        self.response = None;
        Poll::Ready(Some(match page {
            Ok((listing, body)) => {
                self.pager.whole(&listing, &body);
                Ok(listing)
            }
            Err(error) => Err(self.pager.fail(error)),
        }))
    }
}

impl<O: PagedOperation> Stream for Pages<O> {
    type Item = Result<O::Output, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context)
    }
}

/// Nothing in it is pinned.
impl<O: PagedOperation> Unpin for Pages<O> {}

impl<O: PagedOperation> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("pager", &self.pager).finish_non_exhaustive()
    }
}
