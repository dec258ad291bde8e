//! Databases of earlier builds, which had more columns and tables.

use std::time::Duration;

use gateway_server::{
    CandidateFilter, Cursor, Deletion, ImportMode, Page, Snapshot, Store, TokenDigest, UnknownIds,
};

use crate::cluster;
use crate::process::open;
use crate::store::{NOW, application, candidate, import, vacancy};

/// The rows that an earlier build wrote for an account, a token, a candidate with a status and the tally of the status,
/// with the values of all columns in order.
const ROWS: &str = "
    INSERT INTO account VALUES (1, 'a', 1, '{\"credits_number\":\"0\",\"currency\":\"EUR\"}', 0, 5);
    INSERT INTO token VALUES (HASH, 1, '', 0, NULL, NULL, 9);
    INSERT INTO revision VALUES (1, 1, 0, 5, 5, 5, 5, 5, 1, 9, 1, 9, 9);
    INSERT INTO vacancy VALUES (1, 7, 1, LIVE, '{\"id\":\"7\",\"project\":\"seven\"}', 9);
    INSERT INTO candidate VALUES (1, 1, 1, LIVE, 'RECORD', 9);
    INSERT INTO status VALUES (1, 1, 'Secret');
    INSERT INTO application VALUES (1, 7, 1, 1, LIVE, 1);
    INSERT INTO status_tally VALUES (1, 7, 'Secret', 1, LIVE, 1, 1);
";

const TOKEN: &str = "gwt_x";

/// The SHA-256 of the token.
const SHA256: &str = "270a567cb0a05635834473f2f2f6b4538aa390d65cd5c5e016bb87c1a4b361a2";

fn all(store: &Store, snapshot: Snapshot) -> Vec<String> {
    let mut records = Vec::new();
    let page = Page { from: Cursor::START, limit: 100 };
    let next = store.candidates(snapshot, &CandidateFilter::All, page, &mut |record| {
        records.push(String::from_utf8(record.to_vec()).unwrap());
    });
    assert_eq!(next.unwrap(), None);
    records
}

/// Returns the record of a candidate, and the rows with it.
fn rows(hash: &str) -> (String, String) {
    let store = Store::in_memory().unwrap();
    let account = store.create_account("a", NOW).unwrap();
    import(&store, account, ImportMode::Commit, |stage| candidate(stage, 1, 1, "one")).unwrap();
    let record = all(&store, Snapshot { account, revision: 1 }).remove(0);
    let rows = ROWS.replace("LIVE", &i64::MAX.to_string()).replace("RECORD", &record);
    (record, rows.replace("HASH", hash))
}

fn check(store: &Store, record: &str, tallies: impl Fn() -> i64) {
    let now = || store.authenticate(&TokenDigest::of(TOKEN), NOW).unwrap().unwrap();
    let account = now().snapshot.account;
    assert_eq!((now().versions.candidates, now().versions.credits), (5, 5));
    assert_eq!(all(store, now().snapshot), [record]);
    import(store, account, ImportMode::Commit, |stage| {
        vacancy(stage, 1, 8, "eight")?;
        candidate(stage, 1, 3, "three")?;
        application(stage, 1, 8, 3, "New")
    })
    .unwrap();
    assert_eq!(all(store, now().snapshot).len(), 2);
    assert!(store.check().unwrap().damage.is_empty());
    // An erasure also empties the tallies, which have names of statuses.
    assert_eq!(tallies(), 1);
    let one = Deletion::Candidates(vec![1]);
    store.delete(account, &one, UnknownIds::Refuse, ImportMode::Commit).unwrap();
    store.erase_traces(Duration::from_secs(30)).unwrap();
    assert_eq!((all(store, now().snapshot).len(), tallies()), (1, 0));
    assert!(store.check().unwrap().damage.is_empty());
}

#[test]
fn an_sqlite_file_of_an_earlier_build_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    let (record, rows) = rows(&format!("x'{SHA256}'"));
    let connection = rusqlite::Connection::open(&path).unwrap();
    let schema = include_str!("earlier-sqlite.sql");
    let header = "PRAGMA application_id = 0x47574757; PRAGMA user_version = 4;";
    connection
        .execute_batch(&format!("PRAGMA journal_mode = WAL; {header} {schema} {rows}"))
        .unwrap();
    let tallies =
        || connection.query_row("SELECT count(*) FROM status_tally", [], |row| row.get(0));
    check(&Store::open_existing(&path).unwrap(), &record, || tallies().unwrap());
}

#[test]
fn a_postgresql_database_of_an_earlier_build_opens() {
    let Some(database) = cluster::database() else { return };
    let client = || postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    let (record, rows) = rows(&format!("'\\x{SHA256}'"));
    client().batch_execute(include_str!("earlier-postgres.sql")).unwrap();
    client().batch_execute(&rows).unwrap();
    let tallies = || client().query_one("SELECT count(*) FROM status_tally", &[]).unwrap().get(0);
    check(&open(&database.url), &record, tallies);
}
