//! Deleted records: gone from every revision, and their bytes from every file of real processes.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use gateway_server::{
    AccountId, CandidateFilter, CheckReport, Deletion, DeletionReport, Error, ErrorKind,
    ImportMode, Page, Snapshot, Store, TokenDigest, UnknownIds,
};
use tempfile::TempDir;

use crate::cluster;
use crate::process::{Served, account, error, open, program};
use crate::store::{NOW, application, candidate, import, names, on_each_store, snapshot, vacancy};
use crate::support::get;

/// Creates an account with three candidates in two vacancies, and a second revision of the first candidate.
fn fill(store: &Store, name: &str) -> AccountId {
    let account = store.create_account(name, NOW).unwrap();
    for first in ["Anna", "Anne"] {
        import(store, account, ImportMode::Commit, |stage| {
            for (id, name) in [(1, first), (2, "Bert"), (3, "Cleo")] {
                candidate(stage, 1, id, name)?;
            }
            for id in [7, 8] {
                vacancy(stage, 2, id, "Welder")?;
            }
            application(stage, 3, 7, 1, "Only Anna")?;
            application(stage, 4, 7, 2, "New")?;
            application(stage, 5, 8, 3, "New")
        })
        .unwrap();
    }
    account
}

fn delete(store: &Store, account: AccountId, deletion: &Deletion) -> Result<DeletionReport, Error> {
    store.delete(account, deletion, UnknownIds::Refuse, ImportMode::Commit)
}

/// Returns the names of the candidates, without what follows them.
fn list(store: &Store, snapshot: Snapshot, filter: &CandidateFilter) -> Vec<String> {
    let name = |line: String| line.split(' ').nth(1).unwrap().to_owned();
    names(store, snapshot, filter, 9).into_iter().map(name).collect()
}

#[test]
fn a_deleted_record_is_gone_from_every_revision() {
    on_each_store(|store| {
        let account = fill(store, "acme");
        let other = fill(store, "other");
        let before = snapshot(store, account);
        let report = delete(store, account, &Deletion::Candidates(vec![1])).unwrap();
        assert_eq!((report.candidates, report.applications, report.revision), (1, 1, 3));
        let after = snapshot(store, account);
        assert_eq!(list(store, after, &CandidateFilter::All), ["Bert", "Cleo"]);
        assert_eq!(list(store, after, &CandidateFilter::Vacancy(7)), ["Bert"]);
        // A list in progress does not continue without the record.
        let page = Page { from: gateway_server::Cursor::START, limit: 9 };
        let gone = store.candidates(before, &CandidateFilter::All, page, &mut |_record| {});
        assert_eq!(gone.unwrap_err().kind(), ErrorKind::SnapshotGone);
        // Deleting a vacancy deletes its statuses, but no candidate.
        let report = delete(store, account, &Deletion::Vacancies(vec![7])).unwrap();
        assert_eq!((report.vacancies, report.applications, report.revision), (1, 1, 4));
        let report = delete(store, account, &Deletion::Statuses(vec![(8, 3)])).unwrap();
        assert_eq!((report.applications, report.revision), (1, 5));
        let after = snapshot(store, account);
        assert_eq!(list(store, after, &CandidateFilter::All), ["Bert", "Cleo"]);
        assert!(list(store, after, &CandidateFilter::Vacancy(8)).is_empty());
        store.erase_traces(Duration::from_secs(30)).unwrap();
        assert_eq!(store.check().unwrap(), CheckReport::default());
        let other = snapshot(store, other);
        assert_eq!(list(store, other, &CandidateFilter::All), ["Anne", "Bert", "Cleo"]);
        // The name of an unused status can be used again.
        import(store, account, ImportMode::Commit, |stage| {
            vacancy(stage, 1, 7, "Welder")?;
            application(stage, 2, 7, 2, "Only Anna")
        })
        .unwrap();
        let filter = CandidateFilter::Status(7, "Only Anna".to_owned());
        assert_eq!(list(store, snapshot(store, account), &filter), ["Bert"]);
    });
}

