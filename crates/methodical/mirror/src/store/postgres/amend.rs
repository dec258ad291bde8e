//! Corrects the bookkeeping of rows and tables.

use ::postgres::types::Type;

use crate::engine::Before;
use crate::error::Error;
use crate::store::amend::Amendment;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::table::quoted;

/// Corrects a row.
pub(crate) fn row(
    session: &mut Session,
    schema: &str,
    table: &str,
    key: i64,
    amendment: Amendment,
) -> Result<(), Error> {
    let update = |set| format!("UPDATE {schema}.{} SET {set} WHERE mirror_key = $1", quoted(table));
    match amendment {
        Amendment::Hash(hash) => {
            let hash = hash.to_bytes();
            let parameters: [Parameter<'_>; 2] = [(&key, Type::INT8), (&&hash[..], Type::BYTEA)];
            session.execute(&update("mirror_hash = $2"), &parameters)?;
        }
        Amendment::ChangedAt(at) => {
            let at = clamped(at);
            let parameters: [Parameter<'_>; 2] = [(&key, Type::INT8), (&at, Type::INT8)];
            session.execute(&update("mirror_changed_at = to_timestamp($2)"), &parameters)?;
        }
    }
    Ok(())
}

/// Sets the counts of a table.
pub(crate) fn counts(
    session: &mut Session,
    schema: &str,
    table: &str,
    counts: Before,
) -> Result<(), Error> {
    let update = format!(
        "UPDATE {schema}.mirror_scope SET present = $2, missing = $3 WHERE table_name = $1"
    );
    let [present, missing] =
        [counts.present, counts.missing].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
    let parameters: [Parameter<'_>; 3] =
        [(&table, Type::TEXT), (&present, Type::INT8), (&missing, Type::INT8)];
    session.execute(&update, &parameters).map(drop)
}
