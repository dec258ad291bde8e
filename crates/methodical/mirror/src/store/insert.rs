//! Inserts the first records of a table by one statement.

use std::ops::RangeInclusive;

use rusqlite::Connection;

use crate::error::Error;
use crate::store::data::NewRows;
use crate::store::failure::failed;
use crate::store::table::Table;

/// Inserts the records whose identities the table does not have.
pub(crate) fn all(
    connection: &Connection,
    table: &Table,
    at: &str,
    rows: &mut NewRows<'_>,
) -> Result<(), Error> {
    let sql = format!("{} ON CONFLICT DO NOTHING", table.insert);
    let (mut statement, mut is_first) = (connection.prepare_cached(&sql).map_err(failed)?, true);
    rows(&mut |written| {
        let hash = written.hash();
        let parameters = table.parameters(written, &hash, Some(at)).zip(1_usize..);
        for (value, index) in parameters.filter(|(_, index)| is_first || !SHARED.contains(index)) {
            statement.raw_bind_parameter(index, value).map_err(failed)?;
        }
        is_first = false;
        Ok(statement.raw_execute().map_err(failed)? > 0)
    })
}

/// The parameters that the new rows of a list share, the shape and the time: they stay bound.
const SHARED: RangeInclusive<usize> = 4..=5;
