//! Databases of other releases: with another schema version, or with records from before a field was added.

use gateway_server::{Error, ErrorKind, Store};

use crate::cluster;
use crate::process::{account, program, run};

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
    drop(Store::open(&path).unwrap());
    for (version, kind) in OTHER_VERSIONS {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", version).unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        check(&Store::open(&path).unwrap_err(), version, kind);
        check(&Store::open_existing(&path).unwrap_err(), version, kind);
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn a_postgresql_database_with_another_schema_version_is_refused_and_left_unchanged() {
    let Some(database) = cluster::database() else { return };
    drop(Store::connect(&database.url).unwrap());
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    for (version, kind) in OTHER_VERSIONS {
        client.execute("UPDATE gateway_schema SET version = $1", &[&version]).unwrap();
        check(&Store::connect(&database.url).unwrap_err(), version, kind);
        check(
            &Store::connect_with(&database.url, false, std::time::Duration::ZERO, |_| {})
                .unwrap_err(),
            version,
            kind,
        );
        let row = client.query_one("SELECT version FROM gateway_schema", &[]).unwrap();
        assert_eq!(row.get::<_, i64>(0), version);
    }
    client.batch_execute("DELETE FROM gateway_schema").unwrap();
    let error = Store::connect(&database.url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageForeign);
}

/// Changes the data as if a release without tags of lists had written it.
const FORGET: &str = "\
    UPDATE revision SET tag = NULL, candidates_tag = NULL, statuses_tag = NULL, vacancies_tag = NULL, \
    credits_tag = NULL";

/// Imports records, removes a field from them, and checks the database with the program.
fn check_without_a_field(database: &str, mut change: impl FnMut(&str)) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.ndjson");
    let records = "{\"id\":1,\"name\":\"A\",\"email\":\"a@example.org\"}\n{\"id\":2,\"name\":\"B\"}\n\
                   {\"id\":3,\"project\":\"Welder\"}\n{\"credits_number\":\"7\",\"currency\":\"EUR\"}\n";
    std::fs::write(&file, records).unwrap();
    let import = ["import", "--account", "acme", file.to_str().unwrap()];
    let check = || {
        let output = program().args(["check", "--database", database]).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
    };
    let nothing = || (0, "no damage found\n".to_owned(), String::new());
    account(database, "acme");
    run(database, &import);
    assert_eq!(check(), nothing());

    for (table, field) in [("candidate", "email"), ("vacancy", "project"), ("credits", "currency")]
    {
        change(&format!("{table} {field}"));
    }
    change(FORGET);
    let (code, out, notes) = check();
    assert_eq!((code, out.as_str()), (0, "no damage found\n"), "{notes}");
    let expected = ["candidates", "vacancies", "credit balances"].map(|name| {
        let number = if name == "candidates" { 2 } else { 1 };
        format!("{name} imported before a field was added: {number}; import them again")
    });
    for line in &expected {
        assert!(notes.contains(line), "{line}: {notes}");
    }
    // The field returns with the next import of the same files. The superseded rows are not reported.
    assert!(run(database, &import).contains("candidates: 0 new, 2 changed, 0 unchanged"));
    assert_eq!(check(), nothing());

    change("candidate id");
    let (code, _, notes) = check();
    assert_eq!(code, 3, "{notes}");
    assert!(notes.contains("candidates that are not stored as responses send them"), "{notes}");
    assert!(notes.contains("account acme: candidate 1 is damaged"), "{notes}");
    assert!(notes.contains("import the records that are named above again"), "{notes}");
}

#[test]
fn records_in_sqlite_from_before_a_field_was_added_are_reported() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let execute =
        |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    check_without_a_field(path.to_str().unwrap(), |change| {
        if change == FORGET {
            execute(FORGET);
            return;
        }
        let (table, field) = change.split_once(' ').unwrap();
        let (table, column) =
            if table == "credits" { ("account", "credits") } else { (table, "record") };
        let sql = format!("UPDATE {table} SET {column} = json_remove({column}, '$.{field}')");
        execute(&sql);
    });
}

#[test]
fn records_in_postgresql_from_before_a_field_was_added_are_reported() {
    let Some(database) = cluster::database() else { return };
    let execute = |sql: &str| {
        let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
        client.batch_execute(sql).unwrap();
    };
    check_without_a_field(&database.url, |change| {
        if change == FORGET {
            execute(FORGET);
            return;
        }
        let (table, field) = change.split_once(' ').unwrap();
        let (table, column) =
            if table == "credits" { ("account", "credits") } else { (table, "record") };
        // `json` keeps the order of the fields, which `jsonb` does not.
        let rest = format!(
            "SELECT '{{' || string_agg(to_json(key) || ':' || value, ',' ORDER BY at) || '}}' \
             FROM json_each({column}::json) WITH ORDINALITY one(key, value, at) WHERE key <> '{field}'"
        );
        execute(&format!("UPDATE {table} SET {column} = ({rest})"));
    });
}
