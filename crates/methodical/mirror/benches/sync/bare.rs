//! A lower bound for the cost of a first sync.

use std::path::Path;

use crate::cost::{Cost, Started};
use crate::service::DATE;

/// Inserts the same rows with the same indexes.
pub(crate) fn bare_insert(size: u64, path: &Path) -> Cost {
    let database = rusqlite::Connection::open(path).unwrap();
    database
        .execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -16384; \
             CREATE TABLE person (key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash BLOB, state TEXT, misses INTEGER, \
             shape INTEGER, name TEXT, email TEXT, phone TEXT, date TEXT, site_id TEXT, site_name TEXT, type TEXT, \
             extra TEXT, nulls TEXT, first_seen TEXT, changed_at TEXT, missing_since TEXT, gone_at TEXT) STRICT",
        )
        .unwrap();
    let started = Started::now();
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut insert = database
        .prepare(
            "INSERT INTO person VALUES (?1, ?2, ?3, 'present', 0, 1, ?4, ?5, ?6, ?7, ?8, ?9, 'person', NULL, NULL, ?7, ?7, \
             NULL, NULL)",
        )
        .unwrap();
    for id in 1..=size {
        let [text, name, email, phone] = [
            id.to_string(),
            format!("Person Number {id}"),
            format!("person{id}@example.com"),
            format!("+31 20 {id:07}"),
        ];
        insert
            .execute((
                id.cast_signed(),
                text,
                [7_u8; 24],
                name,
                email,
                phone,
                DATE,
                "3",
                "Northwind Jobs",
            ))
            .unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
    started.end()
}
