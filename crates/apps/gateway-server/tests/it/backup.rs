//! Backups of a database in use, and restored databases, with real processes.

use std::fmt::Write as _;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::cluster;
use crate::process::{Served, account, acme, error, execute, output, program, program_by, run};
use crate::support::get;

/// A directory with a database, and an account with its token.
struct Fixture {
    directory: TempDir,
    database: String,
    token: String,
}

impl Fixture {
    fn new() -> Self {
        let (directory, database, token) = acme();
        Self { directory, database, token }
    }

    fn path(&self, name: &str) -> String {
        self.directory.path().join(name).to_str().unwrap().to_owned()
    }

    fn fill(&self, candidates: &str) {
        run(&self.database, &["demo-data", "--account", "acme", "--candidates", candidates]);
    }

    /// Returns the list of candidates of any database with this account.
    fn list(&self, database: &str) -> Vec<u8> {
        let served = Served::start(database, &[]);
        let response = get(&served.base_url, &self.token, "method=candidates/list");
        assert_eq!(response.status, 200);
        response.body
    }

    /// Returns the names of temporary files that were left behind.
    fn leftovers(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.directory.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with('.')).collect()
    }
}

/// Runs a command that fails, and returns its exit code and message.
#[track_caller]
fn refused(database: &str, arguments: &[&str]) -> (i32, String) {
    let output = output(database, arguments);
    assert!(!output.status.success(), "{arguments:?} succeeded");
    (output.status.code().unwrap(), error(&output))
}

fn candidates(list: &[u8]) -> usize {
    let json: serde_json::Value = serde_json::from_slice(list).unwrap();
    json["result"].as_array().unwrap().len()
}

/// The input of the import is a pipe, so that the first backup is made while the import waits for more input.
#[test]
fn a_backup_during_an_import_is_complete_and_the_import_goes_on() {
    const COUNT: usize = 20_000;
    let fixture = Fixture::new();
    let served = Served::start(&fixture.database, &[]);
    let pipe = fixture.path("in.ndjson");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut import = program()
        .args(["import", "--account", "acme", &pipe, "--database", &fixture.database])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = String::new();
    for id in 0..COUNT {
        writeln!(lines, "{{\"id\":\"{id}\",\"name\":\"someone\"}}").unwrap();
    }
    let (first, second) = lines.split_at(lines.len() / 2);
    let mut input = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    input.write_all(first.as_bytes()).unwrap();
    let mut backups = vec![fixture.path("0.bak")];
    run(&fixture.database, &["backup", &backups[0]]);
    assert!(import.try_wait().unwrap().is_none());
    input.write_all(second.as_bytes()).unwrap();
    drop(input);
    // Creates as many backups as possible while the import merges and commits.
    while import.try_wait().unwrap().is_none() {
        backups.push(fixture.path(&format!("{}.bak", backups.len())));
        run(&fixture.database, &["backup", backups.last().unwrap()]);
    }
    assert!(import.wait().unwrap().success());
    backups.push(fixture.path("last.bak"));
    run(&fixture.database, &["backup", backups.last().unwrap()]);
    let counts: Vec<_> = backups
        .iter()
        .map(|backup| {
            assert!(run(backup, &["check"]).contains("no damage"), "{backup}");
            candidates(&fixture.list(backup))
        })
        .collect();
    println!("candidates in the backups: {counts:?}");
    assert!(counts.iter().all(|count| [0, COUNT].contains(count)) && counts.is_sorted());
    assert_eq!((counts[0], *counts.last().unwrap()), (0, COUNT));
    assert_eq!(fixture.leftovers(), [""; 0].map(PathBuf::from));
    drop(served);
}

#[test]
fn a_restored_database_serves_the_same_bytes() {
    let fixture = Fixture::new();
    fixture.fill("2000");
    let backup = fixture.path("a.bak");
    run(&fixture.database, &["backup", &backup]);
    assert_eq!(std::fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    let copy = fixture.path("b.db");
    run(&copy, &["restore", &backup]);
    assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fixture.list(&copy), fixture.list(&fixture.database));
    // The restored database can be written while it is read, because it still has a log.
    let served = Served::start(&copy, &[]);
    run(&copy, &["credits", "set", "--account", "acme", "7", "EUR"]);
    assert!(Path::new(&format!("{copy}-wal")).exists());
    assert!(get(&served.base_url, &fixture.token, "method=credits/get").text().contains("\"7\""));
}

#[test]
fn nothing_that_exists_is_overwritten() {
    let fixture = Fixture::new();
    let backup = fixture.path("a.bak");
    run(&fixture.database, &["backup", &backup]);
    let before = std::fs::read(&backup).unwrap();
    fixture.fill("2000");
    let (code, text) = refused(&fixture.database, &["backup", &backup]);
    assert_eq!((code, text.contains("already exists")), (2, true), "{text}");
    assert_eq!(std::fs::read(&backup).unwrap(), before);
    let (code, text) = refused(&fixture.database, &["restore", &backup]);
    assert_eq!((code, text.contains("move this one and its log away")), (2, true), "{text}");
    assert_eq!(candidates(&fixture.list(&fixture.database)), 2000);
    assert_eq!(fixture.leftovers(), [""; 0].map(PathBuf::from));
}

