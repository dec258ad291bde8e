//! The table of consumers.

use ::postgres::Row;
use ::postgres::types::Type;

use crate::error::Error;
use crate::feed::consumer::Consumer;
use crate::store::postgres::copy::clamped;
use crate::store::postgres::link::{Parameter, Session};
use crate::store::postgres::rows::get;
use crate::store::postgres::table::seconds;

/// Returns the consumers, by name.
pub(crate) fn all(session: &mut Session, schema: &str) -> Result<Vec<Consumer>, Error> {
    let select = format!(
        "SELECT name, position, {}, {}, failures, {}, error, {}, {} FROM {schema}.mirror_consumer ORDER BY name",
        seconds("created_at"),
        seconds("delivered_at"),
        seconds("failed_at"),
        seconds("next_attempt_at"),
        seconds("disabled_at")
    );
    let consumer = |row: &Row| {
        let failures: i64 = get(row, 4)?;
        Ok(Consumer {
            name: get(row, 0)?,
            position: get(row, 1)?,
            behind: 0,
            created_at: get(row, 2)?,
            delivered_at: get(row, 3)?,
            failures: failures.try_into().unwrap_or_default(),
            failed_at: get(row, 5)?,
            error: get(row, 6)?,
            next_attempt_at: get(row, 7)?,
            disabled_at: get(row, 8)?,
        })
    };
    session.query(&select, &[])?.iter().map(consumer).collect()
}

/// Adds a consumer, unless there is one of this name.
pub(crate) fn add(session: &mut Session, schema: &str, consumer: &Consumer) -> Result<bool, Error> {
    let insert = format!(
        "INSERT INTO {schema}.mirror_consumer (name, position, created_at, failures) \
         VALUES ($1, $2, to_timestamp($3), 0) ON CONFLICT (name) DO NOTHING"
    );
    let created_at = clamped(consumer.created_at);
    let parameters: [Parameter<'_>; 3] =
        [(&consumer.name, Type::TEXT), (&consumer.position, Type::INT8), (&created_at, Type::INT8)];
    Ok(session.execute(&insert, &parameters)? > 0)
}

/// Replaces a consumer if it is still at this position.
pub(crate) fn update(
    session: &mut Session,
    schema: &str,
    consumer: &Consumer,
    position: i64,
) -> Result<bool, Error> {
    let update = format!(
        "UPDATE {schema}.mirror_consumer SET position = $3, delivered_at = to_timestamp($4), failures = $5, \
         failed_at = to_timestamp($6), error = $7, next_attempt_at = to_timestamp($8), disabled_at = to_timestamp($9) WHERE name = $1 AND position = $2"
    );
    let Consumer { delivered_at, failed_at, next_attempt_at, disabled_at, .. } = *consumer;
    let [delivered_at, failed_at, next_attempt_at, disabled_at] =
        [delivered_at, failed_at, next_attempt_at, disabled_at].map(|at| at.map(clamped));
    let failures = i64::from(consumer.failures);
    let parameters: [Parameter<'_>; 9] = [
        (&consumer.name, Type::TEXT),
        (&position, Type::INT8),
        (&consumer.position, Type::INT8),
        (&delivered_at, Type::INT8),
        (&failures, Type::INT8),
        (&failed_at, Type::INT8),
        (&consumer.error, Type::TEXT),
        (&next_attempt_at, Type::INT8),
        (&disabled_at, Type::INT8),
    ];
    Ok(session.execute(&update, &parameters)? > 0)
}

/// Removes a consumer.
pub(crate) fn remove(session: &mut Session, schema: &str, name: &str) -> Result<bool, Error> {
    let delete = format!("DELETE FROM {schema}.mirror_consumer WHERE name = $1");
    Ok(session.execute(&delete, &[(&name, Type::TEXT)])? > 0)
}