#[test]
fn an_unknown_id_is_named_and_nothing_is_deleted() {
    on_each_store(|store| {
        let account = fill(store, "acme");
        let before = snapshot(store, account);
        for (deletion, named) in [
            (Deletion::Candidates(vec![1, 77, 78]), "candidate 77;"),
            (Deletion::Vacancies(vec![7, 77]), "vacancy 77"),
            (Deletion::Statuses(vec![(7, 1), (8, 1)]), "a status of candidate 1 in vacancy 8"),
        ] {
            let error = delete(store, account, &deletion).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            assert!(error.to_string().contains(named), "{error}");
        }
        assert_eq!(snapshot(store, account), before);
        assert_eq!(names(store, before, &CandidateFilter::All, 9).len(), 3);
        let some = Deletion::Candidates(vec![1, 77, 1]);
        let dry = store.delete(account, &some, UnknownIds::Ignore, ImportMode::DryRun).unwrap();
        assert_eq!(snapshot(store, account), before);
        let real = store.delete(account, &some, UnknownIds::Ignore, ImportMode::Commit).unwrap();
        assert_eq!(dry, real);
        assert_eq!((real.candidates, real.unknown), (1, 1));
    });
}

#[test]
fn the_number_of_a_deleted_account_is_not_used_again() {
    on_each_store(|store| {
        let account = fill(store, "acme");
        let token = TokenDigest::of("gwt_test");
        store.add_token(account, &token, "", NOW, None).unwrap();
        let before = snapshot(store, account);
        let report = delete(store, account, &Deletion::Account).unwrap();
        let counts = (report.vacancies, report.candidates, report.applications);
        // The first name of the first candidate was replaced.
        assert_eq!((counts, report.superseded, report.revision), ((2, 3, 3), 1, 2));
        assert!(report.tokens >= 1);
        assert!(store.authenticate(&token, NOW).unwrap().is_none());
        assert_eq!(store.account("acme").unwrap_err().kind(), ErrorKind::NotFound);
        let late = import(store, account, ImportMode::Commit, |stage| vacancy(stage, 1, 9, "Late"));
        assert_eq!(late.unwrap_err().kind(), ErrorKind::NotFound);
        let again = fill(store, "acme");
        assert_ne!(again, account);
        let page = Page { from: gateway_server::Cursor::START, limit: 9 };
        let gone = store.candidates(before, &CandidateFilter::All, page, &mut |_record| {});
        assert_eq!(gone.unwrap_err().kind(), ErrorKind::SnapshotGone);
        store.erase_traces(Duration::from_secs(30)).unwrap();
        assert_eq!(store.check().unwrap(), CheckReport::default());
    });
}

/// A database folder and a folder for temporary files, both used only by this test.
struct Fixture {
    directory: TempDir,
    database: String,
    token: String,
}

/// The values of one person in the revisions of an import history.
const VALUES: [&str; 9] = [
    "Żaneta Wójcik-Ødegård",
    "zaneta.w@first.example",
    "+48 600 100 201",
    "Żaneta Nowak",
    "zaneta.nowak@second.example",
    "+48 600 100 202",
    "Z. \\\"Żet\\\" Nowak",
    "z.nowak@third.example",
    "+48 600 100 203",
];

impl Fixture {
    /// Creates a database in which candidate 7 changed twice.
    fn new(candidates: usize) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for folder in ["data", "tmp", "in"] {
            std::fs::create_dir(directory.path().join(folder)).unwrap();
        }
        let database = directory.path().join("data/a.db").to_str().unwrap().to_owned();
        let token = account(&database, "acme");
        let fixture = Self { directory, database, token };
        fixture.fill(candidates);
        fixture
    }

    fn fill(&self, candidates: usize) {
        let file = self.path("in/import.ndjson");
        for values in VALUES.chunks(3) {
            let mut lines = "{\"id\":\"52\",\"project\":\"Welder\"}\n".to_owned();
            for id in 1..=candidates {
                let (name, email, phone) = match id {
                    7 => (values[0].to_owned(), values[1].to_owned(), values[2]),
                    _ => (format!("Person {id}"), format!("p{id}@others.example"), "+31 6"),
                };
                writeln!(
                    lines,
                    "{{\"id\":\"{id}\",\"name\":\"{name}\",\"email\":\"{email}\",\"phone\":\"{phone}\",\
                     \"vacancy_id\":\"52\",\"status\":\"New\"}}"
                )
                .unwrap();
            }
            std::fs::write(&file, lines).unwrap();
            self.run(&["import", "--account", "acme", file.to_str().unwrap()]);
        }
        std::fs::remove_file(file).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program();
        command.env("TMPDIR", self.path("tmp")).args(arguments);
        command.args(["--database", &self.database]);
        command
    }

    fn run(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", error(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    fn refused(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.command(arguments).output().unwrap();
        assert!(!output.status.success(), "{arguments:?} succeeded");
        (output.status.code().unwrap(), error(&output))
    }

    fn serve(&self) -> Served {
        let mut command = program();
        command.env("TMPDIR", self.path("tmp"));
        Served::started_by(command, &self.database, &[])
    }

    fn list(&self, served: &Served) -> Vec<u8> {
        let response = get(&served.base_url, &self.token, "method=candidates/list");
        assert_eq!(response.status, 200);
        response.body
    }

    /// Returns the files that contain a value of the person, in the folders and among a server's open files.
    fn hits(&self, served: Option<&Served>) -> Vec<PathBuf> {
        let mut folders = vec![self.path("data"), self.path("tmp")];
        folders.extend(served.map(|one| format!("/proc/{}/fd", one.child.id()).into()));
        let mut hits = Vec::new();
        for folder in folders {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                // A file may disappear in the meantime.
                let is_file = std::fs::metadata(&path).is_ok_and(|file| file.is_file());
                if is_file && std::fs::read(&path).is_ok_and(|bytes| contains_person(&bytes)) {
                    hits.push(path);
                }
            }
        }
        hits
    }
}

