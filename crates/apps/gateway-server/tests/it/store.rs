//! The behavior that all stores have in common.

use std::path::Path;
use std::time::Duration;

use gateway_server::{
    AccountId, ApplicationRow, CandidateFilter, CandidateRow, CreditsRow, Cursor, DemoData, Error,
    ErrorKind, ImportMode, ImportReport, Page, Place, PortalRow, Snapshot, Stage, Store,
    TokenDigest, UnixTime, VacancyRow,
};

use crate::cluster;
use crate::process::{on_each_database, open};

pub(crate) const NOW: UnixTime = UnixTime(1_800_000_000);

/// Runs a test on SQLite and on PostgreSQL.
pub(crate) fn on_each_store(mut test: impl FnMut(&Store)) {
    on_each_database(|database| test(&open(database)));
}

pub(crate) fn place(line: u64) -> Place {
    Place { file: 0, line }
}

pub(crate) fn candidate(
    stage: &mut dyn Stage,
    line: u64,
    id: i64,
    name: &str,
) -> Result<(), Error> {
    let row = CandidateRow {
        name,
        email: "e@example.org",
        phone_mobile: "+1",
        date: "2026-01-02 03:04:05",
        portal: PortalRow { name: "Portal \"seven\"", ..PortalRow::new("7") },
        kind: "person",
        ..CandidateRow::new("")
    };
    stage.candidate(place(line), id, &row)
}

pub(crate) fn vacancy(
    stage: &mut dyn Stage,
    line: u64,
    id: i64,
    project: &str,
) -> Result<(), Error> {
    stage.vacancy(place(line), id, &VacancyRow { project, ..VacancyRow::new("") })
}

pub(crate) fn application(
    stage: &mut dyn Stage,
    line: u64,
    vacancy_id: i64,
    candidate_id: i64,
    status: &str,
) -> Result<(), Error> {
    stage.application(place(line), &ApplicationRow { vacancy_id, candidate_id, status })
}

pub(crate) fn import(
    store: &Store,
    account: AccountId,
    mode: ImportMode,
    mut fill: impl FnMut(&mut dyn Stage) -> Result<(), Error>,
) -> Result<ImportReport, Error> {
    store.import(account, mode, &mut fill)
}

pub(crate) fn names(
    store: &Store,
    snapshot: Snapshot,
    filter: &CandidateFilter,
    limit: u32,
) -> Vec<String> {
    let mut names = Vec::new();
    let mut next = Some(Cursor::START);
    while let Some(from) = next {
        let page = Page { from, limit };
        let mut count = 0;
        next = store
            .candidates(snapshot, filter, page, &mut |record| {
                let row: serde_json::Value = serde_json::from_slice(record).unwrap();
                let text = |pointer| row.pointer(pointer).unwrap().as_str().unwrap();
                names.push([text("/id"), text("/name"), text("/portal/name")].join(" "));
                count += 1;
            })
            .unwrap();
        assert!(count <= limit);
    }
    names
}

pub(crate) fn snapshot(store: &Store, account: AccountId) -> Snapshot {
    let found = store.accounts().unwrap().into_iter().find(|one| one.id == account).unwrap();
    Snapshot { account, revision: found.revision }
}

#[test]
fn a_token_is_valid_until_it_expires_or_is_revoked() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        let other = store.create_account("b", NOW).unwrap();
        let token = store.create_token(account, "first", NOW, None).unwrap();
        let brief = store
            .create_token(account, "brief", UnixTime(NOW.0 + 1), Some(UnixTime(NOW.0 + 60)))
            .unwrap();
        let digest = TokenDigest::of(token.reveal());
        let principal = store.authenticate(&digest, NOW).unwrap().unwrap();
        assert_eq!(principal.snapshot, Snapshot { account, revision: 0 });
        assert_eq!(principal.token, digest.id());
        assert_eq!(store.authenticate(&TokenDigest::of("gwt_x"), NOW).unwrap(), None);

        let brief = TokenDigest::of(brief.reveal());
        assert!(store.authenticate(&brief, UnixTime(NOW.0 + 59)).unwrap().is_some());
        assert!(store.authenticate(&brief, UnixTime(NOW.0 + 60)).unwrap().is_none());

        assert!(!store.revoke_token(other, &digest.id(), NOW).unwrap());
        assert!(store.authenticate(&digest, NOW).unwrap().is_some());
        assert!(store.revoke_token(account, &digest.id(), NOW).unwrap());
        assert!(store.authenticate(&digest, NOW).unwrap().is_none());
        // A second revocation keeps the time of the first.
        assert!(store.revoke_token(account, &digest.id(), UnixTime(NOW.0 + 5)).unwrap());
        let tokens = store.tokens(account).unwrap();
        let labels: Vec<_> =
            tokens.iter().map(|one| (one.label.as_str(), one.revoked_at, one.expires_at)).collect();
        assert_eq!(
            labels,
            [("first", Some(NOW), None), ("brief", None, Some(UnixTime(NOW.0 + 60)))]
        );
        assert!(store.tokens(other).unwrap().is_empty());
    });
}

