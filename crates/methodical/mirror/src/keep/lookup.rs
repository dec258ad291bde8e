//! Reads records of a mirror by their identities.

use std::collections::HashMap;

use crate::error::Error;
use crate::fields::omit;
use crate::keep::record::Record;
use crate::mirror::{Mirror, lock};

impl Mirror {
    /// Returns a record of a table by its identity, in any state. `None` if the table does not have it, or does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// run.record(r#"{"id":"7","title":"Harbour"}"#)?;
    /// run.finish()?;
    /// let photo = mirror.record("photo", "7")?;
    /// assert_eq!(photo.map(|photo| photo.json).as_deref(), Some(r#"{"id":"7","title":"Harbour"}"#));
    /// assert_eq!(mirror.record("photo", "8")?, None);
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn record(&self, table: &str, id: &str) -> Result<Option<Record>, Error> {
        let mut store = lock(&self.store);
        let is_reduced = omit::is_on(&mut store)?;
        let kept = store.record(table, id)?;
        drop(store);
        kept.map(|kept| Record::of(kept, is_reduced)).transpose()
    }

    /// Returns those records of a table that have one of these identities, in any state, by their identities. PostgreSQL
    /// answers all of them in one round trip. A table that does not exist has none.
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
    /// run.record(r#"{"id":"7"}"#)?;
    /// run.record(r#"{"id":"8"}"#)?;
    /// run.finish()?;
    /// let photos = mirror.records_of("photo", &["8", "7", "6"])?;
    /// assert_eq!((photos.len(), &*photos["8"].json), (2, r#"{"id":"8"}"#));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn records_of(&self, table: &str, ids: &[&str]) -> Result<HashMap<String, Record>, Error> {
        if ids.is_empty() {
            return Ok(HashMap::new());
        }
        let mut store = lock(&self.store);
        let is_reduced = omit::is_on(&mut store)?;
        let kept = store.records_of(table, ids)?;
        drop(store);
        let record = |kept| Record::of(kept, is_reduced).map(|record| (record.id.clone(), record));
        kept.into_iter().map(record).collect()
    }
}
