//! Flipped bits in a SQLite file: every response is whole or an error.

use std::path::Path;
use std::time::Duration;

use gateway_server::{
    CandidateFilter, CreditsRow, Cursor, DemoData, Error, ErrorKind, ImportMode, Page, Principal,
    SqliteStore, Store as _, StoreAdmin as _, TokenDigest,
};

use crate::front::Here;
use crate::process::{account, program, run};
use crate::store::{NOW, candidate, import, place};
use crate::support::{exchange, get, parse};

/// Two accounts with several revisions, some of them removed. Returns their tokens.
fn fill(path: &Path) -> [TokenDigest; 2] {
    let store = SqliteStore::open(path).unwrap();
    let accounts = ["a", "b"].map(|name| store.create_account(name, NOW).unwrap());
    for (account, candidates) in accounts.into_iter().zip([1_500, 500]) {
        for seed in 0..4 {
            // Every import changes a part of the candidates and of their statuses.
            let data = DemoData { candidates: candidates - 100 * seed, seed: seed.into() };
            store.import(account, ImportMode::Commit, &mut |stage| data.fill(stage)).unwrap();
            let number = (seed + 7).to_string();
            import(&store, account, ImportMode::Commit, |stage| {
                stage.credits(place(1), &CreditsRow::new(&number, "EUR"))
            })
            .unwrap();
            if seed == 1 {
                store.collect(Duration::ZERO).unwrap();
            }
        }
    }
    accounts.map(|account| {
        let revoked = store.create_token(account, "revoked", NOW, None).unwrap();
        store.revoke_token(account, &TokenDigest::of(revoked.reveal()).id(), NOW).unwrap();
        let token = store.create_token(account, "valid", NOW, None).unwrap();
        TokenDigest::of(token.reveal())
    })
}

/// Returns the bytes of every list of an account.
fn lists(store: &SqliteStore, principal: &Principal) -> Vec<Result<Vec<u8>, Error>> {
    let mut filters = vec![CandidateFilter::All];
    for vacancy in 100..130 {
        filters.push(CandidateFilter::Vacancy(vacancy));
        for status in ["New", "Shortlist", "Rejected", "Nev"] {
            filters.push(CandidateFilter::Status(vacancy, status.into()));
        }
    }
    let snapshot = principal.snapshot;
    let mut lists: Vec<_> = filters
        .iter()
        .map(|filter| whole(|page, sink| store.candidates(snapshot, filter, page, sink)))
        .collect();
    lists.push(whole(|page, sink| store.vacancies(snapshot, page, sink)));
    lists.push(whole(|_page, sink| store.credits(snapshot.account, sink).map(|()| None)));
    lists
}

fn whole(
    mut read: impl FnMut(Page, &mut dyn FnMut(&[u8])) -> Result<Option<Cursor>, Error>,
) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut next = Some(Cursor::START);
    while let Some(from) = next {
        next = read(Page { from, limit: 256 }, &mut |record| {
            bytes.extend_from_slice(record);
            bytes.push(b'\n');
        })?;
    }
    Ok(bytes)
}

