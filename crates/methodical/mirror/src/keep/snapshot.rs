//! The mirror at one moment, for a reader of several tables.

use std::fmt;
use std::sync::MutexGuard;

use crate::error::Error;
use crate::feed::change::Change;
use crate::fields::hash::{Hasher, hex};
use crate::fields::omit;
use crate::gauge::sample::Sample;
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::keep::record::Record;
use crate::keep::spell::{Spell, SpellFilter};
use crate::mirror::{Mirror, lock};
use crate::store::Store;
use crate::store::data::{Direction, SpellPage};

impl Mirror {
    /// Begins to read the mirror as it is now. All reads of the result see one state, also while another process syncs.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// run.record(r#"{"id":"1"}"#)?;
    /// run.finish()?;
    /// let mut snapshot = mirror.snapshot()?;
    /// assert_eq!(snapshot.tables()?[0].present, 1);
    /// assert_eq!(snapshot.records("photo", 0, 100)?[0].id, "1");
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn snapshot(&self) -> Result<Snapshot<'_>, Error> {
        let mut store = lock(&self.store);
        store.begin_reading()?;
        let mut snapshot = Snapshot { store, is_reduced: false, pruned: 0, last: 0 };
        let feed = snapshot.store.feed()?;
        (snapshot.pruned, snapshot.last) = (feed.pruned, feed.last);
        snapshot.is_reduced = omit::is_on(&mut snapshot.store)?;
        Ok(snapshot)
    }
}

/// A mirror at one moment: [`Mirror::snapshot`]. Other calls of the mirror wait until it is dropped.
pub struct Snapshot<'a> {
    store: MutexGuard<'a, Store>,
    is_reduced: bool,
    pruned: i64,
    last: i64,
}

impl Snapshot<'_> {
    /// Returns the id of the mirror: 32 hexadecimal digits. A restored mirror has another one.
    pub fn mirror_id(&self) -> String {
        hex(&self.store.identity().id)
    }

    /// Returns the number of the last change; 0 if there was none.
    pub const fn last_change(&self) -> i64 {
        self.last
    }

    /// Returns the number of the last change that was removed; 0 if none was.
    pub const fn last_removed_change(&self) -> i64 {
        self.pruned
    }

    /// Returns whether the mirror omits personal data.
    pub const fn omits_personal(&self) -> bool {
        self.is_reduced
    }

    /// Returns the state of each table, in the order of their names.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn tables(&mut self) -> Result<Vec<TableStatus>, Error> {
        self.store.tables()
    }

    /// Returns a page of the records of a table, as [`Mirror::records`] does without a filter.
    ///
    /// # Errors
    ///
    /// Those of [`Mirror::records`].
    pub fn records(&mut self, table: &str, after: i64, limit: usize) -> Result<Vec<Record>, Error> {
        let page = self.store.records(table, &Filter::new(), after, limit)?;
        page.into_iter().map(|kept| Record::of(kept, self.is_reduced)).collect()
    }

    /// Returns the changes after this number, at most `limit`.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn changes(&mut self, after: i64, limit: usize) -> Result<Vec<Change>, Error> {
        self.store.changes(after, limit)
    }

    /// Returns the spells of a recovered table after this number, at most `limit`, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn spells(&mut self, table: &str, after: i64, limit: usize) -> Result<Vec<Spell>, Error> {
        let (filter, direction) = (&SpellFilter::new(), Direction::After(after));
        self.store.spells(&SpellPage { table, filter, direction, limit })
    }

    /// Returns all samples of a gauge, in the order in which they were taken.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn samples(&mut self, gauge: &str) -> Result<Vec<Sample>, Error> {
        self.store.samples(gauge, i64::MIN)
    }

    /// Returns a hash of bytes with the secret of the mirror, as 32 hexadecimal digits. Without the secret, contents that
    /// can be guessed cannot be recognized by it.
    pub fn keyed_hash(&self, bytes: &[u8]) -> String {
        let hasher = Hasher::new(&self.store.identity().secret, "snapshot");
        hex(&hasher.hash(&[bytes]).to_bytes())
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        self.store.roll_back();
    }
}

impl fmt::Debug for Snapshot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}
