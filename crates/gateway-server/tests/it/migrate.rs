//! Databases of earlier releases: opened, brought up to date, the same. The first kept the fields of a candidate in
//! columns, the second had no tags of revisions.

use gateway_server::{
    Account, CandidateFilter, DemoData, ErrorKind, ImportMode, Page, PostgresStore, Snapshot,
    SqliteStore, Store, TokenDigest, UnixTime,
};

use crate::cluster;

const NOW: UnixTime = UnixTime(1_800_000_000);

/// Fills two accounts, one of them in two revisions, and returns them with all that each revision lists.
fn fill(store: &dyn Store) -> Vec<(Snapshot, Vec<String>)> {
    for (name, seeds) in [("a", &[1, 2][..]), ("b", &[3])] {
        let account = store.create_account(name, NOW).unwrap();
        for seed in seeds {
            let data = DemoData { candidates: 5_000, seed: *seed };
            let filled = store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage));
            assert!(filled.unwrap().changed_anything());
        }
    }
    store.create_account("c", NOW).unwrap();
    let accounts = store.accounts().unwrap();
    let snapshots = accounts.iter().flat_map(|&Account { id, revision, .. }| {
        (1..=revision).map(move |revision| Snapshot { account: id, revision, tag: 0 })
    });
    snapshots.map(|snapshot| (snapshot, list(store, snapshot))).collect()
}

fn list(store: &dyn Store, snapshot: Snapshot) -> Vec<String> {
    let mut records = Vec::new();
    let page = Page { after: Page::START, limit: 10_000 };
    let mut sink = |record: &[u8]| records.push(String::from_utf8(record.to_vec()).unwrap());
    store.candidates(snapshot, &CandidateFilter::All, page, &mut sink).unwrap();
    records
}

fn check(store: &dyn Store, before: &[(Snapshot, Vec<String>)]) {
    assert_eq!(before.len(), 3);
    for (snapshot, records) in before {
        assert_eq!(records.len(), 5_000);
        assert!(list(store, *snapshot) == *records, "{snapshot:?} is another list");
    }
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    let mut tags: Vec<_> = ["a", "b"].map(|name| live(store, name).tag).into();
    tags.extend([0, live(store, "c").tag]);
    tags.sort_unstable();
    tags.dedup();
    // Nobody has another's, and only the account without data has none.
    assert_eq!(tags.len(), 3, "{tags:?}");
}

fn live(store: &dyn Store, name: &str) -> Snapshot {
    let account = store.account(name).unwrap();
    let token = store.create_token(account, "", NOW, None).unwrap();
    let digest = TokenDigest::of(token.reveal());
    store.authenticate(&digest, NOW).unwrap().unwrap().snapshot
}

#[test]
fn an_sqlite_file_of_the_first_release_is_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let before = fill(&SqliteStore::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let field = |name: &str| format!("json_extract(c.record, '$.{name}')");
    connection.execute_batch(&first_release("INTEGER", "STRICT, WITHOUT ROWID", field)).unwrap();
    connection.pragma_update(None, "user_version", 1).unwrap();
    drop(connection);

    // Several at once: one does it, the others wait.
    std::thread::scope(|scope| {
        let open = || SqliteStore::open(&path).map(drop);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    check(&SqliteStore::open(&path).unwrap(), &before);
}

#[test]
fn an_sqlite_file_of_the_second_release_is_brought_up_to_date() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("old.db");
    let before = fill(&SqliteStore::open(&path).unwrap());
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute_batch(WITHOUT_TAGS).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    drop(connection);
    check(&SqliteStore::open(&path).unwrap(), &before);
    check(&SqliteStore::open(&path).unwrap(), &before);
}

#[test]
fn a_postgresql_database_of_the_second_release_is_brought_up_to_date() {
    let Some(database) = cluster::database() else { return };
    let before = fill(&PostgresStore::connect(&database.url).unwrap());
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    client.batch_execute(WITHOUT_TAGS).unwrap();
    client.batch_execute("UPDATE gateway_schema SET version = 2").unwrap();
    drop(client);
    check(&PostgresStore::connect(&database.url).unwrap(), &before);
    check(&PostgresStore::connect(&database.url).unwrap(), &before);
}

#[test]
fn a_postgresql_database_of_the_first_release_is_brought_up_to_date() {
    let Some(database) = cluster::database() else { return };
    let before = fill(&PostgresStore::connect(&database.url).unwrap());
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    let field = |name: &str| format!("c.record::json #>> '{{{}}}'", name.replace('.', ","));
    client.batch_execute(&first_release("BIGINT", "", field)).unwrap();
    client.batch_execute("UPDATE gateway_schema SET version = 1").unwrap();
    drop(client);

    std::thread::scope(|scope| {
        let connect = || PostgresStore::connect(&database.url).map(drop);
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(connect)).collect();
        for thread in threads {
            thread.join().unwrap().unwrap();
        }
    });
    check(&PostgresStore::connect(&database.url).unwrap(), &before);
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    client.batch_execute("INSERT INTO gateway_schema VALUES (99)").unwrap();
    let error = PostgresStore::connect(&database.url).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageNewer);
}

/// From this release to the second.
const WITHOUT_TAGS: &str = "ALTER TABLE account DROP COLUMN tag";

/// The tables of the first release, with the data of this one.
fn first_release(number: &str, table: &str, field: impl Fn(&str) -> String) -> String {
    let [name, email, phone] = ["name", "email", "phone"].map(&field);
    let [mobile, date, kind] = ["phone_mobile", "date", "type"].map(&field);
    let [portal_id, portal_name] = ["portal.id", "portal.name"].map(&field);
    format!(
        "{WITHOUT_TAGS}; CREATE TABLE portal (account_id {number} NOT NULL, key {number} NOT NULL, \
         id TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (account_id, key), \
         UNIQUE (account_id, id, name)) {table}; \
         INSERT INTO portal SELECT account_id, row_number() OVER (PARTITION BY account_id \
         ORDER BY id), id, name FROM (SELECT DISTINCT c.account_id AS account_id, \
         {portal_id} AS id, {portal_name} AS name FROM candidate c) p; \
         DROP INDEX candidate_superseded; \
         CREATE TABLE candidate_new (account_id {number} NOT NULL, \
         id {number} NOT NULL CHECK (id >= 0), rev_from {number} NOT NULL, \
         rev_to {number} NOT NULL, name TEXT NOT NULL, email TEXT NOT NULL, phone TEXT NOT NULL, \
         phone_mobile TEXT NOT NULL, date TEXT NOT NULL, type TEXT NOT NULL, \
         portal_key {number} NOT NULL, PRIMARY KEY (account_id, id, rev_from)) {table}; \
         INSERT INTO candidate_new SELECT c.account_id, c.id, rev_from, rev_to, {name}, {email}, \
         {phone}, {mobile}, {date}, {kind}, p.key FROM candidate c JOIN portal p \
         ON p.account_id = c.account_id AND p.id = {portal_id} AND p.name = {portal_name}; \
         DROP TABLE candidate; ALTER TABLE candidate_new RENAME TO candidate; \
         CREATE INDEX candidate_superseded ON candidate(account_id, rev_to) \
         WHERE rev_to < 9223372036854775807"
    )
}
