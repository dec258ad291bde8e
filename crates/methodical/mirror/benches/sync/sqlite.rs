//! SQLite, and the lower bound of a first sync.

use std::path::Path;

use methodical_mirror::Mirror;

use crate::cost::Started;
use crate::results::{Reference, Results};
use crate::service::DATE;
use crate::{source, syncs};

pub(crate) fn run(results: &mut Results, size: u64) {
    let folder = tempfile::tempdir().unwrap();
    bare_insert(results, size, &folder.path().join("bare.db"));
    let path = folder.path().join("mirror.db");
    syncs(results, size, "SQLite", BARE, || Mirror::open(&path, &source()).unwrap(), || 0.0);
    let bytes = std::fs::metadata(&path).unwrap().len();
    results.note(format!("SQLite, {size} records: the file has {} MiB.", bytes >> 20));
}

/// Inserts the same rows with the same indexes.
fn bare_insert(results: &mut Results, size: u64, path: &Path) {
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
    results.add(size, BARE, &started.end(), 0.0, Reference::None);
}

const BARE: &str = "SQLite: bare insert";
