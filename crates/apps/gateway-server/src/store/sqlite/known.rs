//! The tokens that were looked up since the last commit, so that the next request with one of them needs no transaction.
//!
//! An entry counts only while the database is in the state in which it was read. So a token that any process revokes, an
//! import, and a deletion are noticed by the next request.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock};

use crate::clock::UnixTime;
use crate::lock::lock;
use crate::store::Principal;
use crate::store::sqlite::commits::{Commit, Commits};
use crate::token::TokenDigest;

/// The known tokens of a database.
#[derive(Debug, Default)]
pub(super) struct KnownTokens {
    /// Unset until the first look-up; `None` if the commits cannot be noticed.
    commits: OnceLock<Option<Commits>>,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    /// The state in which all of them were read.
    state: Option<Commit>,
    tokens: HashMap<TokenDigest, ValidToken>,
}

/// A token that is valid until it expires.
#[derive(Clone, Debug)]
pub(super) struct ValidToken {
    pub(super) principal: Principal,
    pub(super) expires_at: Option<UnixTime>,
}

impl KnownTokens {
    /// Returns the state of the database, to be read before a token is looked up. Returns `None` if it is unknown.
    pub(super) fn state(&self, find: impl FnOnce() -> Option<Commits>) -> Option<Commit> {
        self.commits.get_or_init(find).as_ref()?.last()
    }

    /// Returns the account of a token that was looked up in this state and has not expired.
    pub(super) fn get(
        &self,
        state: Commit,
        token: &TokenDigest,
        now: UnixTime,
    ) -> Option<Principal> {
        let known = lock(&self.known);
        let found = known.tokens.get(token).filter(|_| known.state == Some(state))?;
        let is_valid = found.expires_at.is_none_or(|expires_at| expires_at > now);
        is_valid.then(|| found.principal.clone())
    }

    /// Adds a token that was looked up after the database was in `state`.
    pub(super) fn add(&self, state: Commit, token: TokenDigest, valid: ValidToken) {
        let mut known = lock(&self.known);
        if known.state != Some(state) || known.tokens.len() >= MAX_TOKENS {
            known.tokens.clear();
            known.state = Some(state);
        }
        known.tokens.insert(token, valid);
    }
}

/// Maximum number of known tokens. One more forgets them all.
const MAX_TOKENS: usize = 16 * 1024;

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;
    use crate::generated::record::CreditsRow;
    use crate::place::Place;
    use crate::store::sqlite::SqliteStore;
    use crate::store::{AccountId, ImportMode, Store as _, StoreAdmin as _};

    const NOW: UnixTime = UnixTime(1_800_000_000);

    #[track_caller]
    fn check(store: &SqliteStore, token: &TokenDigest, expected: Option<AccountId>) {
        let found = store.authenticate(token, NOW);
        let account = found.map(|found| found.map(|principal| principal.snapshot.account));
        assert_eq!(account.map_err(|error| error.to_string()), Ok(expected));
    }

    #[test]
    fn a_known_token_needs_no_connection_until_the_next_commit_of_any_program() {
        let directory = tempfile::tempdir().unwrap();
        let [path, moved] = ["t.db", "moved.db"].map(|name| directory.path().join(name));
        let store = SqliteStore::open(&path).unwrap();
        let own = store.create_account("a", NOW).unwrap();
        let expires_at = UnixTime(NOW.0 + 60);
        let token = store.create_token(own, "", NOW, Some(expires_at)).unwrap();
        let token = TokenDigest::of(token.reveal());
        check(&store, &token, Some(own));
        let other = SqliteStore::open(&path).unwrap();
        // The only connection is in use, and no other can be opened.
        store
            .read(|_reader| {
                std::fs::rename(&path, &moved).unwrap();
                check(&store, &token, Some(own));
                store.authenticate(&token, expires_at).unwrap_err();
                store.authenticate(&TokenDigest::of("gwt_x"), NOW).unwrap_err();
                other.create_account("b", NOW).unwrap();
                store.authenticate(&token, NOW).unwrap_err();
                std::fs::rename(&moved, &path).unwrap();
                check(&store, &token, Some(own));
                Ok(())
            })
            .unwrap();
        assert!(other.revoke_token(own, &token.id(), NOW).unwrap());
        check(&store, &token, None);
    }

    /// A reader that sees the number of a commit must not see the balance of the one before.
    #[test]
    fn every_read_is_at_least_as_new_as_the_last_commit_before_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("t.db");
        let store = SqliteStore::open(&path).unwrap();
        let own = store.create_account("a", NOW).unwrap();
        let token = store.create_token(own, "", NOW, None).unwrap();
        let token = TokenDigest::of(token.reveal());
        let committed = AtomicI64::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let (mut before, mut hits) = (0, 0);
                    while before < COMMITS {
                        let least = committed.load(Ordering::SeqCst);
                        let revision = store.authenticate(&token, NOW).unwrap().unwrap();
                        let revision = revision.snapshot.revision;
                        assert!(revision >= least.max(before), "{revision} after {least}");
                        hits += i32::from(revision == before);
                        before = revision;
                    }
                    assert!(hits > 0);
                });
            }
            let other = SqliteStore::open(&path).unwrap();
            for number in 1..=COMMITS {
                let text = number.to_string();
                let row = CreditsRow::new(&text, "EUR");
                other
                    .import(own, ImportMode::Commit, &mut |stage| {
                        stage.credits(Place { file: 0, line: 1 }, &row)
                    })
                    .unwrap();
                committed.store(number, Ordering::SeqCst);
            }
        });
    }

    const COMMITS: i64 = 50;

    /// Without a log, no commit changes the file beside the database, which may be a remnant of a crash.
    #[test]
    fn no_token_is_known_without_a_log() {
        let directory = tempfile::tempdir().unwrap();
        let [path, shared] = ["t.db", "t.db-shm"].map(|name| directory.path().join(name));
        let store = SqliteStore::open(&path).unwrap();
        let own = store.create_account("a", NOW).unwrap();
        let token = store.create_token(own, "", NOW, None).unwrap();
        let token = TokenDigest::of(token.reveal());
        let remnant = std::fs::read(&shared).unwrap();
        drop(store);
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch("PRAGMA journal_mode = DELETE").unwrap();
        drop(connection);
        std::fs::write(&shared, remnant).unwrap();
        let store = SqliteStore::open(&path).unwrap();
        check(&store, &token, Some(own));
        let other = SqliteStore::open(&path).unwrap();
        assert!(other.revoke_token(own, &token.id(), NOW).unwrap());
        check(&store, &token, None);
    }

    #[test]
    fn the_number_of_known_tokens_is_limited() {
        let directory = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(directory.path().join("t.db")).unwrap();
        let own = store.create_account("a", NOW).unwrap();
        let token = store.create_token(own, "", NOW, None).unwrap();
        let token = TokenDigest::of(token.reveal());
        let principal = store.authenticate(&token, NOW).unwrap().unwrap();
        let valid = ValidToken { principal, expires_at: None };
        let state = store.known.state(|| None).unwrap();
        for number in 0..=MAX_TOKENS {
            store.known.add(state, TokenDigest::of(&number.to_string()), valid.clone());
        }
        assert!(lock(&store.known.known).tokens.len() < MAX_TOKENS);
        check(&store, &token, Some(own));
    }
}
