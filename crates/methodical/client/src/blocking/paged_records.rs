//! The records of all pages of a list, as the blocking client reads them.

use std::{fmt, mem};

use methodical_model::{ListOperation, PagedOperation, Record, Service};

use crate::Error;
use crate::blocking::{Client, Records};
use crate::list_reader::Entry;
use crate::pager::Pager;

impl<S: Service> Client<S> {
    /// Returns the records of a list: those on the page of the query, and those on the pages after it.
    ///
    /// It is [`stream`](Self::stream) for a list in pages: memory holds one chunk of a page, and each page is a
    /// separate call, with the timeouts and retries of `stream`. Nothing is sent until the first record is asked for. See also
    /// [`pages`](Self::pages).
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Entry, Error, blocking::Client};
    ///
    /// fn count<O: PagedOperation>(client: &Client<O::Service>, query: &O) -> Result<u64, Error> {
    ///     let mut count = 0;
    ///     for entry in client.stream_all(query) {
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

/// The records of all pages, of [`Client::stream_all`]: an [`Iterator`].
///
/// A page is requested only after all records of the page before were taken, and when another one is asked for. After an
/// error there are no more records; [`Error::delivered`] returns how many came before. Dropping the value ends the exchange
/// and closes the connection.
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
    Open(Reader<O>),
    /// It has ended.
    Read(Reader<O>),
}

type Reader<O> = Records<<O as ListOperation>::Item, <O as ListOperation>::Beside>;

impl<O: PagedOperation> PagedRecords<O> {
    /// Sets the maximum number of records. Rejected ones are not counted. Default: no limit.
    ///
    /// The list ends with the last of them, without an error, and no page after it is requested.
    ///
    /// ```
    /// use methodical_client::model::PagedOperation;
    /// use methodical_client::{Entry, Error, blocking::Client};
    ///
    /// /// Returns the first 100 records. It requests only the pages that have them.
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
            Page::Before | Page::Open(_) => None,
        }
    }

    /// Reads the next record as [`Iterator::next`] does, but lends it and its JSON text to `take`, as
    /// [`Records::next_json_with`] does.
    pub fn next_json_with<X>(
        &mut self,
        mut take: impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        loop {
            if self.pager.delivered() >= self.limit {
                self.page = Page::Before;
                return None;
            }
            match &mut self.page {
                Page::Before | Page::Read(_) => {
                    let query = match self.pager.next()? {
                        Ok(query) => query,
                        Err(error) => return Some(Err(error)),
                    };
                    self.page = Page::Before;
                    let records = match self.client.stream(&query) {
                        Ok(records) => records,
                        Err(error) => return Some(Err(self.pager.fail(error))),
                    };
                    self.page = Page::Open(match self.record_limit {
                        Some(bytes) => records.record_limit(bytes),
                        None => records,
                    });
                }
                Page::Open(records) => {
                    let pager = &mut self.pager;
                    let entry = records.next_json_with(|record, json| {
                        pager.record(json);
                        take(record, json)
                    });
                    match entry {
                        Some(entry) => return Some(self.pager.seen(entry)),
                        None => self.turn(),
                    }
                }
            }
        }
    }

    /// Takes the next record from what has already been received, as [`Records::received_json_with`] does.
    ///
    /// It never waits. `None` means that more must be received, or that the page has ended.
    pub fn received_json_with<X>(
        &mut self,
        take: impl FnOnce(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        let Page::Open(records) = &mut self.page else { return None };
        if self.pager.delivered() >= self.limit {
            return None;
        }
        let pager = &mut self.pager;
        let entry = records.received_json_with(|record, json| {
            pager.record(json);
            take(record, json)
        });
        entry.map(|entry| self.pager.seen(entry))
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

impl<O: PagedOperation> Iterator for PagedRecords<O> {
    type Item = Result<Entry<O::Item>, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_json_with(|record, _| O::Item::from_ref(record))
    }
}

impl<O: PagedOperation> fmt::Debug for PagedRecords<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagedRecords").field("pager", &self.pager).finish_non_exhaustive()
    }
}
