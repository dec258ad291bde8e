//! The table of changes.

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::Error;
use crate::feed::change::{Change, ChangeKind};
use crate::store::Feed;
use crate::store::postgres::link::Session;
use crate::store::postgres::rows::get;
use crate::store::postgres::table::seconds;

/// Returns the changes after a number.
pub(crate) fn after(
    session: &mut Session,
    schema: &str,
    after: i64,
    limit: usize,
) -> Result<Vec<Change>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let select = format!(
        "SELECT number, {}, table_name, record_id, kind, fields \
         FROM {schema}.mirror_change WHERE number > $1 ORDER BY number LIMIT $2",
        seconds("at")
    );
    let change = |row: &Row| {
        let fields: Option<&str> = get(row, 5)?;
        Ok(Change {
            number: get(row, 0)?,
            at: get(row, 1)?,
            table: get(row, 2)?,
            id: get(row, 3)?,
            kind: ChangeKind::of(get(row, 4)?).unwrap_or(ChangeKind::Changed),
            fields: serde_json::from_str(fields.unwrap_or("[]")).unwrap_or_default(),
        })
    };
    let rows = session.query(&select, &[(&after, Type::INT8), (&limit, Type::INT8)])?;
    rows.iter().map(change).collect()
}

/// Returns the range of the numbers.
pub(crate) fn range(session: &mut Session, schema: &str) -> Result<Feed, Error> {
    let feed = session.query(&format!("SELECT pruned, last FROM {schema}.mirror_meta"), &[])?;
    let number = |column| feed.first().map_or(Ok(0), |row| get(row, column));
    Ok(Feed { pruned: number(0)?, last: number(1)? })
}

/// Removes the changes up to a number.
pub(crate) fn prune(session: &mut Session, schema: &str, number: i64) -> Result<(), Error> {
    let prune = format!(
        "WITH pruned AS (UPDATE {schema}.mirror_meta SET pruned = greatest(pruned, $1)) \
         DELETE FROM {schema}.mirror_change WHERE number <= $1"
    );
    session.execute(&prune, &[(&number, Type::INT8)]).map(drop)
}