/// The number of flips is in `GATEWAY_TEST_FLIPS`, and their seed in `GATEWAY_TEST_SEED`.
#[test]
fn no_flipped_bit_changes_a_list_unnoticed() {
    let setting =
        |name, default| std::env::var(name).map_or(default, |text| text.parse::<u64>().unwrap());
    let (flips, mut state) = (setting("GATEWAY_TEST_FLIPS", 200), setting("GATEWAY_TEST_SEED", 1));
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("whole.db");
    let tokens = fill(&path);
    let store = SqliteStore::open(&path).unwrap();
    let expected = tokens.each_ref().map(|token| {
        let principal = store.authenticate(token, NOW).unwrap().unwrap();
        let lists = lists(&store, &principal);
        lists.into_iter().map(Result::unwrap).collect::<Vec<_>>()
    });
    assert!(expected[0].iter().filter(|list| !list.is_empty()).count() > 20);
    drop(store);
    let whole = std::fs::read(&path).unwrap();
    let damaged = directory.path().join("damaged.db");
    let (mut at_open, mut noticed, mut harmless, mut refused) = (0, 0, 0, 0);
    for _ in 0..flips {
        // Xorshift, so that a failure can be repeated.
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut random = state;
        random = (random ^ (random >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        random = (random ^ (random >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let bit = usize::try_from((random ^ (random >> 31)) % (whole.len() as u64 * 8)).unwrap();
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        for suffix in ["-wal", "-shm"] {
            drop(std::fs::remove_file(directory.path().join(format!("damaged.db{suffix}"))));
        }
        std::fs::write(&damaged, &bytes).unwrap();
        let Ok(store) = SqliteStore::open_existing(&damaged) else {
            at_open += 1;
            continue;
        };
        let mut errors = 0;
        for (token, expected) in tokens.iter().zip(&expected) {
            match store.authenticate(token, NOW) {
                Err(_) => errors += 1,
                Ok(None) => refused += 1,
                Ok(Some(principal)) => {
                    for (list, expected) in lists(&store, &principal).into_iter().zip(expected) {
                        match list {
                            Err(_) => errors += 1,
                            Ok(list) => assert!(list == *expected, "bit {bit} was not noticed"),
                        }
                    }
                }
            }
        }
        if errors > 0 {
            noticed += 1;
        } else {
            harmless += 1;
        }
    }
    println!(
        "{flips} flips: {at_open} found at open, {noticed} noticed, {harmless} harmless, {refused} tokens refused"
    );
    assert!(noticed > 0 && harmless > 0);
}

/// The effect of a damaged page: rows disappear, or become those of another place.
#[test]
fn a_lost_or_changed_row_is_an_error_and_the_server_is_not_ready() {
    for damage in [
        "DELETE FROM candidate WHERE id = 2 AND rev_to > 1000",
        "UPDATE candidate SET record = replace(record, 'two', 'six') WHERE id = 2",
        "UPDATE candidate SET id = 9 WHERE id = 2",
        "UPDATE candidate SET rev_to = 9223372036854775807 WHERE id = 1",
        "UPDATE candidate SET checksum = NULL WHERE id = 2",
        "UPDATE account SET revision = 1",
        "UPDATE account SET revision = 0",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let store = SqliteStore::open(&path).unwrap();
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
            let all = &CandidateFilter::All;
            whole(|page, sink| store.candidates(principal.snapshot, all, page, sink))
        };
        assert!(!read().unwrap().is_empty());
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
fn a_list_that_lacks_a_row_is_cut() {
    let here = Here::start(|config| {
        config.ops_listen = "127.0.0.1:0".parse().ok();
    });
    let ops = here.running.ops_address().unwrap().to_string();
    let ready = || parse(&exchange(&ops, b"GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n"));
    assert_eq!(ready().status, 200);
    let connection = rusqlite::Connection::open(here.directory.path().join("t.db")).unwrap();
    let lost = "DELETE FROM candidate WHERE id = (SELECT max(id) FROM candidate)";
    connection.execute_batch(lost).unwrap();
    let request = format!(
        "GET /c/oauth/v1?method=candidates/list HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\
         Connection: close\r\n\r\n",
        here.token
    );
    let address = here.running.address().to_string();
    let bytes = exchange(&address, request.as_bytes());
    assert!(bytes.starts_with(b"HTTP/1.1 200") && bytes.len() > 100_000, "{}", bytes.len());
    assert!(!bytes.ends_with(b"]}\r\n0\r\n\r\n") && !bytes.ends_with(b"0\r\n\r\n"));
    let damaged = ready();
    assert_eq!(damaged.status, 503);
    assert_eq!(damaged.text(), "the database is damaged; run gateway-server check\n");
    // Another list of the same account is whole.
    let vacancies = get(&here.running.base_url(), &here.token, "method=vacancies/list");
    assert_eq!(vacancies.status, 200);
}

/// The check goes on after a page that cannot be read, and names the place in words of this program.
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
    assert!(text.contains("candidates that cannot be read after "), "{text}");
    assert!(text.contains(" of account acme\n"), "{text}");
    assert!(text.contains("pages or indexes of the file that are damaged: "), "{text}");
    assert!(text.contains("restore a backup"), "{text}");
    assert!(!text.contains("malformed") && !text.contains("btree"), "{text}");
}