#[test]
fn a_list_is_read_in_pages_of_any_size_and_with_filters() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        import(store, account, ImportMode::Commit, |stage| {
            for id in [30, 4, 100, 5, 0] {
                candidate(stage, 1, id, "n")?;
            }
            vacancy(stage, 1, 9, "nine")?;
            vacancy(stage, 1, 10, "ten")?;
            for (candidate, status) in [(100, "New"), (4, "new"), (30, "New")] {
                application(stage, 1, 9, candidate, status)?;
            }
            application(stage, 1, 10, 5, "New")
        })
        .unwrap();
        let now = snapshot(store, account);
        let ids = |filter: &CandidateFilter, limit| -> Vec<i64> {
            names(store, now, filter, limit)
                .iter()
                .map(|name| name.split(' ').next().unwrap().parse().unwrap())
                .collect()
        };
        for limit in [1, 2, 3, 5, 6, 1000] {
            assert_eq!(ids(&CandidateFilter::All, limit), [0, 4, 5, 30, 100]);
            assert_eq!(ids(&CandidateFilter::Vacancy(9), limit), [4, 30, 100]);
            assert_eq!(ids(&CandidateFilter::Status(9, "New".into()), limit), [30, 100]);
            assert_eq!(ids(&CandidateFilter::Status(9, "new".into()), limit), [4]);
            assert!(ids(&CandidateFilter::Status(9, "New ".into()), limit).is_empty());
            assert!(ids(&CandidateFilter::Vacancy(8), limit).is_empty());
            assert!(ids(&CandidateFilter::Nothing, limit).is_empty());
        }
        let mut projects = Vec::new();
        let page = Page { from: Cursor::START, limit: 10 };
        let end = store.vacancies(now, page, &mut |record| {
            let row: serde_json::Value = serde_json::from_slice(record).unwrap();
            projects.push(row["project"].as_str().unwrap().to_owned());
        });
        assert_eq!((end.unwrap(), projects), (None, vec!["nine".to_owned(), "ten".to_owned()]));
    });
}

#[test]
fn a_contradiction_in_an_import_is_refused_with_its_line() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        let refused = |text: &str, line, fill: fn(&mut dyn Stage) -> Result<(), Error>| {
            let error = import(store, account, ImportMode::Commit, fill).unwrap_err();
            assert_eq!((error.kind(), error.place()), (ErrorKind::Import, Some(place(line))));
            assert!(error.to_string().contains(text), "{error}");
            assert_eq!(snapshot(store, account).revision, 0);
        };
        refused("candidate 1 already appears with different data on line 2", 3, |stage| {
            candidate(stage, 2, 1, "a")?;
            candidate(stage, 3, 1, "b")
        });
        refused("vacancy 1 already appears with different data on line 2", 3, |stage| {
            vacancy(stage, 2, 1, "a")?;
            vacancy(stage, 3, 1, "b")
        });
        refused("vacancy 8 does not exist", 5, |stage| {
            candidate(stage, 2, 1, "a")?;
            application(stage, 5, 8, 1, "New")
        });
        refused("candidate 2 does not exist", 5, |stage| {
            vacancy(stage, 2, 8, "a")?;
            application(stage, 5, 8, 2, "New")
        });
        refused(
            "status of candidate 1 already appears with different data on line 5",
            6,
            |stage| {
                vacancy(stage, 2, 8, "a")?;
                candidate(stage, 3, 1, "a")?;
                application(stage, 5, 8, 1, "New")?;
                application(stage, 6, 8, 1, "Old")
            },
        );
        // One line can contain many records, as an array or a response of the service.
        refused("candidate 1 already appears with different data on line 2", 2, |stage| {
            candidate(stage, 2, 1, "a")?;
            candidate(stage, 2, 1, "b")
        });
        refused("credit balance already appears with different data on line 2", 4, |stage| {
            for (line, currency) in [(2, "EUR"), (3, "EUR"), (4, "CHF")] {
                stage.credits(place(line), &CreditsRow::new("7", currency))?;
            }
            Ok(())
        });
        // Equal records do not contradict each other, on one line or on several.
        let report = import(store, account, ImportMode::Commit, |stage| {
            for line in [2, 3, 3] {
                candidate(stage, line, 1, "a")?;
                vacancy(stage, line, 8, "a")?;
                application(stage, line, 8, 1, "New")?;
            }
            Ok(())
        })
        .unwrap();
        let added = [report.candidates, report.vacancies, report.applications];
        assert_eq!(added.map(|changes| changes.added), [1, 1, 1]);
    });
}