#[test]
fn a_file_that_is_not_a_whole_backup_is_not_restored() {
    let fixture = Fixture::new();
    fixture.fill("2000");
    let backup = fixture.path("a.bak");
    run(&fixture.database, &["backup", &backup]);
    let good = std::fs::read(&backup).unwrap();
    let mut flipped = good.clone();
    let middle = good.windows(5).rposition(|window| window == b"\"name").unwrap();
    flipped[middle + 2] ^= 1;
    let altered = fixture.path("altered");
    std::fs::write(&altered, &good).unwrap();
    execute(&altered, "ALTER TABLE token RENAME account_id TO x");
    let altered = std::fs::read(&altered).unwrap();
    let target = fixture.path("b.db");
    for (name, bytes, code, expected) in [
        ("empty", &[][..], 3, "is empty"),
        ("text", b"no database, but long enough for a header", 3, "not a SQLite database"),
        ("cut", &good[..good.len() / 4096 / 2 * 4096], 3, "damaged"),
        ("flipped", &flipped, 3, "is damaged: candidates that are not stored"),
        ("altered", &altered, 3, "is damaged: the table token is missing, lacks a column"),
    ] {
        let path = fixture.path(name);
        std::fs::write(&path, bytes).unwrap();
        let (found, text) = refused(&target, &["restore", &path]);
        assert_eq!((found, text.contains(expected)), (code, true), "{name}: {text}");
        assert!(!Path::new(&target).exists());
    }
    let (code, text) = refused(&target, &["restore", &fixture.path("missing")]);
    assert_eq!((code, text.contains("cannot read")), (2, true), "{text}");
    // A copy with its log is not a backup.
    let served = Served::start(&fixture.database, &[]);
    run(&fixture.database, &["credits", "set", "--account", "acme", "7", "EUR"]);
    let (code, text) = refused(&target, &["restore", &fixture.database]);
    assert_eq!((code, text.contains("gateway-server backup")), (3, true), "{text}");
    assert_eq!(fixture.leftovers(), [""; 0].map(PathBuf::from));
    drop(served);
}

/// The input of the restore is a pipe, so that it is killed after it has written a part of the copy.
#[test]
fn the_next_run_removes_what_a_killed_one_left() {
    let fixture = Fixture::new();
    fixture.fill("2000");
    let backup = fixture.path("a.bak");
    run(&fixture.database, &["backup", &backup]);
    let restored = fixture.path("b.db");
    for (round, next) in [&["backup", "1.bak"][..], &["restore", &backup]].iter().enumerate() {
        let pipe = fixture.path(&format!("{round}.pipe"));
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let mut killed =
            program().args(["restore", &pipe, "--database", &restored]).spawn().unwrap();
        let mut input = std::fs::OpenOptions::new().write(true).open(&pipe).unwrap();
        // More than a pipe holds, so that the copy contains a part of it when this returns.
        input.write_all(&vec![1; 1 << 20]).unwrap();
        let own = fixture.leftovers();
        assert_eq!(own.len(), 1, "{own:?}");
        // A concurrent run does not touch files that another process is writing.
        run(&fixture.database, &["backup", &fixture.path(&format!("meanwhile-{round}.bak"))]);
        assert_eq!(fixture.leftovers(), own);
        killed.kill().unwrap();
        killed.wait().unwrap();
        assert_eq!(fixture.leftovers(), own);
        let next: Vec<_> =
            next.iter().map(|word| word.replace("1.bak", &fixture.path("1.bak"))).collect();
        let database = if round == 0 { &fixture.database } else { &restored };
        run(database, &next.iter().map(|word| &**word).collect::<Vec<_>>());
        assert_eq!(fixture.leftovers(), [""; 0].map(PathBuf::from));
    }
}

/// Returns the program, as a user without rights if this process runs as root, because root may write every file.
fn unprivileged() -> Command {
    if !cluster::is_root() {
        return program();
    }
    program_by("setpriv", &["--reuid", "65534", "--regid", "65534", "--clear-groups"])
}

#[test]
fn a_read_only_file_is_checked_and_copied_but_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    // A name with characters that are special in a URI.
    let file = folder.path().join("a?b#c%41.db");
    let database = file.to_str().unwrap().to_owned();
    account(&database, "acme");
    run(&database, &["demo-data", "--account", "acme"]);
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&file, 0o444);
    set_mode(folder.path(), 0o555);
    let bytes = std::fs::read(&file).unwrap();
    let target = tempfile::tempdir().unwrap();
    set_mode(target.path(), 0o777);
    let copy = target.path().join("a.bak");
    let copy = copy.to_str().unwrap();
    for command in [&["check"][..], &["backup", copy]] {
        let output = unprivileged().args(command).args(["--database", &database]).output().unwrap();
        assert!(output.status.success(), "{command:?}: {}", error(&output));
        let warning = format!("warning: other users can read {database}; set its mode to 0600");
        assert!(error(&output).starts_with(&warning), "{command:?}: {}", error(&output));
    }
    let import = ["credits", "set", "--account", "acme", "1", "EUR", "--database", &database];
    let output = unprivileged().args(import).output().unwrap();
    assert!(!output.status.success() && error(&output).contains("read-only"), "{output:?}");
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    set_mode(folder.path(), 0o755);
    assert!(run(copy, &["check"]).contains("no damage"));
}
