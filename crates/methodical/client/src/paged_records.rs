//! The records of all pages of a list, as the async client reads them.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::{fmt, mem};

use futures_core::Stream;
use gateway_transport::BoxFuture;
use methodical_model::{ListOperation, PagedOperation, Record, Service};

use crate::list_reader::Entry;
use crate::pager::Pager;
use crate::{Client, Error, Records};

impl<S: Service> Client<S> {
    /// Returns the records of a list: those on the page of the query, and those on the pages after it.
    ///
    /// It is [`stream`](Self::stream) for a list in pages: memory holds one chunk of a page, and each page is a
    /// separate call, with the timeouts and retries of `stream`. Nothing is sent until the first record is polled. See also
    /// [`pages`](Self::pages).
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Client, Entry, Error};
    ///
    /// async fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let (mut count, mut records) = (0, client.stream_all(query));
    ///     while let Some(entry) = records.next().await {
    ///         if let Entry::Record(_) = entry? {
    ///             count += 1;
    ///         }
    ///     }
    ///     Ok(count)
    /// }
    /// ```
    pub fn stream_all<O: PagedOperation<Service = S>>(&self, query: &O) -> PagedRecords<O> {
        PagedRecords {
            client: self.clone(),
            pager: Pager::new(query.clone()),
            limit: u64::MAX,
            record_limit: None,
            page: Page::Before,
        }
    }
}

/// The records of all pages, of [`Client::stream_all`]: a [`Stream`].
///
/// A page is requested only after all records of the page before were taken, and when another one is polled. After an error
/// there are no more records. Dropping the value ends the exchange and closes the connection.
pub struct PagedRecords<O: PagedOperation> {
    client: Client<O::Service>,
    pager: Pager<O>,
    limit: u64,
    record_limit: Option<usize>,
    page: Page<O>,
}

/// The page that is being read.
enum Page<O: PagedOperation> {
    /// None.
    Before,
    Requested(BoxFuture<'static, Result<Reader<O>, Error>>),
    Open(Reader<O>),
    /// It has ended.
    Read(Reader<O>),
}

type Reader<O> = Records<<O as ListOperation>::Item, <O as ListOperation>::Beside>;

impl<O: PagedOperation> PagedRecords<O> {
    /// Sets the maximum number of records. Rejected ones are not counted. Default: no limit.
    ///
    /// The list ends with the last of them, without an error, and no page after it is requested.
    #[must_use]
    pub fn limit(mut self, records: u64) -> Self {
        self.limit = records;
        self
    }

    /// Sets the maximum number of pages. Default: 10000.
    ///
    /// If the list has more pages, [`ErrorKind::Paging`](crate::ErrorKind::Paging) follows the records of the last one of them.
    #[must_use]
    pub fn max_pages(mut self, pages: u64) -> Self {
        self.pager = self.pager.with_max_pages(pages);
        self
    }

    /// Sets the maximum size of one record, in bytes, as [`Records::record_limit`] does.
    #[must_use]
    pub fn record_limit(mut self, bytes: usize) -> Self {
        self.record_limit = Some(bytes);
        self
    }

    /// Returns the fields beside a page, such as a total, after its last record and until the next page is requested.
    pub fn beside(&self) -> Option<&O::Beside> {
        match &self.page {
            Page::Read(records) => records.beside(),
            Page::Before | Page::Requested(_) | Page::Open(_) => None,
        }
    }

    /// Waits for the next entry; `None` means that the list is complete, or that an error has already ended it.
    ///
    /// Dropping the future loses no record.
    ///
    /// # Errors
    ///
    /// Those of [`Client::stream`] and [`Records::next`], and [`ErrorKind::Paging`](crate::ErrorKind::Paging) if the pages do
    /// not follow the contract. [`Error::delivered`] returns how many records of all pages came before.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Client, Entry, Error};
    ///
    /// /// Returns the first 100 records. It requests only the pages that have them.
    /// async fn first<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<Vec<O::Item>, Error> {
    ///     let mut first = Vec::new();
    ///     let mut records = client.stream_all(query).limit(100);
    ///     while let Some(entry) = records.next().await {
    ///         match entry? {
    ///             Entry::Record(record) => first.push(record),
    ///             Entry::Rejected(rejected) => eprintln!("{}", rejected.error()),
    ///         }
    ///     }
    ///     Ok(first)
    /// }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Entry<O::Item>, Error>> {
        self.next_json_with(|record, _| O::Item::from_ref(record)).await
    }

    /// Waits for the next record as [`next`](Self::next) does, but lends it and its JSON text to `take`, as
    /// [`Records::next_json_with`] does.
    ///
    /// # Errors
    ///
    /// See [`next`](Self::next).
    pub async fn next_json_with<X>(
        &mut self,
        mut take: impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        poll_fn(|context| self.poll(context, &mut take)).await
    }

    fn poll<X>(
        &mut self,
        context: &mut Context<'_>,
        take: &mut impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Poll<Option<Result<Entry<X>, Error>>> {
        loop {
            if self.pager.delivered() >= self.limit {
                self.page = Page::Before;
                return Poll::Ready(None);
            }
            match &mut self.page {
                Page::Before | Page::Read(_) => match self.pager.next() {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                    Some(Ok(query)) => {
                        let client = self.client.clone();
                        let page = async move { client.stream(&query).await };
                        self.page = Page::Requested(Box::pin(page));
                    }
                },
                Page::Requested(page) => match ready!(page.as_mut().poll(context)) {
                    Ok(records) => {
                        self.page = Page::Open(match self.record_limit {
                            Some(bytes) => records.record_limit(bytes),
                            None => records,
                        });
                    }
                    Err(error) => {
                        self.page = Page::Before;
                        return Poll::Ready(Some(Err(self.pager.fail(error))));
                    }
                },
                Page::Open(records) => {
                    let pager = &mut self.pager;
                    let entry = ready!(records.poll(context, &mut |record, json| {
                        pager.record(json);
                        take(record, json)
                    }));
                    match entry {
                        Some(entry) => {
                            return Poll::Ready(Some(self.pager.seen(entry)));
                        }
                        None => self.turn(),
                    }
                }
            }
        }
    }

    /// Ends a page.
    fn turn(&mut self) {
        if let Page::Open(records) = mem::replace(&mut self.page, Page::Before) {
            if let Some(beside) = records.beside() {
                self.pager.turn(O::marks(beside));
            }
            self.page = Page::Read(records);
        }
    }
}

impl<O: PagedOperation> Stream for PagedRecords<O> {
    type Item = Result<Entry<O::Item>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll(context, &mut |record, _| O::Item::from_ref(record))
    }
}

/// Nothing in it is pinned.
impl<O: PagedOperation> Unpin for PagedRecords<O> {}

impl<O: PagedOperation> fmt::Debug for PagedRecords<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagedRecords").field("pager", &self.pager).finish_non_exhaustive()
    }
}
