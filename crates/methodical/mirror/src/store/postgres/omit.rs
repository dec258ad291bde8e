//! Empties the personal columns of rows that stay as they are otherwise.

use ::postgres::types::Type;

use crate::error::Error;
use crate::store::postgres::link::{Parameter, Session};

/// Runs the statement of a table for these rows.
pub(crate) fn omit(
    session: &mut Session,
    sql: &str,
    keys: &[i64],
    extra: &[Option<String>],
    nulls: &[Option<String>],
) -> Result<(), Error> {
    let parameters: [Parameter<'_>; 3] =
        [(&keys, Type::INT8_ARRAY), (&extra, Type::TEXT_ARRAY), (&nulls, Type::TEXT_ARRAY)];
    session.execute(sql, &parameters).map(drop)
}
