//! Erases records on request and keeps them from coming back, omits personal data, and purges rows and changes.

pub(crate) mod backup;
pub(crate) mod check;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::types::Value;

use crate::error::Error;
use crate::feed::{ChangeKind, Cursor, Difference};
use crate::mirror::Mirror;
use crate::store::rows::{Record, State};
use crate::store::table::TableStatus;
use crate::store::{OMITS_PERSONAL, Store, files, quoted, utc};
use crate::upkeep::backup::{Backup, backups};

/// Selects the rows and changes to remove. The default removes nothing.
///
/// ```
/// use std::time::Duration;
///
/// use methodical_mirror::Purge;
///
/// const DAY: Duration = Duration::from_secs(24 * 60 * 60);
///
/// // How much would be removed if deleted records were kept for 90 days, and changes for 30 days?
/// let purge = Purge { gone_for: Some(90 * DAY), age: Some(30 * DAY), is_dry_run: true, ..Purge::default() };
/// # assert_ne!(purge, Purge::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "fields that are not set have defaults")]
pub struct Purge {
    /// Removes the rows of records that have been gone or forgotten for this long. Forgotten identities stay blocked.
    /// If such a record is in a list again, it counts as added, not as returned.
    pub gone_for: Option<Duration>,
    /// Removes the changes that precede the first change younger than this.
    pub age: Option<Duration>,
    /// Removes the changes up to this cursor.
    pub until: Option<Cursor>,
    /// Only counts what would be removed.
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
    /// The name of the consumer for which some changes were kept; `None` if all were removed. To remove the kept
    /// changes, deliver them or remove the consumer.
    pub kept_for: Option<String>,
}

impl Mirror {
    /// Removes the rows of deleted records, and old changes, in one transaction. Changes that a consumer has not
    /// received are kept, even if it is disabled. Afterwards, cursors that precede removed changes are refused.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror, and
    /// [`Cursor`](crate::ErrorKind::Cursor) if the cursor belongs to another mirror.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use methodical_mirror::{Error, Mirror, Purge};
    ///
    /// /// Removes records deleted 30 or more days ago, and prints how much was removed.
    /// fn purge(mirror: &mut Mirror) -> Result<(), Error> {
    ///     let month = Duration::from_secs(30 * 24 * 3600);
    ///     let purged = mirror.purge(&Purge { gone_for: Some(month), ..Purge::default() })?;
    ///     Ok(println!("{} records, {} changes", purged.records, purged.changes))
    /// }
    /// ```
    pub fn purge(&mut self, purge: &Purge) -> Result<Purged, Error> {
        let (now, mut store) = (self.now(), self.store());
        let (until, kept_for) = store.purged_until(purge, now)?;
        let removed = store.begin().and_then(|()| {
            let mut records = 0;
            for TableStatus { table, .. } in store.tables()? {
                let Some(gone_for) = purge.gone_for else { break };
                let delete = format!(
                    "DELETE FROM {} WHERE mirror_state IN ('gone', 'forgotten') AND mirror_gone_at < ?1",
                    quoted(&table)
                );
                let removed = store.execute(&delete, (utc(before(now, gone_for)),))?;
                if removed > 0 {
                    records += removed;
                    store.sweep_values(&table)?;
                }
            }
            let changes = store.execute("DELETE FROM mirror_change WHERE number <= ?1", (until,))?;
            store.execute("UPDATE mirror_meta SET pruned = ?1 WHERE pruned < ?1", (until,))?;
            let ended = if purge.is_dry_run { store.run("ROLLBACK") } else { store.commit() };
            ended.map(|()| (records, changes))
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
            until = until.max(cursor.position(&self.identity)?.min(feed.last));
        }
        if let Some(age) = purge.age {
            let select =
                "SELECT number - 1 FROM mirror_change WHERE at >= ?1 ORDER BY number LIMIT 1";
            let kept = self.query(select, (utc(before(now, age)),), |row| row.get(0))?;
            until = until.max(kept.first().copied().unwrap_or(feed.last));
        }
        let consumers = self.consumers()?.into_iter();
        let needing = consumers.filter(|one| (feed.pruned..until).contains(&one.position));
        Ok(match needing.min_by_key(|consumer| consumer.position) {
            Some(consumer) => (consumer.position, Some(consumer.name)),
            None => (until, None),
        })
    }
}

/// Where [`Mirror::forget`] erased a record, and where it may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// Whether the table had the record.
    pub was_known: bool,
    /// The backups that may still hold the record, by path. Destroy them, or forget the record again after each restore
    /// from them. Backups that were moved or deleted are included: only you know where they are.
    pub backups: Vec<Backup>,
    /// The names of the copies that may still hold the record. Copy the mirror to them again.
    pub copies: Vec<String>,
    /// Whether bytes of the record remain in the database's log, because another program is reading an older state.
    /// Once that program has finished, the bytes are removed when the mirror is next opened or changed.
    pub has_traces: bool,
}

