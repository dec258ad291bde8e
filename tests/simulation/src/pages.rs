//! The store of the service with small pages, so that the data changes while a list is read.

use std::sync::Arc;
use std::time::Duration;

use gateway_server::{
    AccountId, CandidateFilter, Cursor, Error, Page, Principal, RecordSink, Snapshot, SqliteStore,
    Store, TokenDigest, UnixTime,
};

/// A store whose pages have at most this many records.
#[derive(Debug)]
pub struct SmallPages {
    /// The records.
    pub store: Arc<SqliteStore>,
    /// Maximum number of records in a page.
    pub limit: u32,
}

impl SmallPages {
    fn page(&self, page: Page) -> Page {
        Page { limit: page.limit.min(self.limit), ..page }
    }
}

impl Store for SmallPages {
    fn authenticate(&self, token: &TokenDigest, now: UnixTime) -> Result<Option<Principal>, Error> {
        self.store.authenticate(token, now)
    }

    fn candidates(
        &self,
        snapshot: Snapshot,
        filter: &CandidateFilter,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.store.candidates(snapshot, filter, self.page(page), sink)
    }

    fn vacancies(
        &self,
        snapshot: Snapshot,
        page: Page,
        sink: RecordSink<'_>,
    ) -> Result<Option<Cursor>, Error> {
        self.store.vacancies(snapshot, self.page(page), sink)
    }

    fn credits(&self, account: AccountId, sink: RecordSink<'_>) -> Result<(), Error> {
        self.store.credits(account, sink)
    }

    fn is_near(&self) -> bool {
        self.store.is_near()
    }

    fn health(&self) -> Result<(), Error> {
        self.store.health()
    }

    fn collect(&self, age: Duration) -> Result<u64, Error> {
        self.store.collect(age)
    }
}
