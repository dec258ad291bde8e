//! Mirrors that omit personal data.

use crate::error::Error;
use crate::fields::omit::{self, Omission};
use crate::fields::shape::Column;
use crate::keep::filter::Filter;
use crate::mirror::{Mirror, lock};
use crate::recovery::follow;
use crate::store::Store;
use crate::store::data::{End, Omitted, PAGE, SpellsOf};

impl Mirror {
    /// Omits personal data from now on: personal columns and unlisted fields are not stored, those that are stored are emptied
    /// in one transaction, and the records stay as they are otherwise. Returns how many records were emptied.
    ///
    /// Changes are noticed as before, by keyed hashes. A change of personal or unlisted fields has the name `mirror_personal`
    /// among its fields, and a record has a keyed hash of them as `mirror_personal`.
    ///
    /// This lasts: the values are lost, so that only another mirror can have them again. Backups that were made before still
    /// have them, see [`backups`](Self::backups).
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror.
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const COLUMNS: &[Column] = &[Column::text(&["id"]), Column::text(&["owner"]).personal(), Column::integer(&["size"])];
    /// const PHOTO: Table = Table::new("photo", "id", COLUMNS);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// mirror.omit_personal()?;
    /// for record in [r#"{"id":"1","owner":"Ada","size":1}"#, r#"{"id":"1","owner":"Grace","size":1}"#] {
    ///     let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    ///     run.record(record)?;
    ///     run.finish()?;
    /// }
    /// assert_eq!(mirror.changes(None, 9)?.0[0].fields, ["mirror_personal"]);
    /// mirror.each_record("photo", |record| assert!(!record.json.contains("Grace")))?;
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn omit_personal(&mut self) -> Result<u64, Error> {
        let mut store = lock(&self.store);
        let result = omit_all(&mut store);
        store.roll_back();
        let emptied = result?;
        if emptied > 0 {
            store.compact()?;
        }
        Ok(emptied)
    }

    /// Returns whether the mirror omits personal data.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    pub fn omits_personal(&self) -> Result<bool, Error> {
        omit::is_on(&mut lock(&self.store))
    }
}

fn omit_all(store: &mut Store) -> Result<u64, Error> {
    let tables = store.tables()?;
    let name = tables.first().map_or("", |status| &*status.table);
    let after = store.begin_forgetting(name)?.unwrap_or_default();
    if omit::is_on(store)? {
        return Ok(0);
    }
    omit::turn_on(store)?;
    let (omission, mut emptied) = (Omission::new(store), 0);
    let recovered = follow::recovered(store)?;
    for status in &tables {
        let value = recovered.get(&status.table).map(|value| &**value);
        emptied += omit_table(store, &omission, &status.table, value)?;
    }
    store.commit(&End { table: name, completed_at: None, after, has_erased: emptied > 0 })?;
    Ok(emptied)
}

/// Reduces the rows of a table, and removes the spells of a personal value. Returns how many had something personal.
fn omit_table(
    store: &mut Store,
    omission: &Omission,
    table: &str,
    value: Option<&str>,
) -> Result<u64, Error> {
    let (filter, mut after, mut emptied) = (Filter::new(), 0, 0);
    loop {
        let page = store.records(table, &filter, after, PAGE)?;
        let Some(last) = page.last() else { return Ok(emptied) };
        after = last.known.key;
        let mut omitted = Vec::with_capacity(page.len());
        let is_value = |column: &Column| column.is_personal && Some(&*column.name) == value;
        if page.iter().any(|kept| kept.shape.columns.iter().any(is_value)) {
            store.erase_spells(table, SpellsOf::Table)?;
        }
        for kept in page {
            let reduced = omission.reduce(kept.row.clone(), &kept.shape)?;
            if reduced != kept.row {
                omitted.push(Omitted { key: kept.known.key, row: reduced });
            }
        }
        emptied += omitted.len() as u64;
        store.omit(table, &omitted)?;
    }
}
