//! The records and pages of a schema of PostgreSQL.

use crate::browse::cell::{Cell, Placements};
use crate::browse::paging::Paging;
use crate::error::{Error, ErrorKind};
use crate::history::status::TableStatus;
use crate::keep::filter::Filter;
use crate::store::Store as _;
use crate::store::kept::{Index, Kept, Turned};
use crate::store::postgres::{PostgresStore, browse, rows, scope, select};
use crate::store::record_store::RecordStore;

impl RecordStore for PostgresStore {
    fn records(
        &mut self,
        table: &str,
        filter: &Filter,
        after: i64,
        limit: usize,
    ) -> Result<Vec<Kept>, Error> {
        if after == 0 {
            // Another process may have added columns since.
            self.tables.remove(table);
        }
        let (name, table, filter) = (table.to_owned(), self.table(table)?, filter.clone());
        self.link
            .call(move |session| select::records(session, &name, &table, &filter, after, limit))
    }

    fn page(&mut self, table: &str, filter: &Filter, paging: &Paging) -> Result<Turned, Error> {
        self.retried(table, |store| {
            let (name, described) = (table.to_owned(), store.table(table)?);
            let (filter, paging) = (filter.clone(), paging.clone());
            store.call(move |session, schema| {
                browse::page(session, schema, (&name, &described), &filter, &paging)
            })
        })
    }

    fn cells(&mut self, of: &Placements<'_>) -> Result<Vec<Cell>, Error> {
        self.table(of.table)?;
        let [table, group, member, value] =
            [of.table, of.group, of.member, of.value].map(ToOwned::to_owned);
        self.call(move |session, schema| {
            let [table, group, member, value] = [&*table, &*group, &*member, &*value];
            browse::cells(session, schema, &Placements { table, group, member, value })
        })
    }

    fn add_indexes(&mut self, indexes: &[Index<'_>]) -> Result<(), Error> {
        for index in indexes {
            match index {
                Index::Page(table, _) => self.table(table).map(drop)?,
                Index::Placements(of) => self.table(of.table).map(drop)?,
                Index::Changes => {}
            }
        }
        let wanted = browse::wanted(indexes, &self.tables)?;
        let missing = self.call(|session, schema| browse::missing(session, schema, wanted))?;
        if missing.is_empty() {
            return Ok(());
        }
        let created = self.begin_with(move |session, schema| {
            browse::create(session, schema, &missing)?;
            session.commit()
        });
        self.roll_back();
        created
    }

    fn tables(&mut self) -> Result<Vec<TableStatus>, Error> {
        self.call(scope::statuses)
    }

    fn records_of(&mut self, table: &str, ids: &[&str]) -> Result<Vec<Kept>, Error> {
        let ids: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
        let found = self.retried(table, |store| {
            let (table, ids) = (store.table(table)?, ids.clone());
            store.link.call(move |session| {
                rows::kept(&table, &table.find(session, &table.rows_of, &ids)?)
            })
        });
        match found {
            Err(error) if error.kind() == ErrorKind::Table => Ok(Vec::new()),
            found => found,
        }
    }
}
