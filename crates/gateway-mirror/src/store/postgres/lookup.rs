//! Finds what is known of records, in one round trip for thousands of them.

use std::collections::HashMap;
use std::sync::Arc;

use ::postgres::types::Type;

use crate::engine::known::Known;
use crate::engine::seen::Seen;
use crate::error::Error;
use crate::store::postgres::link::{Link, Parameter, Reply};
use crate::store::postgres::rows;
use crate::store::postgres::table::Table;
use crate::store::postgres::window::{WINDOW, Window};

/// The rows that a transaction has read ahead.
#[derive(Default)]
pub(crate) struct Lookup {
    window: Window,
    /// The page after those in the window.
    ahead: Option<Reply<Page>>,
    /// The rows that the transaction wrote: what was read ahead of them is old.
    written: Seen,
}

type Page = Vec<(String, Known)>;

impl Lookup {
    /// Notes that a row was written.
    pub(crate) fn wrote(&mut self, key: i64) {
        self.written.insert(key);
    }

    /// Returns what is known of these records, in the same order. Earlier writes must have been sent.
    pub(crate) fn find(
        &mut self,
        link: &Link,
        table: &Arc<Table>,
        ids: &[&str],
    ) -> Result<Vec<Option<Known>>, Error> {
        let mut found = vec![None; ids.len()];
        if ids.len() > 1 {
            self.take_ahead(link, table, ids, &mut found)?;
        }
        let missing = ids.iter().zip(&found).filter(|(_, found)| found.is_none());
        let missing: Vec<String> = missing.map(|(id, _)| (*id).to_owned()).collect();
        if missing.is_empty() {
            return Ok(found);
        }
        let table = Arc::clone(table);
        let page: Page = link.call(move |session| {
            table.find(session, &table.known, &missing)?.iter().map(rows::known).collect()
        })?;
        self.window.miss(page.len());
        let rows: HashMap<String, Known> = page.into_iter().collect();
        for (id, found) in ids.iter().zip(&mut found).filter(|(_, found)| found.is_none()) {
            *found = rows.get(*id).copied();
        }
        Ok(found)
    }

    /// Takes the records that are in the window. Reads ahead if that may find the others.
    fn take_ahead(
        &mut self,
        link: &Link,
        table: &Arc<Table>,
        ids: &[&str],
        found: &mut [Option<Known>],
    ) -> Result<(), Error> {
        for _ in 0..PAGES {
            for (id, found) in ids.iter().zip(&mut *found).filter(|(_, found)| found.is_none()) {
                let known = self.window.take(id);
                *found = known.filter(|known| !self.written.contains(known.key));
            }
            let missing = found.iter().filter(|found| found.is_none()).count();
            let Some(after) = self.window.wants(missing, ids.len()) else { return Ok(()) };
            let page = match self.ahead.take() {
                Some(page) => page,
                None => ask(link, table, after)?,
            };
            self.window.fill(page.wait()?);
            if let Some(after) = self.window.next() {
                self.ahead = Some(ask(link, table, after)?);
            }
        }
        Ok(())
    }
}

/// Asks for the page after a key.
fn ask(link: &Link, table: &Arc<Table>, after: i64) -> Result<Reply<Page>, Error> {
    let table = Arc::clone(table);
    link.ask(move |session| {
        let parameters: [Parameter<'_>; 2] = [(&after, Type::INT8), (&WINDOW, Type::INT8)];
        session.query(&table.known_after, &parameters)?.iter().map(rows::known).collect()
    })
}

/// Maximum number of pages that are read ahead for a batch. The first one fills an empty window.
const PAGES: usize = 3;
