//! Finds what is known of records, in one round trip for thousands of them.

use std::collections::HashMap;
use std::sync::Arc;

use ::postgres::types::Type;

use crate::engine::known::Known;
use crate::engine::known_rows::KnownRows;
use crate::error::Error;
use crate::store::postgres::link::{Link, Reply};
use crate::store::postgres::rows;
use crate::store::postgres::table::Table;

/// Returns what is known of these records, in the same order. Earlier writes must have been sent.
pub(crate) fn known(
    link: &Link,
    table: &Arc<Table>,
    ids: &[&str],
) -> Result<Vec<Option<Known>>, Error> {
    let wanted: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let table = Arc::clone(table);
    let rows: HashMap<String, Known> = link.call(move |session| {
        table.find(session, &table.known, &wanted)?.iter().map(rows::known_with_id).collect()
    })?;
    Ok(ids.iter().map(|id| rows.get(*id).copied()).collect())
}

/// Reads one page of rows more than is wanted, so that the database works at the same time as the caller.
#[derive(Default)]
pub(crate) struct Prefetch(Option<Page>);

/// A page that was asked for.
struct Page {
    /// Its rows are those after this one.
    after: i64,
    rows: Reply<KnownRows>,
}

impl Prefetch {
    /// Appends what is known of the rows after a key.
    pub(crate) fn known_after(
        &mut self,
        link: &Link,
        table: &Arc<Table>,
        key: i64,
        rows: &mut KnownRows,
    ) -> Result<(), Error> {
        let page = match self.0.take().filter(|page| page.after == key) {
            Some(page) => page.rows,
            None => ask(link, table, key)?,
        };
        let page = page.wait()?;
        if let Some(after) = page.last_key() {
            self.0 = Some(Page { after, rows: ask(link, table, after)? });
        }
        rows.append(page);
        Ok(())
    }
}

/// Asks for the page after a key.
fn ask(link: &Link, table: &Arc<Table>, after: i64) -> Result<Reply<KnownRows>, Error> {
    let table = Arc::clone(table);
    link.ask(move |session| {
        let mut page = KnownRows::default();
        for row in
            &session.query(&table.known_after, &[(&after, Type::INT8), (&SIZE, Type::INT8)])?
        {
            page.push(rows::id(row)?, rows::known(row)?);
        }
        Ok(page)
    })
}

/// Number of rows in a page.
const SIZE: i64 = 4096;
