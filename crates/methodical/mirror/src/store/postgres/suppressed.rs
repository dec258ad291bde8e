//! The table of forgotten identities.

use std::collections::HashSet;

use ::postgres::types::Type;

use crate::error::Error;
use crate::fields::hash::Hash;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;

/// Returns the forgotten identities of a table.
pub(crate) fn all(
    session: &mut Session,
    schema: &str,
    table: &str,
) -> Result<HashSet<Hash>, Error> {
    let select = format!("SELECT id FROM {schema}.mirror_suppressed WHERE table_name = $1");
    let rows = session.query(&select, &[(&table, Type::TEXT)])?;
    let mut found = HashSet::new();
    for row in &rows {
        let id: &[u8] = get(row, 0)?;
        found.extend(id.try_into().ok().map(Hash::from_bytes));
    }
    Ok(found)
}

/// Adds an identity.
pub(crate) fn add(
    session: &mut Session,
    schema: &str,
    table: &str,
    id: Hash,
    at: i64,
) -> Result<(), Error> {
    let insert = format!(
        "INSERT INTO {schema}.mirror_suppressed (table_name, id, at) VALUES ($1, $2, to_timestamp($3)) \
         ON CONFLICT DO NOTHING"
    );
    let (id, at) = (id.to_bytes(), clamped(at));
    let parameters: [Parameter<'_>; 3] =
        [(&table, Type::TEXT), (&&id[..], Type::BYTEA), (&at, Type::INT8)];
    session.execute(&insert, &parameters).map(drop)
}

/// Removes an identity. Returns whether it was forgotten.
pub(crate) fn remove(
    session: &mut Session,
    schema: &str,
    table: &str,
    id: Hash,
) -> Result<bool, Error> {
    let delete =
        format!("DELETE FROM {schema}.mirror_suppressed WHERE table_name = $1 AND id = $2");
    let id = id.to_bytes();
    let parameters: [Parameter<'_>; 2] = [(&table, Type::TEXT), (&&id[..], Type::BYTEA)];
    Ok(session.execute(&delete, &parameters)? > 0)
}