impl Mirror {
    /// Erases a record: empties its personal and unlisted fields in the table, the log and the free space of the file,
    /// and keeps later syncs from bringing it back. The identity stays in the row and in the feed. If the table does
    /// not have the record, only a keyed hash of its identity is stored.
    ///
    /// The placements of a forgotten member or group are erased as well, with their past values and those in the feed.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror.
    ///
    /// ```
    /// use methodical_mirror::Mirror;
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let forgotten = mirror.forget("photo", "17")?;
    /// assert!(!forgotten.was_known && mirror.is_forgotten("photo", "17")?);
    /// assert!(mirror.unforget("photo", "17")?);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn forget(&mut self, table: &str, id: &str) -> Result<Forgotten, Error> {
        let (at, mut store) = (self.now(), self.store());
        let id = &*store.spelled(table, id);
        let hash = store.identity.records().hash(&[id.as_bytes()]);
        // A backup that begins now is listed before it is written.
        let was_known = store.change(|store| {
            store.sweep_backups()?;
            store.suppress(table, hash, at)?;
            let stored = store.record(table, id)?;
            stored.iter().try_for_each(|one| store.erase_known(table, &one.record, at))?;
            // A group may have listed it before its own list did.
            store.erase_placements(&store.recovered()?, table, id, State::Forgotten, at)?;
            Ok(stored.is_some())
        })?;
        let select =
            "SELECT unixepoch(at) FROM mirror_suppressed WHERE table_name = ?1 AND id = ?2";
        let since = store.query(select, (table, hash.0), |row| row.get(0))?.pop().unwrap_or(at);
        let copies = store.copies()?.into_iter().filter(|(_, read_at)| *read_at <= since);
        Ok(Forgotten {
            was_known,
            copies: copies.map(|(target, _)| target).collect(),
            backups: store.path("").map_or(Ok(Vec::new()), backups)?,
            has_traces: store.has_traces,
        })
    }

    /// Returns whether the record with this identity was erased with [`forget`](Self::forget).
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn is_forgotten(&self, table: &str, id: &str) -> Result<bool, Error> {
        let store = self.store();
        Ok(store.suppressed(table)?.has(&store.spelled(table, id)))
    }

    /// Lets the next list bring a forgotten record back, for example because the person has consented. Until then, its
    /// row counts as gone. Returns whether the identity was forgotten.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror.
    pub fn unforget(&mut self, table: &str, id: &str) -> Result<bool, Error> {
        let at = self.now();
        self.store().change(|store| {
            let delete = "DELETE FROM mirror_suppressed WHERE table_name = ?1 AND id = ?2";
            let id = &*store.spelled(table, id);
            let hash = store.identity.records().hash(&[id.as_bytes()]).0;
            if store.execute(delete, (table, hash))? == 0 {
                return Ok(false);
            }
            let record = store.record(table, id)?.map(|stored| stored.record);
            if let Some(record) = record.filter(|record| record.state == State::Forgotten) {
                store.erase(table, (record.number, record.state), State::Gone, at)?;
            }
            Ok(true)
        })
    }

    /// Omits personal data from now on. Personal columns and unlisted fields are no longer stored, and existing values
    /// are emptied in one transaction; the records are otherwise unchanged. Returns how many records were emptied.
    ///
    /// Changes of other fields are still noticed. This cannot be undone: only a new mirror can have the values again.
    /// Earlier backups still have the values.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror.
    ///
    /// ```
    /// use methodical_mirror::Mirror;
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// assert_eq!(mirror.omit_personal()?, 0);
    /// assert!(mirror.omits_personal()?);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn omit_personal(&mut self) -> Result<u64, Error> {
        let mut store = self.store();
        store.change(|store| {
            let mut emptied = 0;
            if !store.omits_personal()? {
                store.set_note(OMITS_PERSONAL, "yes")?;
                store.sweep_backups()?;
                for status in store.tables()? {
                    emptied += store.omit_table(&status.table)?;
                }
            }
            Ok(emptied)
        })
    }

    /// Returns whether the mirror omits personal data.
    ///
    /// # Errors
    ///
    /// Fails if the database cannot be read.
    pub fn omits_personal(&self) -> Result<bool, Error> {
        self.store().omits_personal()
    }
}

