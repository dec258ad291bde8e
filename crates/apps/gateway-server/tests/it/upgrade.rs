//! Databases of schema 4 without additions, as release 1.0 wrote them, and imports by that release into a database with
//! additions: two releases use one PostgreSQL while servers are replaced.

use gateway_server::{
    CandidateFilter, Cursor, ImportMode, Page, Principal, Snapshot, Store, TokenDigest, Versions,
};

use crate::cluster;
use crate::store::{NOW, application, candidate, import, vacancy};

const LIVE: i64 = i64::MAX;

const TOKEN: &str = "gwt_x";

/// The SHA-256 of the token.
const SHA256: &str = "270a567cb0a05635834473f2f2f6b4538aa390d65cd5c5e016bb87c1a4b361a2";

/// Returns the records of two candidates.
fn records() -> Vec<String> {
    let store = Store::in_memory().unwrap();
    let account = store.create_account("a", NOW).unwrap();
    import(&store, account, ImportMode::Commit, |stage| {
        candidate(stage, 1, 1, "one")?;
        candidate(stage, 1, 2, "O'two")
    })
    .unwrap();
    all(&store, &Snapshot { account, revision: 1 })
}

fn all(store: &Store, snapshot: &Snapshot) -> Vec<String> {
    let mut records = Vec::new();
    let page = Page { from: Cursor::START, limit: 100 };
    let next = store.candidates(*snapshot, &CandidateFilter::All, page, &mut |record| {
        records.push(String::from_utf8(record.to_vec()).unwrap());
    });
    assert_eq!(next.unwrap(), None);
    records
}

/// The statements with which release 1.0 wrote an account, a token and two candidates.
fn written(records: &[String], blob: impl Fn(&str) -> String) -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    format!(
        "INSERT INTO account(id, name, revision, credits, created_at, tag) \
         VALUES (1, 'a', 1, '{{\"credits_number\":\"0\",\"currency\":\"EUR\"}}', 0, 5); \
         INSERT INTO token(sha256, account_id, label, created_at, expires_at) VALUES ({}, 1, '', 0, NULL); \
         INSERT INTO revision(account_id, rev, at) VALUES (1, 1, 0); \
         INSERT INTO candidate(account_id, id, rev_from, rev_to, record) VALUES \
         (1, 1, 1, {LIVE}, {}), (1, 2, 1, {LIVE}, {});",
        blob(SHA256),
        quoted(&records[0]),
        quoted(&records[1]),
    )
}

/// An import by release 1.0: candidate 2 becomes candidate 1 with another id, in revision `next`.
fn imported(records: &[String], next: i64, tag: i64) -> String {
    let record = records[0].replace("\"id\":\"1\"", "\"id\":\"2\"");
    format!(
        "UPDATE candidate SET rev_to = {next} WHERE account_id = 1 AND id = 2 AND rev_to = {LIVE}; \
         INSERT INTO candidate(account_id, id, rev_from, rev_to, record) VALUES (1, 2, {next}, {LIVE}, '{record}'); \
         UPDATE account SET revision = {next}, tag = {tag} WHERE id = 1; \
         INSERT INTO revision(account_id, rev, at) VALUES (1, {next}, 0);"
    )
}

fn check(store: &Store, records: &[String], token: &TokenDigest, run: impl Fn(&str)) {
    let now = || -> Principal { store.authenticate(token, NOW).unwrap().unwrap() };
    let same = |tag| Versions { candidates: tag, statuses: tag, vacancies: tag, credits: tag };
    assert_eq!(now().versions, same(5));
    assert_eq!(all(store, &now().snapshot), records);
    let report = store.check().unwrap();
    assert!(report.damage.is_empty(), "{report:?}");

    // Lists that an import does not change keep their versions.
    let account = now().snapshot.account;
    import(store, account, ImportMode::Commit, |stage| vacancy(stage, 1, 7, "seven")).unwrap();
    let versions = now().versions;
    assert_eq!((versions.candidates, versions.credits), (5, 5));
    assert_ne!(versions.vacancies, 5);
    assert_eq!(all(store, &now().snapshot), records);

    // Then the former release imports, and its revision has none of the new columns.
    run(&imported(records, 3, 9));
    assert_eq!(now().versions, same(9), "a list of before would be confirmed by 304");
    assert_eq!(all(store, &now().snapshot).len(), 2);
    assert!(store.check().unwrap().damage.is_empty());
    import(store, account, ImportMode::Commit, |stage| {
        candidate(stage, 1, 3, "three")?;
        application(stage, 1, 7, 3, "New")
    })
    .unwrap();
    assert_eq!(all(store, &now().snapshot).len(), 3);
    let report = store.check().unwrap();
    assert!(report.damage.is_empty(), "{report:?}");
}

#[test]
fn an_sqlite_file_of_release_1_is_upgraded_and_shared_with_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    let (records, token) = (records(), TokenDigest::of(TOKEN));
    let run = |sql: &str| rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
    run(&format!(
        "PRAGMA application_id = 0x47574757; PRAGMA journal_mode = WAL; BEGIN; {} PRAGMA user_version = 4; COMMIT",
        include_str!("schema4/sqlite.sql")
    ));
    run(&written(&records, |hash| format!("x'{hash}'")));

    // An upgrade that fails leaves everything as it was.
    run("CREATE TABLE status_tally (in_the_way)");
    Store::open_existing(&path).unwrap_err();
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.prepare("SELECT checksum FROM candidate").unwrap_err();
    connection.prepare("SELECT number FROM gateway_addition").unwrap_err();
    drop(connection);
    run("DROP TABLE status_tally");

    let store = Store::open_existing(&path).unwrap();
    check(&store, &records, &token, run);
}

#[test]
fn a_postgresql_database_of_release_1_is_upgraded_and_shared_with_it() {
    let Some(database) = cluster::database() else { return };
    let (records, token) = (records(), TokenDigest::of(TOKEN));
    let run = |sql: &str| {
        let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
        client.batch_execute(sql).unwrap();
    };
    run(include_str!("schema4/postgres.sql"));
    run(&written(&records, |hash| format!("'\\x{hash}'")));

    run("CREATE TABLE status_tally (in_the_way BIGINT)");
    Store::connect(&database.url).unwrap_err();
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    client.batch_execute("SELECT checksum FROM candidate").unwrap_err();
    client.batch_execute("SELECT number FROM gateway_addition").unwrap_err();
    run("DROP TABLE status_tally");

    // A role that may read but not change the tables is refused, and may read after the upgrade.
    run("CREATE ROLE reader LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader");
    let url = database.url.replacen("postgres@", "reader@", 1);
    let error = Store::connect_with(&url, false, std::time::Duration::ZERO, |_| {}).unwrap_err();
    assert!(error.to_string().contains("the role does not own them"), "{error}");
    let store = Store::connect(&database.url).unwrap();
    drop(Store::connect_with(&url, false, std::time::Duration::ZERO, |_| {}).unwrap());
    check(&store, &records, &token, run);
}
