//! Reads single records of a mirror.

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
    /// use gateway_mirror::model::{Column, Table};
    /// use gateway_mirror::{Mirror, Rules};
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
    /// # Ok::<(), gateway_mirror::Error>(())
    /// ```
    pub fn record(&self, table: &str, id: &str) -> Result<Option<Record>, Error> {
        let mut store = lock(&self.store);
        let is_reduced = omit::is_on(&mut **store)?;
        let kept = store.record(table, id)?;
        drop(store);
        kept.map(|kept| Record::of(kept, is_reduced)).transpose()
    }
}