impl Store {
    /// Returns an identity as a table stores it, such as the integer `05` as `5`.
    fn spelled<'a>(&self, table: &str, id: &'a str) -> Cow<'a, str> {
        match self.table(table).ok().and_then(|table| table.id(id)) {
            Some(Value::Integer(number)) => number.to_string().into(),
            _ => id.into(),
        }
    }

    /// Erases a record that has a row, but not its placements.
    pub(crate) fn erase_known(
        &self,
        table: &str,
        Record { number, id, state, .. }: &Record,
        at: i64,
    ) -> Result<(), Error> {
        self.erase(table, (*number, *state), State::Forgotten, at)?;
        if state.is_live() {
            self.append(&utc(at), table, id, ChangeKind::Gone, Difference::default())?;
        }
        // An index covers the member, with which a placement's identity ends.
        let of = "record_id = ?2 AND member_id = substr(?2, instr(?2, '/') + 1)";
        self.erase_values(table, of, id)
    }

    /// Removes partial backups that killed processes left behind.
    fn sweep_backups(&self) -> Result<(), Error> {
        let Ok(path) = self.path("") else { return Ok(()) };
        files::sweep(path);
        backups(path)?.iter().for_each(|backup| files::sweep(&backup.path));
        Ok(())
    }

    /// Empties personal columns and unlisted fields in the rows of a table, and removes personal past values. Returns
    /// how many rows were emptied.
    fn omit_table(&self, table: &str) -> Result<u64, Error> {
        self.note_erasure()?;
        let value = self.recovered()?.remove(table).map(|columns| columns.value);
        let described = self.table(table)?;
        let mut personal = described.shape.columns.iter().filter(|column| column.is_personal);
        if personal.any(|column| Some(&column.name) == value.as_ref()) {
            self.erase_values(table, "?2 = ''", "")?;
        }
        let update = format!(
            "UPDATE {} SET mirror_extra = NULL, mirror_nulls = NULL{} WHERE mirror_state IN ('present', 'missing') \
             AND ({} OR mirror_extra IS NOT NULL OR mirror_nulls IS NOT NULL)",
            quoted(table),
            described.erased,
            !described.erased.is_empty()
        );
        self.execute(&update, ())
    }

    /// Returns the names of the mirror's copies, and when the contents of each were read.
    pub(crate) fn copies(&self) -> Result<BTreeMap<String, i64>, Error> {
        self.json_note("copies")
    }

    /// Records when the contents of a copy were read. `None` keeps the earlier time, or records 0 for a new copy, whose
    /// contents are unknown.
    pub(crate) fn note_copy(&self, target: &str, read_at: Option<i64>) -> Result<(), Error> {
        let mut copies = self.copies()?;
        let before = copies.get(target).copied();
        let noted = read_at.or(before).unwrap_or_default();
        // A write waits while another process is syncing.
        if before == Some(noted) {
            return Ok(());
        }
        copies.insert(target.to_owned(), noted);
        self.set_json_note("copies", &copies)
    }
}

fn before(now: i64, duration: Duration) -> i64 {
    now.saturating_sub(i64::try_from(duration.as_secs()).unwrap_or(i64::MAX))
}
