//! Damage in a SQLite file that the server notices.

use gateway_server::{
    CandidateFilter, Cursor, Error, ErrorKind, ImportMode, Page, Store, TokenDigest,
};

use crate::front::Here;
use crate::process::{account, program, run};
use crate::store::{NOW, candidate, import};
use crate::support::{Ops, exchange, get, request};

/// The effect of a damaged page: rows are torn or misplaced.
#[test]
fn a_torn_or_misplaced_row_is_an_error_and_the_server_is_not_ready() {
    for damage in [
        "UPDATE candidate SET record = substr(record, 1, 9) WHERE id = 2",
        "UPDATE candidate SET rev_to = 9223372036854775807 WHERE id = 1",
        "UPDATE account SET revision = 0",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let store = Store::open(&path).unwrap();
        let account = store.create_account("a", NOW).unwrap();
        let token = store.create_token(account, "", NOW, None).unwrap();
        let token = TokenDigest::of(token.reveal());
        for name in ["one", "other"] {
            import(&store, account, ImportMode::Commit, |stage| {
                candidate(stage, 1, 1, name)?;
                candidate(stage, 2, 2, "two")
            })
            .unwrap();
        }
        let read = || {
            let principal = store.authenticate(&token, NOW)?.unwrap();
            let (page, mut count) = (Page { from: Cursor::START, limit: 9 }, 0);
            let all = &CandidateFilter::All;
            store.candidates(principal.snapshot, all, page, &mut |_record| count += 1)?;
            Ok::<_, Error>(count)
        };
        assert_eq!(read().unwrap(), 2);
        store.health().unwrap();
        assert!(store.check().unwrap().damage.is_empty());
        rusqlite::Connection::open(&path).unwrap().execute_batch(damage).unwrap();
        let error = read().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageCorrupt, "{damage}: {error}");
        assert_eq!(store.health().unwrap_err().kind(), ErrorKind::StorageCorrupt);
        assert!(!store.check().unwrap().damage.is_empty(), "{damage}");
    }
}

/// The damage is on the last page, so the response has begun.
#[test]
fn a_list_with_a_torn_row_is_cut() {
    let here = Here::start(|config| config.ops_listen = "127.0.0.1:0".parse().ok());
    let ops = Ops(here.running.ops_address().unwrap().to_string());
    assert_eq!(ops.readiness().0, 200);
    let connection = rusqlite::Connection::open(here.directory.path().join("t.db")).unwrap();
    let torn = "UPDATE candidate SET record = '{' WHERE id = (SELECT max(id) FROM candidate)";
    connection.execute_batch(torn).unwrap();
    let request = request(&here.token, "method=candidates/list", "Connection: close\r\n");
    let address = here.running.address().to_string();
    let bytes = exchange(&address, request.as_bytes());
    assert!(bytes.starts_with(b"HTTP/1.1 200") && bytes.len() > 100_000, "{}", bytes.len());
    assert!(!bytes.ends_with(b"]}\r\n0\r\n\r\n") && !bytes.ends_with(b"0\r\n\r\n"));
    let damaged = "the database is damaged; run gateway-server check\n".to_owned();
    assert_eq!(ops.readiness(), (503, damaged));
    // Another list of the same account is complete.
    let vacancies = get(&here.running.base_url(), &here.token, "method=vacancies/list");
    assert_eq!(vacancies.status, 200);
}

/// The check continues after a page that cannot be read, and describes the place in this program's terms.
#[test]
fn the_check_names_what_cannot_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.db");
    let database = path.to_str().unwrap();
    account(database, "acme");
    run(database, &["demo-data", "--account", "acme", "--candidates", "3000"]);
    let mut bytes = std::fs::read(&path).unwrap();
    let record = b"{\"id\":\"";
    let middle = bytes.len() / 2;
    let at = middle + bytes[middle..].windows(8).position(|part| part.starts_with(record)).unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 4096].fill(0xff);
    std::fs::write(&path, &bytes).unwrap();
    let output = program().args(["check", "--database", database]).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("candidates that cannot be read\n"), "{text}");
    assert!(text.contains("damaged pages or indexes of the file: "), "{text}");
    assert!(text.contains("restore a backup"), "{text}");
    assert!(!text.contains("malformed") && !text.contains("btree"), "{text}");
}

/// The server continues with the file that it opened, so it would return the old data.
#[test]
fn a_database_file_that_is_replaced_or_lacks_a_table_is_noticed() {
    let here = Here::start(|config| config.ops_listen = "127.0.0.1:0".parse().ok());
    let ops = Ops(here.running.ops_address().unwrap().to_string());
    assert_eq!(ops.readiness(), (200, "ready\n".to_owned()));
    let path = here.directory.path().join("t.db");
    let aside = here.directory.path().join("aside.db");
    std::fs::rename(&path, &aside).unwrap();
    let replaced = (503, "the database file was replaced; restart the server\n".to_owned());
    assert_eq!(ops.readiness(), replaced);
    std::fs::copy(&aside, &path).unwrap();
    assert_eq!(ops.readiness(), replaced);
    let copy = here.directory.path().join("copy.db");
    std::fs::copy(&aside, &copy).unwrap();
    rusqlite::Connection::open(&copy).unwrap().execute_batch("DROP TABLE vacancy").unwrap();
    let error = Store::open_existing(&copy).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageCorrupt, "{error:?}");
    assert!(!format!("{error:?}").contains("no such table"), "{error:?}");
}