/// Reading large files takes a long time. Urgent changes wait neither for an import nor for a dry run.
#[test]
fn a_token_can_be_revoked_while_an_import_reads_its_files() {
    on_each_store(|store| {
        let account = store.create_account("a", NOW).unwrap();
        for mode in [ImportMode::DryRun, ImportMode::Commit] {
            let token = store.create_token(account, "", NOW, None).unwrap();
            let digest = TokenDigest::of(token.reveal());
            let report = import(store, account, mode, |stage| {
                vacancy(stage, 1, 9, "nine")?;
                candidate(stage, 2, 1, "one")?;
                application(stage, 3, 9, 1, "New")?;
                assert!(store.revoke_token(account, &digest.id(), NOW)?);
                store.create_account(&format!("{mode:?}"), NOW)?;
                assert!(store.authenticate(&digest, NOW)?.is_none());
                Ok(())
            });
            assert_eq!(report.unwrap().applications.added, 1);
        }
        let filter = CandidateFilter::Status(9, "New".into());
        assert_eq!(names(store, snapshot(store, account), &filter, 10).len(), 1);
    });
}

#[test]
fn an_account_does_not_see_the_data_of_another() {
    on_each_store(|store| {
        let accounts = ["a", "b"].map(|name| store.create_account(name, NOW).unwrap());
        for (account, name) in accounts.into_iter().zip(["of a", "of b"]) {
            import(store, account, ImportMode::Commit, |stage| {
                candidate(stage, 1, 1, name)?;
                vacancy(stage, 2, 7, name)?;
                if name == "of a" { application(stage, 3, 7, 1, "New") } else { Ok(()) }
            })
            .unwrap();
        }
        let [a, b] = accounts.map(|account| snapshot(store, account));
        assert_eq!(names(store, a, &CandidateFilter::Vacancy(7), 10).len(), 1);
        assert_eq!(names(store, b, &CandidateFilter::Vacancy(7), 10).len(), 0);
        assert!(names(store, b, &CandidateFilter::All, 10)[0].contains("of b"));
    });
}

#[test]
fn a_read_over_its_time_limit_fails() {
    let Some(database) = cluster::database() else { return };
    let store = &open(&database.url).with_statement_budget(Duration::from_millis(3));
    let account = store.create_account("a", NOW).unwrap();
    let data = DemoData { candidates: 20_000, seed: 3 };
    import(store, account, ImportMode::Commit, |stage| data.fill(stage)).unwrap();
    let page = Page { from: Cursor::START, limit: 20_000 };
    let all = &CandidateFilter::All;
    let result = store.candidates(snapshot(store, account), all, page, &mut |_record| {});
    assert_eq!(result.unwrap_err().kind(), ErrorKind::StorageSlow);
    // Small reads through the same store still work.
    assert_eq!(store.account("a").unwrap(), account);
}

#[test]
fn a_file_that_is_not_a_whole_database_is_refused_and_left_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let refused = |path: &Path, kind| {
        let before = std::fs::read(path).unwrap();
        assert_eq!(Store::open(path).unwrap_err().kind(), kind, "{}", path.display());
        assert_eq!(std::fs::read(path).unwrap(), before);
    };
    std::fs::write(path("empty"), "").unwrap();
    refused(&path("empty"), ErrorKind::StorageForeign);
    let text = "not a database, but long enough to be one if it wished".repeat(200);
    std::fs::write(path("text"), text).unwrap();
    refused(&path("text"), ErrorKind::StorageForeign);
    rusqlite::Connection::open(path("other")).unwrap().execute_batch("CREATE TABLE t(a)").unwrap();
    refused(&path("other"), ErrorKind::StorageForeign);

    drop(Store::open(path("cut")).unwrap());
    let file = std::fs::OpenOptions::new().write(true).open(path("cut")).unwrap();
    file.set_len(8192).unwrap();
    drop(file);
    refused(&path("cut"), ErrorKind::StorageCorrupt);

    Store::open(path("fine")).unwrap();
    Store::open(path("fine")).unwrap();
    let error = Store::open(path("missing/a.db")).unwrap_err();
    let (file, folder) = (path("missing/a.db"), path("missing"));
    let (file, folder) = (file.display(), folder.display());
    let expected = format!("cannot write {file}: the folder {folder} does not exist; create it");
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::NotFound, expected));
    assert!(std::error::Error::source(&error).is_none(), "{error:?}");
}

/// Otherwise SQLite would copy the changes in the log into a new database.
#[test]
fn a_log_without_its_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for suffix in ["-wal", "-journal"] {
        let path = directory.path().join(format!("old{suffix}.db"));
        let log = directory.path().join(format!("old{suffix}.db{suffix}"));
        Store::open(&path).unwrap().create_account("a", NOW).unwrap();
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&log, "left").unwrap();
        let error = Store::open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageForeign);
        assert!(error.to_string().contains(log.to_str().unwrap()), "{error}");
        assert!(!path.exists() && log.exists());
        assert_eq!(Store::open_existing(&path).unwrap_err().kind(), ErrorKind::NotFound);
        std::fs::remove_file(&log).unwrap();
        Store::open(&path).unwrap();
    }
}

#[test]
fn many_servers_can_start_concurrently_on_an_empty_database() {
    let Some(database) = cluster::database() else { return };
    std::thread::scope(|scope| {
        let start = || drop(open(&database.url));
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(start)).collect();
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
