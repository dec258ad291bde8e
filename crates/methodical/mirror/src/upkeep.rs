//! Removes rows of deleted records, and old changes.

pub(crate) mod backup;
pub(crate) mod check;
pub(crate) mod forget;

use std::time::Duration;

use crate::error::Error;
use crate::feed::Cursor;
use crate::mirror::Mirror;
use crate::store::{OrFailed as _, Store, quoted, utc};

/// Selects the rows and changes to remove. The default removes nothing.
///
/// ```
/// use std::time::Duration;
///
/// use methodical_mirror::Purge;
///
/// const DAY: Duration = Duration::from_secs(24 * 60 * 60);
///
/// // How much would be removed, if deleted records are kept for 90 days, and changes for 30 days?
/// let purge = Purge { gone_for: Some(90 * DAY), age: Some(30 * DAY), is_dry_run: true, ..Purge::default() };
/// # assert_ne!(purge, Purge::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "the fields that are not set have a default")]
pub struct Purge {
    /// Removes the rows of records that have been gone or forgotten for this long. Forgotten identities stay blocked.
    /// If such a record is in a list again, it counts as added, not as returned.
    pub gone_for: Option<Duration>,
    /// Removes changes older than this, up to the first that is not.
    pub age: Option<Duration>,
    /// Removes the changes up to this cursor.
    pub until: Option<Cursor>,
    /// Counts what would be removed, and removes nothing.
    pub is_dry_run: bool,
}

/// What [`Mirror::purge`] removed or, in a dry run, would have removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Purged {
    /// How many rows were removed.
    pub records: u64,
    /// How many changes were removed.
    pub changes: u64,
    /// The consumer for which some changes were kept. To remove them, deliver them or remove the consumer.
    pub kept_for: Option<String>,
}

impl Mirror {
    /// Removes rows of deleted records and old changes, in one transaction. Changes that a consumer has not received
    /// are kept, even if it is disabled. From now on, cursors before the removed changes are refused.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror, and
    /// [`Cursor`](crate::ErrorKind::Cursor) if the cursor belongs to another mirror.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use methodical_mirror::{Mirror, Purge};
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let purged = mirror.purge(&Purge { gone_for: Some(Duration::from_secs(86_400)), ..Purge::default() })?;
    /// assert_eq!((purged.records, purged.changes), (0, 0));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn purge(&mut self, purge: &Purge) -> Result<Purged, Error> {
        let (now, mut store) = (self.now(), self.store());
        let (until, kept_for) = store.purged_until(purge, now)?;
        let removed = store.begin().and_then(|()| {
            let gone_before = purge.gone_for.map(|duration| utc(before(now, duration)));
            let removed = store.remove(gone_before.as_deref(), until)?;
            store.run(if purge.is_dry_run { "ROLLBACK" } else { "COMMIT" })?;
            Ok(removed)
        });
        store.roll_back();
        let (records, changes) = removed?;
        Ok(Purged { records, changes, kept_for })
    }
}

impl Store {
    /// Returns the number of the last change to remove, and the consumer that prevents removing later ones.
    fn purged_until(&self, purge: &Purge, now: i64) -> Result<(i64, Option<String>), Error> {
        let feed = self.feed()?;
        let mut until = feed.pruned;
        if let Some(cursor) = &purge.until {
            until = until.max(cursor.position(self.identity())?.min(feed.last));
        }
        if let Some(age) = purge.age {
            let select = "SELECT coalesce( \
                          (SELECT number - 1 FROM mirror_change WHERE at >= ?1 ORDER BY number LIMIT 1), \
                          (SELECT seq FROM sqlite_sequence WHERE name = 'mirror_change'), 0)";
            let time = utc(before(now, age));
            let last = self.connection.query_row(select, (time,), |row| row.get(0)).or_failed()?;
            until = until.max(last);
        }
        let consumers = self.consumers()?.into_iter();
        let needing = consumers.filter(|one| (feed.pruned..until).contains(&one.position));
        Ok(match needing.min_by_key(|consumer| consumer.position) {
            Some(consumer) => (consumer.position, Some(consumer.name)),
            None => (until, None),
        })
    }

    /// Removes the rows that were gone or forgotten before this time, with their past values, and the changes up to
    /// this number. Returns how many.
    fn remove(&self, gone_before: Option<&str>, until: i64) -> Result<(u64, u64), Error> {
        let mut records = 0;
        for status in self.tables()? {
            let Some(before) = gone_before else { break };
            let table = quoted(&status.table);
            let delete = format!(
                "DELETE FROM {table} WHERE mirror_state IN ('gone', 'forgotten') AND mirror_gone_at < ?1"
            );
            let removed = self.execute(&delete, (before,))?;
            if removed > 0 {
                records += removed;
                self.sweep_values(&status.table)?;
            }
        }
        let changes = self.execute("DELETE FROM mirror_change WHERE number <= ?1", (until,))?;
        self.execute("UPDATE mirror_meta SET pruned = ?1 WHERE pruned < ?1", (until,))?;
        Ok((records, changes))
    }
}

fn before(now: i64, duration: Duration) -> i64 {
    now.saturating_sub(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}
