//! Databases with a schema version that this release does not know.

use gateway_server::{Error, ErrorKind, PostgresStore, SqliteStore};

use crate::cluster;

/// The versions before 4 were never released.
const OTHER_VERSIONS: [(i64, ErrorKind); 5] = [
    (0, ErrorKind::StorageForeign),
    (1, ErrorKind::StorageForeign),
    (2, ErrorKind::StorageForeign),
    (3, ErrorKind::StorageForeign),
    (5, ErrorKind::StorageNewer),
];

#[track_caller]
fn check(error: &Error, version: i64, kind: ErrorKind) {
    assert_eq!(error.kind(), kind, "{error}");
    assert_eq!(error.kind().exit_code(), 3);
    assert!(error.to_string().contains(&format!("schema {version}")), "{error}");
}

#[test]
fn an_sqlite_file_with_another_schema_version_is_refused_and_left_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("other.db");
    drop(SqliteStore::open(&path).unwrap());
    for (version, kind) in OTHER_VERSIONS {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        check(&SqliteStore::open(&path).unwrap_err(), version, kind);
        check(&SqliteStore::open_existing(&path).unwrap_err(), version, kind);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_postgresql_database_with_another_schema_version_is_refused_and_left_unchanged() {
    let Some(database) = cluster::database() else { return };
    drop(PostgresStore::connect(&database.url).unwrap());
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    for (version, kind) in OTHER_VERSIONS {
        client.execute("UPDATE gateway_schema SET version = $1", &[&version]).unwrap();
        check(&PostgresStore::connect(&database.url).unwrap_err(), version, kind);
        check(&PostgresStore::connect_existing(&database.url).unwrap_err(), version, kind);
        let row = client.query_one("SELECT version FROM gateway_schema", &[]).unwrap();
        assert_eq!(row.get::<_, i64>(0), version);
    }
    client.batch_execute("DELETE FROM gateway_schema").unwrap();
    let error = PostgresStore::connect(&database.url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageForeign);
}
