//! Erases records on request and keeps them from coming back, and omits personal data.

use std::collections::{BTreeMap, HashSet};

use rusqlite::OptionalExtension as _;

use crate::error::Error;
use crate::feed::ChangeKind;
use crate::fields::Hash;
use crate::mirror::Mirror;
use crate::recovery::values::Of;
use crate::store::filter::Filter;
use crate::store::rows::{Known, State};
use crate::store::{OrFailed as _, Store, files, quoted, utc};
use crate::upkeep::backup::{Backup, backups};

/// Where [`Mirror::forget`] erased a record, and where it may remain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forgotten {
    /// Whether the table had the record.
    pub was_known: bool,
    /// The backups that may still hold the record, by path. Destroy them, or forget the record again after each restore from
    /// them. Those that were moved or removed are included: only you know where they are.
    pub backups: Vec<Backup>,
    /// The names of the copies that may still hold the record. Copy the mirror to them again.
    pub copies: Vec<String>,
    /// Whether bytes of the record remain in the log of the database, because another program is reading an older
    /// state. Once it has finished, they are removed when the mirror is next opened or changed.
    pub has_traces: bool,
}

impl Mirror {
    /// Erases a record: empties its personal and unlisted fields in the table, the log and the free space of the file,
    /// and keeps later syncs from bringing it back. The identity stays in the row and in the feed. If the table does
    /// not have the record, only a keyed hash of its identity is stored.
    ///
    /// The feed and the consumers have no values to erase.
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
        // A backup that begins now is in the list before it is written.
        let was_known = store.forget(table, id, at)?;
        let select =
            "SELECT unixepoch(at) FROM mirror_suppressed WHERE table_name = ?1 AND id = ?2";
        let hash = store.identity().record(id);
        let since = store.connection.query_row(select, (table, hash.0), |row| row.get(0));
        let since = since.optional().or_failed()?.unwrap_or(at);
        let copies = store.copies()?.into_iter().filter(|(_, read_at)| *read_at <= since);
        Ok(Forgotten {
            was_known,
            copies: copies.map(|(target, _)| target).collect(),
            backups: store.path("").map_or(Ok(Vec::new()), backups)?,
            has_traces: store.has_traces(),
        })
    }

    /// Returns whether an identity is forgotten.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn is_forgotten(&self, table: &str, id: &str) -> Result<bool, Error> {
        Ok(self.store().suppressed(table)?.has(id))
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
            let hash = store.identity().record(id).0;
            if store.execute(delete, (table, hash))? == 0 {
                return Ok((false, false));
            }
            let known = store.record(table, id)?.map(|stored| stored.known);
            if let Some(known) = known.filter(|known| known.state == State::Forgotten) {
                store.erase(table, known, State::Gone, at)?;
            }
            Ok((true, false))
        })
    }

    /// Omits personal data from now on. Personal columns and unlisted fields are no longer stored, and existing values
    /// are emptied in one transaction; the records are otherwise unchanged. Returns how many records were emptied.
    ///
    /// Changes of other fields are still noticed. This cannot be undone: only a new mirror can have the values again.
    /// Earlier backups still have them.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process is syncing the mirror.
    ///
    /// ```
    /// use methodical_mirror::model::tables::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["owner"]).personal()]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// mirror.omit_personal()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// run.record(r#"{"id":"1","owner":"Ada"}"#)?;
    /// run.finish()?;
    /// assert_eq!(mirror.record("photo", "1")?.map(|photo| photo.json).as_deref(), Some(r#"{"id":"1"}"#));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn omit_personal(&mut self) -> Result<u64, Error> {
        let mut store = self.store();
        store.change(|store| {
            let mut emptied = 0;
            if !store.omits_personal()? {
                store.omit_personal()?;
                store.sweep_backups()?;
                for status in store.tables()? {
                    emptied += store.omit_table(&status.table)?;
                }
            }
            Ok((emptied, emptied > 0))
        })
    }

    /// Returns whether the mirror omits personal data.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn omits_personal(&self) -> Result<bool, Error> {
        self.store().omits_personal()
    }
}

impl Store {
    /// Forgets a record. Returns whether the table had it.
    fn forget(&mut self, table: &str, id: &str, at: i64) -> Result<bool, Error> {
        self.change(|store| {
            store.sweep_backups()?;
            store.suppress(table, store.identity().record(id), at)?;
            let known = store.record(table, id)?.map(|stored| stored.known);
            if let Some(known) = known {
                store.erase_known(table, known, id, at)?;
            }
            Ok((known.is_some(), known.is_some()))
        })
    }

    /// Erases a record that has a row, and what belongs to it.
    pub(crate) fn erase_known(
        &self,
        table: &str,
        known: Known,
        id: &str,
        at: i64,
    ) -> Result<(), Error> {
        self.erase(table, known, State::Forgotten, at)?;
        if known.state.is_live() {
            self.append(&utc(at), table, id, ChangeKind::Gone)?;
        }
        let recovered = self.recovered()?;
        self.erase_placements(&recovered, table, id, State::Forgotten, at)?;
        self.erase_values(table, Of::Record(id))
    }

    /// Forgets those records of a table whose identities have these hashes.
    pub(crate) fn forget_all(
        &mut self,
        table: &str,
        hashes: &HashSet<Hash>,
        at: i64,
    ) -> Result<(), Error> {
        self.change(|store| {
            for hash in hashes {
                store.suppress(table, *hash, at)?;
            }
            let (identities, mut has_erased) = (store.identity().records(), false);
            if store.has_table(table)? {
                let kept = Filter::new().state(State::Present).state(State::Missing);
                store.each_record(table, &kept.state(State::Gone), |stored| {
                    if hashes.contains(&identities.hash(&[stored.id.as_bytes()])) {
                        store.erase_known(table, stored.known, &stored.id, at)?;
                        has_erased = true;
                    }
                    Ok(())
                })?;
            }
            Ok(((), has_erased))
        })
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
        let value = self.recovered()?.remove(table).map(|columns| columns.value);
        let described = self.table(table)?;
        let mut personal = described.shape.columns.iter().filter(|column| column.is_personal);
        if personal.any(|column| Some(&column.name) == value.as_ref()) {
            self.erase_values(table, Of::Table)?;
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

    /// Returns the copies of the mirror, and when the state of each was read.
    pub(crate) fn copies(&self) -> Result<BTreeMap<String, i64>, Error> {
        self.json_note("copies")
    }

    /// Records when the contents of a copy were read. `None` keeps the earlier time, or 0 for a new copy, whose
    /// contents are unknown.
    pub(crate) fn note_copy(&self, target: &str, read_at: Option<i64>) -> Result<(), Error> {
        let mut copies = self.copies()?;
        let before = copies.get(target).copied().unwrap_or_default();
        copies.insert(target.to_owned(), read_at.unwrap_or(before));
        self.set_json_note("copies", &copies)
    }
}
