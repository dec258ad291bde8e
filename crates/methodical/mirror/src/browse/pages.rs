//! The methods of a mirror that read for a screen. Each reads a bounded number of rows if the mirror has the indexes.

use std::sync::{Arc, Mutex};

use crate::browse::cell::{Cell, Placements};
use crate::browse::page::Page;
use crate::browse::paging::{Order, Paging};
use crate::error::Error;
use crate::feed::change::Change;
use crate::fields::omit;
use crate::keep::filter::Filter;
use crate::keep::record::Record;
use crate::mirror::{Mirror, lock};
use crate::store::data::{Index, Turned};

impl Mirror {
    /// Returns a page of the records that the filter accepts, in the order of the paging.
    ///
    /// Continue with [`Page::next`]. A record that changes between two pages may occur in both of them, or in neither.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) if the mirror has no such table, or the table no such column or text.
    /// [`Cursor`](crate::ErrorKind::Cursor) if the record after which the page begins was removed. Fails also if the store
    /// does.
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Filter, Mirror, Order, Paging, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// for record in [r#"{"id":"1","title":"Sea"}"#, r#"{"id":"2","title":"Alps"}"#, r#"{"id":"3","title":"harbour"}"#] {
    ///     run.record(record)?;
    /// }
    /// run.finish()?;
    /// let paging = Paging::new(2).order(Order::Text("title".to_owned()));
    /// let page = mirror.browse("photo", &Filter::new(), &paging)?;
    /// assert_eq!((&*page.records[0].id, &*page.records[1].id), ("2", "3"));
    /// let page = mirror.browse("photo", &Filter::new(), &paging.after(page.next.unwrap()))?;
    /// assert_eq!((&*page.records[0].id, page.next), ("1", None));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn browse(&self, table: &str, filter: &Filter, paging: &Paging) -> Result<Page, Error> {
        let mut store = lock(&self.store);
        let is_reduced = omit::is_on(&mut store)?;
        let Turned { kept, next } = store.page(table, filter, paging)?;
        drop(store);
        let records = kept.into_iter().map(|kept| Record::of(kept, is_reduced));
        Ok(Page { records: records.collect::<Result<_, _>>()?, next })
    }

    /// Counts the members of each group by their value, in any order.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) if the mirror has no such table or columns. Fails also if the store
    /// does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror, Placements};
    ///
    /// const PLACEMENTS: Placements<'_> =
    ///     Placements { table: "photo_album", group: "album_id", member: "photo_id", value: "status" };
    ///
    /// fn print(mirror: &Mirror) -> Result<(), Error> {
    ///     for cell in mirror.cells(&PLACEMENTS)? {
    ///         println!("{} {} {}", cell.group, cell.value.unwrap_or_default(), cell.count);
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn cells(&self, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
        lock(&self.store).cells(of)
    }

    /// Returns the changes before the change with this number, or the last ones, at most `limit`: the latest one first. With
    /// a table and an identity, only those of this record.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// fn print_history(mirror: &Mirror, id: &str) -> Result<(), Error> {
    ///     for change in mirror.latest_changes(Some(("photo", id)), None, 20)? {
    ///         println!("{} {}", change.at, change.kind.as_str());
    ///     }
    ///     Ok(())
    /// }
    /// ```
    pub fn latest_changes(
        &self,
        of: Option<(&str, &str)>,
        before: Option<i64>,
        limit: usize,
    ) -> Result<Vec<Change>, Error> {
        lock(&self.store).latest_changes(of, before.unwrap_or(i64::MAX), limit)
    }

    /// Opens another connection to the same mirror, so that a long read does not delay those of this one. `None` for a mirror
    /// in memory.
    ///
    /// # Errors
    ///
    /// Those of [`open_existing`](Self::open_existing).
    ///
    /// ```
    /// # use methodical_mirror::{Mirror, Source};
    /// # let folder = tempfile::tempdir()?;
    /// let mirror = Mirror::open(folder.path().join("mirror.db"), &Source::new("https://gateway.example.com", "me"))?;
    /// let other = mirror.reopened()?.expect("it is in a file");
    /// assert!(other.tables()?.is_empty());
    /// assert!(Mirror::in_memory()?.reopened()?.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reopened(&self) -> Result<Option<Self>, Error> {
        let store = lock(&self.store).reopened()?;
        let clock = Arc::clone(&self.clock);
        Ok(store.map(|store| Self { store: Arc::new(Mutex::new(store)), clock }))
    }

    /// Creates the indexes with which [`browse`](Self::browse) reads few rows of a table in these orders, unless they exist.
    /// Later syncs keep them. A mirror in memory has none.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Busy`](crate::ErrorKind::Busy) if another process syncs the mirror, and
    /// [`Table`](crate::ErrorKind::Table) if the mirror has no such table or columns.
    pub fn index_pages(&mut self, table: &str, orders: &[Order]) -> Result<(), Error> {
        let indexes = orders.iter().map(|order| Index::Page(table, order));
        lock(&self.store).add_indexes(&indexes.collect::<Vec<_>>())
    }

    /// Creates the indexes with which [`cells`](Self::cells) and the pages of the members of a group read few rows, and those
    /// of [`latest_changes`](Self::latest_changes) of a record.
    ///
    /// # Errors
    ///
    /// Those of [`index_pages`](Self::index_pages).
    pub fn index_placements(&mut self, of: &Placements<'_>) -> Result<(), Error> {
        lock(&self.store).add_indexes(&[Index::Placements(of), Index::Changes])
    }
}