fn contains_person(bytes: &[u8]) -> bool {
    VALUES.iter().any(|value| bytes.windows(value.len()).any(|part| part == value.as_bytes()))
}

#[test]
fn no_file_contains_a_byte_of_a_deleted_person() {
    let fixture = Fixture::new(3000);
    let served = fixture.serve();
    let before = fixture.list(&served);
    let hits = fixture.hits(Some(&served));
    assert!(hits.iter().any(|path| path.ends_with("a.db")), "{hits:?}");

    let report = fixture.run(&["delete", "candidate", "7", "--account", "acme"]);
    assert!(report.contains("candidates 1, statuses 1"), "{report}");
    assert_eq!(fixture.hits(Some(&served)), [""; 0].map(PathBuf::from));
    let mut lists: [serde_json::Value; 2] =
        [before, fixture.list(&served)].map(|list| serde_json::from_slice(&list).unwrap());
    lists[0]["result"].as_array_mut().unwrap().retain(|one| one["id"] != "7");
    assert_eq!(lists[0], lists[1]);
    assert!(fixture.run(&["check"]).contains("no damage"));
    drop(served);
    assert_eq!(fixture.hits(None), [""; 0].map(PathBuf::from));
}

/// Another program is reading an older state, so the log cannot be emptied.
#[test]
fn an_erasure_that_cannot_be_completed_is_reported_and_completed_later() {
    let fixture = Fixture::new(3000);
    let served = fixture.serve();
    let reader = rusqlite::Connection::open(&fixture.database).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM account").unwrap();
    let arguments = ["delete", "candidate", "7", "--account", "acme", "--timeout", "1"];
    let (code, text) = fixture.refused(&arguments);
    assert_eq!(code, 5, "{text}");
    assert!(text.contains("a.db-wal") && text.contains("delete traces"), "{text}");
    assert!(!fixture.hits(Some(&served)).is_empty());
    let check = fixture.command(&["check"]).output().unwrap();
    assert!(error(&check).contains("delete traces"), "{check:?}");
    drop(reader);
    fixture.run(&["delete", "traces"]);
    assert_eq!(fixture.hits(Some(&served)), [""; 0].map(PathBuf::from));
    assert_eq!(error(&fixture.command(&["check"]).output().unwrap()), "");
    assert!(!contains_person(&fixture.list(&served)));
}

#[test]
fn an_account_is_deleted_after_a_confirmation_only() {
    let fixture = Fixture::new(3000);
    let (code, text) = fixture.refused(&["delete", "account", "acme"]);
    assert_eq!((code, text.contains("--yes")), (2, true), "{text}");
    assert!(!fixture.hits(None).is_empty());
    let report = fixture.run(&["delete", "account", "acme", "--dry-run"]);
    let lines =
        ["would be deleted: ", "would be deleted: tokens 1", "dry run: nothing was deleted"];
    for (line, start) in report.lines().zip(lines) {
        assert!(line.starts_with(start), "{report}");
    }
    let report = fixture.run(&["delete", "account", "acme", "--yes"]);
    assert!(report.contains("candidates 3000") && report.contains("tokens 1"), "{report}");
    assert_eq!(fixture.hits(None), [""; 0].map(PathBuf::from));
    let size = std::fs::metadata(&fixture.database).unwrap().len();
    assert!(size < 200 * 1024, "{size}");
}

