//! The pages of a list, as the blocking client reads them.

use std::fmt;

use methodical_model::{PagedOperation, Service};

use crate::Error;
use crate::blocking::Client;
use crate::pager::Pager;

impl<S: Service> Client<S> {
    /// Returns the pages of a list: that of the query, and those after it.
    ///
    /// Only operations whose contract declares paging have pages. Nothing is sent until the first page is asked for, and each
    /// page is a separate call, with the timeouts and retries of [`send`](Self::send). A
    /// [deadline](crate::CallOptions::deadline) is an instant, so it applies to all pages together.
    ///
    /// A service whose list changes while it is read may move records from one page to another. The client cannot see that,
    /// except if the number of pages or records falls.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Error, blocking::Client};
    ///
    /// fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<usize, Error> {
    ///     let mut count = 0;
    ///     for page in client.pages(query) {
    ///         count += page?.items.len();
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn pages<O: PagedOperation<Service = S>>(&self, query: &O) -> Pages<O> {
        Pages { client: self.clone(), pager: Pager::new(query.clone()) }
    }
}

/// The pages of [`Client::pages`]: an [`Iterator`] of [`Listing`](methodical_model::Listing)s.
///
/// A page is requested only when it is asked for. After an error there are no more pages; [`Error::delivered`] returns how
/// many records the pages before it had.
///
/// ```
/// use methodical_client::model::PagedOperation;
/// use methodical_client::{Error, blocking::Pages};
///
/// /// Returns the first pages that have at least `count` records. It requests no other page.
/// fn first<O: PagedOperation>(mut pages: Pages<O>, count: usize) -> Result<Vec<O::Item>, Error> {
///     let mut records = Vec::new();
///     while records.len() < count && let Some(page) = pages.next() {
///         records.extend(page?.items);
///     }
///     Ok(records)
/// }
/// ```
pub struct Pages<O: PagedOperation> {
    client: Client<O::Service>,
    pager: Pager<O>,
}

impl<O: PagedOperation> Pages<O> {
    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the last one of them.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.pager = self.pager.with_max_pages(pages);
        self
    }
}

impl<O: PagedOperation> Iterator for Pages<O> {
    type Item = Result<O::Output, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        let query = match self.pager.next()? {
            Ok(query) => query,
            Err(error) => return Some(Err(error)),
        };
        Some(match self.client.page(&query) {
            Ok((listing, body)) => {
                self.pager.whole(&listing, &body);
                Ok(listing)
            }
            Err(error) => Err(self.pager.fail(error)),
        })
    }
}

impl<O: PagedOperation> fmt::Debug for Pages<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages").field("pager", &self.pager).finish_non_exhaustive()
    }
}
