//! Damage of a database that the server notices.

use gateway_server::{
    CandidateFilter, Cursor, Error, ErrorKind, ImportMode, Page, Store, TokenDigest,
};

use crate::front::Here;
use crate::process::{Served, account, error, execute, on_each_database, output, run};
use crate::store::{NOW, candidate, import};
use crate::support::{exchange, get, request};

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
    let here = Here::start(|_config| {});
    let ops = here.ops();
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
    let output = output(database, &["check"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(3), "{text}");
    assert!(text.contains("candidates that cannot be read\n"), "{text}");
    assert!(text.contains("damaged pages or indexes of the file: "), "{text}");
    assert!(text.contains("restore a backup"), "{text}");
    assert!(!text.contains("malformed") && !text.contains("btree"), "{text}");
}

/// The server continues with the file that it opened, so it would return the old data.
#[test]
fn a_database_file_that_is_replaced_is_noticed() {
    let here = Here::start(|_config| {});
    let ops = here.ops();
    assert_eq!(ops.readiness(), (200, "ready\n".to_owned()));
    let path = here.directory.path().join("t.db");
    let aside = here.directory.path().join("aside.db");
    std::fs::rename(&path, &aside).unwrap();
    let replaced = (503, "the database file was replaced; restart the server\n".to_owned());
    assert_eq!(ops.readiness(), replaced);
    std::fs::copy(&aside, &path).unwrap();
    assert_eq!(ops.readiness(), replaced);
}

/// A server that runs notices it at the next read, and every command when it opens the database.
#[test]
fn a_table_or_column_that_is_missing_is_damage() {
    on_each_database(|database| {
        let token = account(database, "acme");
        run(database, &["demo-data", "--account", "acme"]);
        for (damage, mend, method) in [
            ("token RENAME account_id TO x", "token RENAME x TO account_id", "credits/get"),
            ("candidate RENAME rev_to TO x", "candidate RENAME x TO rev_to", "candidates/list"),
            ("vacancy RENAME TO x", "x RENAME TO vacancy", "vacancies/list"),
        ] {
            let served = Served::start(database, &["--ops-listen", "127.0.0.1:0"]);
            let response = || get(&served.base_url, &token, &format!("method={method}"));
            assert_eq!((response().status, served.ops.readiness().0), (200, 200));
            execute(database, &format!("ALTER TABLE {damage}"));
            assert_eq!(
                response().json()["type"],
                "urn:gateway:problem:storage-corrupt",
                "{damage}"
            );
            let text = "the database is damaged; run gateway-server check\n".to_owned();
            assert_eq!(served.ops.readiness(), (503, text), "{damage}");
            for command in [&["check"][..], &["serve", "--check"], &["account", "list"]] {
                let output = output(database, command);
                let text = error(&output);
                assert_eq!(output.status.code(), Some(3), "{text}");
                assert!(text.contains(" is damaged: the table "), "{text}");
                assert!(!text.contains("SELECT") && !text.contains("SQLSTATE"), "{text}");
            }
            execute(database, &format!("ALTER TABLE {mend}"));
        }
    });
}
