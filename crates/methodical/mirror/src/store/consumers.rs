//! The table of consumers.

use rusqlite::{Connection, Result};

use crate::feed::consumer::Consumer;
use crate::time::utc;

/// Returns the consumers, by name.
pub(crate) fn all(connection: &Connection) -> Result<Vec<Consumer>> {
    let select = "SELECT name, position, unixepoch(created_at), unixepoch(delivered_at), failures, \
                  unixepoch(failed_at), error, unixepoch(next_attempt_at), unixepoch(disabled_at) FROM mirror_consumer ORDER BY name";
    let mut statement = connection.prepare_cached(select)?;
    let consumers = statement.query_map((), |row| {
        Ok(Consumer {
            name: row.get(0)?,
            position: row.get(1)?,
            behind: 0,
            created_at: row.get(2)?,
            delivered_at: row.get(3)?,
            failures: row.get(4)?,
            failed_at: row.get(5)?,
            error: row.get(6)?,
            next_attempt_at: row.get(7)?,
            disabled_at: row.get(8)?,
        })
    });
    consumers?.collect()
}

/// Adds a consumer, unless there is one of this name.
pub(crate) fn add(connection: &Connection, consumer: &Consumer) -> Result<bool> {
    let insert = "INSERT INTO mirror_consumer (name, position, created_at, failures) VALUES (?1, ?2, ?3, 0) \
                  ON CONFLICT (name) DO NOTHING";
    let mut statement = connection.prepare_cached(insert)?;
    let row = (&consumer.name, consumer.position, utc(consumer.created_at));
    Ok(statement.execute(row)? > 0)
}

/// Replaces a consumer if it is still at this position.
pub(crate) fn update(connection: &Connection, consumer: &Consumer, position: i64) -> Result<bool> {
    let update = "UPDATE mirror_consumer SET position = ?3, delivered_at = ?4, failures = ?5, failed_at = ?6, \
                  error = ?7, next_attempt_at = ?8, disabled_at = ?9 WHERE name = ?1 AND position = ?2";
    let mut statement = connection.prepare_cached(update)?;
    let row = (
        &consumer.name,
        position,
        consumer.position,
        consumer.delivered_at.map(utc),
        consumer.failures,
        consumer.failed_at.map(utc),
        consumer.error.as_deref(),
        consumer.next_attempt_at.map(utc),
        consumer.disabled_at.map(utc),
    );
    Ok(statement.execute(row)? > 0)
}

/// Removes a consumer.
pub(crate) fn remove(connection: &Connection, name: &str) -> Result<bool> {
    let mut statement = connection.prepare_cached("DELETE FROM mirror_consumer WHERE name = ?1")?;
    Ok(statement.execute((name,))? > 0)
}
