//! The entries of a list, of one page or of all pages.

use methodical_client::blocking::{PagedRecords, Records};
use methodical_client::model::{Beside, PagedOperation, Record};
use methodical_client::{Entry, Error};

/// A list that is being read.
pub(crate) trait Entries {
    /// The type of a record.
    type Item: Record;

    /// Takes the next record from what has already been received.
    fn received<X>(
        &mut self,
        take: impl FnOnce(<Self::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>>;

    /// Waits for the next record.
    fn next<X>(
        &mut self,
        take: impl FnMut(<Self::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>>;
}

impl<T: Record, B: Beside> Entries for Records<T, B> {
    type Item = T;

    fn received<X>(
        &mut self,
        take: impl FnOnce(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        self.received_json_with(take)
    }

    fn next<X>(
        &mut self,
        take: impl FnMut(T::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        self.next_json_with(take)
    }
}

impl<O: PagedOperation> Entries for PagedRecords<O> {
    type Item = O::Item;

    fn received<X>(
        &mut self,
        take: impl FnOnce(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        self.received_json_with(take)
    }

    fn next<X>(
        &mut self,
        take: impl FnMut(<O::Item as Record>::Ref<'_>, &str) -> X,
    ) -> Option<Result<Entry<X>, Error>> {
        self.next_json_with(take)
    }
}
