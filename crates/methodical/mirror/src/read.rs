//! Reads the records of a mirror: by identity, in pages, or all that a filter accepts.

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::error::{Error, debug_with};
use crate::mirror::Mirror;
use crate::store::filter::Filter;
use crate::store::page::Paging;
use crate::store::rows::{PAGE, State, Stored};
use crate::store::table::TableStatus;

/// A record of a table.
///
/// All times are in seconds since 1970 (UTC), by the clock of the program that synced.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The number of the row, in the order of first sight. Numbers start at 1, and a later row has a larger one.
    pub number: i64,
    /// The identity of the record.
    pub id: String,
    /// The state of the record.
    pub state: State,
    /// When the record was in a list for the first time.
    pub first_seen: i64,
    /// When a list last had the record with a changed meaning; initially, when the record was first seen.
    pub changed_at: i64,
    /// When the first of the consecutive complete lists without the record was received; `None` if it is present.
    pub missing_since: Option<i64>,
    /// When the record was gone or forgotten; `None` if it is neither.
    pub gone_at: Option<i64>,
    /// The record as JSON text. If it is gone or forgotten, it has no personal and no unlisted fields.
    pub json: String,
}

impl Record {
    pub(crate) fn new(stored: Stored) -> Result<Self, Error> {
        let Stored {
            known,
            id,
            mut row,
            shape,
            first_seen,
            changed_at,
            missing_since,
            gone_at,
            ..
        } = stored;
        // An earlier release kept a hash of personal values that it omitted.
        row.extra = row.extra.filter(|extra| !extra.starts_with(r#"{"mirror_personal":"#));
        let json = row.to_json(&shape)?;
        let (number, state) = (known.key, known.state);
        Ok(Self { number, id, state, first_seen, changed_at, missing_since, gone_at, json })
    }
}

// Does not show the record, which may be personal.
debug_with!(Record: number, id, state, first_seen, changed_at, missing_since, gone_at);

/// A page of the records of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The records, in the order of the page.
    pub records: Vec<Record>,
    /// The number after which the next page begins; `None` if this is the last one.
    pub next: Option<i64>,
}

impl Mirror {
    /// Returns a page of the records that the filter accepts, in the order of the paging.
    ///
    /// Continue with [`Page::next`]. A record that changes between two pages may occur in both of them, or in neither.
    /// If the mirror has the [indexes](Self::index), a page reads a bounded number of rows.
    ///
    /// # Errors
    ///
    /// Returns [`ErrorKind::Table`](crate::ErrorKind::Table) if the mirror has no such table, or the table has no such
    /// text column, and [`Cursor`](crate::ErrorKind::Cursor) if the record after which the page begins was removed,
    /// unless the order is that of first sight. Also returns any error of the store.
    ///
    /// ```
    /// use methodical_mirror::model::tables::{Column, Table};
    /// use methodical_mirror::{Filter, Mirror, Order, Paging, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// for record in [r#"{"id":"1","title":"Sea"}"#, r#"{"id":"2","title":"Alps"}"#, r#"{"id":"3","title":"harbor"}"#] {
    ///     run.record(record)?;
    /// }
    /// run.finish()?;
    /// let mut paging = Paging { order: Order::Text("title".to_owned()), ..Paging::new(2) };
    /// let page = mirror.browse("photo", &Filter::new(), &paging)?;
    /// assert_eq!((&*page.records[0].id, &*page.records[1].id), ("2", "3"));
    /// paging.after = page.next;
    /// let page = mirror.browse("photo", &Filter::new(), &paging)?;
    /// assert_eq!((&*page.records[0].id, page.next), ("1", None));
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn browse(&self, table: &str, filter: &Filter, paging: &Paging) -> Result<Page, Error> {
        let (stored, next) = self.store().page(table, filter, paging)?;
        let records = stored.into_iter().map(Record::new);
        Ok(Page { records: records.collect::<Result<_, _>>()?, next })
    }

    /// Passes each record of a table that the filter accepts to `take`, in the order of first sight, until it breaks.
    ///
    /// Records are read in pages, so a sync that ends between two pages may change those that follow.
    ///
    /// # Errors
    ///
    /// Fails as [`browse`](Self::browse) does.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use methodical_mirror::{Error, Filter, Mirror};
    ///
    /// /// Prints the identities of the records that are new since a time.
    /// fn print(mirror: &Mirror, table: &str, since: i64) -> Result<(), Error> {
    ///     mirror.each_matching(table, &Filter::new().first_seen_since(since), |record| {
    ///         println!("{}", record.id);
    ///         ControlFlow::Continue(())
    ///     })
    /// }
    /// ```
    pub fn each_matching(
        &self,
        table: &str,
        filter: &Filter,
        mut take: impl FnMut(Record) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let mut paging = Paging::new(PAGE);
        loop {
            let Page { records, next } = self.browse(table, filter, &paging)?;
            let is_over = records.into_iter().try_for_each(&mut take).is_break();
            match next {
                Some(_) if !is_over => paging.after = next,
                _ => return Ok(()),
            }
        }
    }

    /// Returns a record of a table by its identity, in any state, or `None` if the record or the table does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    ///
    /// ```
    /// use methodical_mirror::model::tables::{Column, Table};
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
        Ok(self.records_of(table, &[id])?.into_values().next())
    }

    /// Returns the records of a table whose identities are in `ids`, in any state, by identity. Returns an empty map if
    /// the table does not exist.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub fn records_of(&self, table: &str, ids: &[&str]) -> Result<HashMap<String, Record>, Error> {
        let store = self.store();
        let mut records = HashMap::new();
        for id in ids {
            if let Some(stored) = store.record(table, id)? {
                let record = Record::new(stored)?;
                records.insert(record.id.clone(), record);
            }
        }
        Ok(records)
    }

    /// Returns the state of each table, ordered by name.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    ///
    /// ```
    /// use methodical_mirror::model::tables::{Column, Table};
    /// use methodical_mirror::{Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// run.record(r#"{"id":"1"}"#)?;
    /// run.finish()?;
    /// let tables = mirror.tables()?;
    /// assert_eq!((&*tables[0].table, tables[0].present), ("photo", 1));
    /// assert!(tables[0].completed_at.is_some());
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn tables(&self) -> Result<Vec<TableStatus>, Error> {
        let store = self.store();
        let mut tables = store.tables()?;
        for status in &mut tables {
            status.values_from = store.schedule(&status.table)?.oldest();
        }
        Ok(tables)
    }
}