/// Kills the command at 50 moments of its run. Everything is deleted or nothing, and the next run completes the
/// erasure.
#[test]
fn a_killed_deletion_deletes_everything_or_nothing() {
    let fixture = Fixture::new(300);
    let whole = std::fs::read(&fixture.database).unwrap();
    let arguments = ["delete", "candidate", "7", "8", "9", "--account", "acme"];
    let started = std::time::Instant::now();
    fixture.run(&arguments);
    let took = started.elapsed();
    let mut outcomes = [0, 0];
    for moment in 0..50 {
        for suffix in ["-wal", "-shm"] {
            drop(std::fs::remove_file(format!("{}{suffix}", fixture.database)));
        }
        std::fs::write(&fixture.database, &whole).unwrap();
        let mut child = fixture.command(&arguments).stdout(Stdio::null()).spawn().unwrap();
        let deadline = std::time::Instant::now() + took * moment / 50;
        while std::time::Instant::now() < deadline && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        drop(child.kill());
        drop(child.wait());
        let store = Store::open_existing(&fixture.database).unwrap();
        let account = store.account("acme").unwrap();
        let left = names(&store, snapshot(&store, account), &CandidateFilter::Vacancy(52), 300);
        let all = names(&store, snapshot(&store, account), &CandidateFilter::All, 300);
        assert_eq!(left.len(), all.len());
        assert!(matches!(left.len(), 300 | 297), "{}", left.len());
        let is_deleted = left.len() == 297;
        outcomes[usize::from(is_deleted)] += 1;
        drop(store);
        let more: &[&str] = if is_deleted { &["--ignore-missing"] } else { &[] };
        fixture.run(&[&arguments[..], more].concat());
        assert_eq!(fixture.hits(None), [""; 0].map(PathBuf::from));
        assert!(fixture.run(&["check"]).contains("no damage"));
    }
    assert!(outcomes.iter().all(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn postgresql_has_no_row_of_a_deleted_person() {
    let Some(database) = cluster::database() else { return };
    let store = open(&database.url);
    let account = fill(&store, "acme");
    delete(&store, account, &Deletion::Candidates(vec![1])).unwrap();
    store.erase_traces(Duration::from_secs(30)).unwrap();
    let mut client = postgres::Client::connect(&database.url, postgres::NoTls).unwrap();
    for sql in [
        "SELECT count(*) FROM candidate WHERE record LIKE '%Ann%'",
        "SELECT count(*) FROM application WHERE candidate_id = 1",
        "SELECT count(*) FROM status WHERE name = 'Only Anna'",
        "SELECT count(*) FROM erasure WHERE pending = 1",
    ] {
        let count: i64 = client.query_one(sql, &[]).unwrap().get(0);
        assert_eq!(count, 0, "{sql}");
    }
    // As the guide says: VACUUM frees the space in the file, and VACUUM FULL writes a new file.
    client.batch_execute("VACUUM FULL candidate, application, status").unwrap();
    client.batch_execute("CHECKPOINT").unwrap();
    let query =
        "SELECT current_setting('data_directory') || '/' || pg_relation_filepath('candidate')";
    let file: String = client.query_one(query, &[]).unwrap().get(0);
    // Unreadable unless the tests started this PostgreSQL.
    if let Ok(bytes) = std::fs::read(file) {
        let occurs = |value: &[u8]| bytes.windows(value.len()).any(|part| part == value);
        assert!(occurs(b"Bert") && !occurs(b"Anna") && !occurs(b"Anne"));
    }
    // A transaction that began before the next deletion may still read its rows.
    client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM account").unwrap();
    delete(&store, account, &Deletion::Candidates(vec![2])).unwrap();
    let pending = store.erase_traces(Duration::from_secs(1)).unwrap_err();
    assert_eq!(pending.kind(), ErrorKind::ErasurePending);
    assert_eq!(store.check().unwrap().pending_erasures, 1);
    client.batch_execute("COMMIT").unwrap();
    store.erase_traces(Duration::from_secs(30)).unwrap();
    assert_eq!(store.check().unwrap(), CheckReport::default());
}
