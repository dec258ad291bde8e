//! The table of changes.

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::Error;
use crate::feed::change::{Change, ChangeKind};
use crate::store::feed_store::Feed;
use crate::store::postgres::link::{Parameter, Session};
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
    let rows = session.query(&select, &[(&after, Type::INT8), (&limit, Type::INT8)])?;
    rows.iter().map(change).collect()
}

/// Returns the changes before a number, the latest one first; with a table and an identity, only those of this record.
pub(crate) fn latest(
    session: &mut Session,
    schema: &str,
    of: Option<(&str, &str)>,
    before: i64,
    limit: usize,
) -> Result<Vec<Change>, Error> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let (select, (table, id)) = (latest_of(schema, of.is_some()), of.unwrap_or_default());
    // No identity has U+0000, and PostgreSQL refuses it.
    if id.contains('\0') {
        return Ok(Vec::new());
    }
    let parameters: [Parameter<'_>; 4] =
        [(&before, Type::INT8), (&limit, Type::INT8), (&table, Type::TEXT), (&id, Type::TEXT)];
    session.begin_in_order()?;
    let changes = session.query(&select, &parameters);
    session.roll_back();
    changes?.iter().map(change).collect()
}

/// Returns the statement of the latest changes, of all records or of one.
pub(crate) fn latest_of(schema: &str, is_of_one: bool) -> String {
    let condition = if is_of_one { " AND table_name = $3 AND record_id = $4" } else { "" };
    format!(
        "SELECT number, {}, table_name, record_id, kind, fields \
         FROM {schema}.mirror_change WHERE number < $1{condition} ORDER BY number DESC LIMIT $2",
        seconds("at")
    )
}

fn change(row: &Row) -> Result<Change, Error> {
    let fields: Option<&str> = get(row, 5)?;
    Ok(Change {
        number: get(row, 0)?,
        at: get(row, 1)?,
        table: get(row, 2)?,
        id: get(row, 3)?,
        kind: ChangeKind::of(get(row, 4)?).unwrap_or(ChangeKind::Changed),
        fields: serde_json::from_str(fields.unwrap_or("[]")).unwrap_or_default(),
    })
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
