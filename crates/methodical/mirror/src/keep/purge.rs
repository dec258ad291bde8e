//! Removes rows of deleted records, and old changes.

use std::time::Duration;

use crate::error::Error;
use crate::feed::cursor::Cursor;
use crate::mirror::{Mirror, lock, now};
use crate::store::Store;
use crate::store::data::Removal;

/// Which rows and changes to remove. The default removes nothing.
///
/// ```
/// use std::time::Duration;
///
/// use methodical_mirror::Purge;
///
/// const DAY: Duration = Duration::from_secs(24 * 60 * 60);
///
/// // How much would be removed, if deleted records are kept for 90 days, and changes for 30 days?
/// let purge = Purge::new().records_gone_for(90 * DAY).changes_older_than(30 * DAY).dry_run();
/// # assert_ne!(purge, Purge::new());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use]
pub struct Purge {
    gone_for: Option<Duration>,
    age: Option<Duration>,
    until: Option<Cursor>,
    is_dry_run: bool,
}

impl Purge {
    /// Creates a purge that removes nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Removes the rows of records that have been gone or forgotten for this long. Forgotten identities stay blocked.
    /// A record that was gone and is in a list again is added, instead of returned.
    pub fn records_gone_for(self, duration: Duration) -> Self {
        Self { gone_for: Some(duration), ..self }
    }

    /// Removes the changes that are older than this, up to the first one that is not.
    pub fn changes_older_than(self, duration: Duration) -> Self {
        Self { age: Some(duration), ..self }
    }

    /// Removes the changes up to this cursor.
    pub fn changes_until(self, cursor: &Cursor) -> Self {
        Self { until: Some(cursor.clone()), ..self }
    }

    /// Counts what would be removed, and removes nothing.
    pub fn dry_run(self) -> Self {
        Self { is_dry_run: true, ..self }
    }
}

/// The result of [`Mirror::purge`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Purged {
    /// How many rows were removed.
    pub records: u64,
    /// How many changes were removed.
    pub changes: u64,
    /// The consumer that needs changes which would have been removed otherwise. Deliver them, or move or remove the consumer.
    pub kept_for: Option<String>,
    /// By how many bytes the file became smaller. A file is built again if more than a quarter of it, and more than 4 MiB, is
    /// free.
    pub freed: u64,
}

impl Mirror {
    /// Removes rows of deleted records and old changes, in one transaction. Changes that a consumer has not received stay, also
    /// those of a disabled one. Cursors before the removed changes are refused from now on.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror, and
    /// [`Cursor`](crate::ErrorKind::Cursor) if the cursor belongs to another mirror.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use methodical_mirror::{Mirror, Purge};
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let purged = mirror.purge(&Purge::new().records_gone_for(Duration::from_secs(86_400)))?;
    /// assert_eq!((purged.records, purged.changes), (0, 0));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn purge(&mut self, purge: &Purge) -> Result<Purged, Error> {
        let now = now(&self.clock);
        let mut store = lock(&self.store);
        let store = &mut store;
        let (until, kept_for) = until(store, purge, now)?;
        let gone_before = purge.gone_for.map(|duration| before(now, duration));
        let removal = Removal { gone_before, until, is_dry_run: purge.is_dry_run };
        let removed = store.remove(&removal);
        store.roll_back();
        let (records, changes) = removed?;
        let is_changed = !purge.is_dry_run && records + changes > 0;
        let freed = if is_changed { store.compact()? } else { 0 };
        Ok(Purged { records, changes, kept_for, freed })
    }
}

/// Returns the number of the last change to remove, and the consumer because of which no later ones are removed.
fn until(store: &mut Store, purge: &Purge, now: i64) -> Result<(i64, Option<String>), Error> {
    let feed = store.feed()?;
    let mut until = feed.pruned;
    if let Some(cursor) = &purge.until {
        until = until.max(cursor.position(store.identity())?.min(feed.last));
    }
    if let Some(age) = purge.age {
        until = until.max(store.older_than(before(now, age))?);
    }
    let consumers = store.consumers()?.into_iter();
    let needing = consumers.filter(|consumer| (feed.pruned..until).contains(&consumer.position));
    Ok(match needing.min_by_key(|consumer| consumer.position) {
        Some(consumer) => (consumer.position, Some(consumer.name)),
        None => (until, None),
    })
}

fn before(now: i64, duration: Duration) -> i64 {
    now.saturating_sub(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}
