//! Reads the records of a mirror.

use std::ops::ControlFlow;

use crate::error::Error;
use crate::fields::omit;
use crate::keep::filter::Filter;
use crate::keep::record::Record;
use crate::mirror::{Mirror, lock};
use crate::store::data::PAGE;

impl Mirror {
    /// Passes each record of a table to `take`, also those that are missing, gone or forgotten, in the order of first sight.
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use methodical_mirror::{Error, Mirror, State};
    ///
    /// fn count(mirror: &Mirror, table: &str) -> Result<u64, Error> {
    ///     let mut count = 0;
    ///     mirror.each_record(table, |record| count += u64::from(record.state == State::Present))?;
    ///     Ok(count)
    /// }
    /// ```
    pub fn each_record(&self, table: &str, mut take: impl FnMut(Record)) -> Result<(), Error> {
        let all = Filter::new();
        self.each_matching(table, &all, |record| {
            take(record);
            ControlFlow::Continue(())
        })
    }

    /// Passes each record of a table that the filter accepts to `take`, in the order of first sight, until it breaks.
    ///
    /// Records are read in pages, so a sync that ends meanwhile may change those that follow.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Table`](crate::ErrorKind::Table) if the mirror has no such table, or the table no such column. Fails
    /// also if the store does.
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
        self.pages(table, filter, &mut take).map(drop)
    }

    /// Passes each record that has this text to `take`, with its table, until it breaks: tables in the order of their names,
    /// records in the order of first sight. [`Filter::contains`] describes the comparison.
    ///
    /// It reads every record: about a second for a million. For one table, use [`each_matching`](Self::each_matching).
    ///
    /// # Errors
    ///
    /// Fails if the store does.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    ///
    /// use methodical_mirror::{Error, Mirror};
    ///
    /// /// Prints where a text occurs.
    /// fn find(mirror: &Mirror, text: &str) -> Result<(), Error> {
    ///     mirror.search(text, |table, record| {
    ///         println!("{table} {}", record.id);
    ///         ControlFlow::Continue(())
    ///     })
    /// }
    /// ```
    pub fn search(
        &self,
        text: &str,
        mut take: impl FnMut(&str, Record) -> ControlFlow<()>,
    ) -> Result<(), Error> {
        let filter = Filter::new().contains(text);
        for table in self.tables()? {
            let name = &*table.table;
            if self.pages(name, &filter, &mut |record| take(name, record))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn pages(
        &self,
        table: &str,
        filter: &Filter,
        take: &mut dyn FnMut(Record) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, Error> {
        let mut after = 0;
        loop {
            let page = self.records(table, filter, after, PAGE)?;
            let Some(last) = page.last() else { return Ok(ControlFlow::Continue(())) };
            after = last.number;
            for record in page {
                if take(record).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
    }

    /// Returns a page of the records that the filter accepts: at most `limit`, in the order of first sight, after the row
    /// with the number `after`. Begin with 0, and continue with [`Record::number`] of the last record, until the page is
    /// empty.
    ///
    /// # Errors
    ///
    /// Those of [`each_matching`](Self::each_matching).
    ///
    /// ```
    /// use methodical_mirror::model::{Column, Table};
    /// use methodical_mirror::{Filter, Mirror, Rules};
    ///
    /// const PHOTO: Table = Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["title"])]);
    ///
    /// let mut mirror = Mirror::in_memory()?;
    /// let mut run = mirror.begin("photos/list", &PHOTO, Rules::new())?;
    /// for record in [r#"{"id":"1","title":"Harbour"}"#, r#"{"id":"2"}"#, r#"{"id":"3","title":"HARBOUR"}"#] {
    ///     run.record(record)?;
    /// }
    /// run.finish()?;
    /// let filter = Filter::new().contains("harbour");
    /// let page = mirror.records("photo", &filter, 0, 1)?;
    /// assert_eq!(page[0].id, "1");
    /// assert_eq!(mirror.records("photo", &filter, page[0].number, 1)?[0].id, "3");
    /// # Ok::<(), methodical_mirror::Error>(())
    /// ```
    pub fn records(
        &self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Record>, Error> {
        let mut store = lock(&self.store);
        let is_reduced = omit::is_on(&mut store)?;
        let page = store.records(table, filter, after, limit)?;
        drop(store);
        page.into_iter().map(|kept| Record::of(kept, is_reduced)).collect()
    }
}
