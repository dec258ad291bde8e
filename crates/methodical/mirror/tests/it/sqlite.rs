//! Behavior specific to SQLite: the file and its permissions, and copies of it.

use std::path::Path;

use methodical_mirror::{ErrorKind, Mirror, Purge};
use rusqlite::Connection;

use crate::place::Place;
use crate::support::{open, photos, source};

fn refusal(path: &Path) -> (ErrorKind, String) {
    let error = Mirror::open(path, &source()).unwrap_err();
    (error.kind(), error.to_string().replace(&path.display().to_string(), "FILE"))
}

#[test]
fn a_foreign_or_newer_file_is_refused_and_stays_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    drop(open(&path));
    let change = |sql: &str| Connection::open(&path).unwrap().execute_batch(sql).unwrap();

    change("PRAGMA user_version = 7");
    let newer = "its schema 7 is newer than schema 6 of this release; use a newer release";
    assert_eq!(refusal(&path), (ErrorKind::Newer, format!("cannot open FILE: {newer}")));
    change("PRAGMA application_id = 7");
    let foreign = "cannot open FILE: it is not a mirror; use another file".to_owned();
    assert_eq!(refusal(&path), (ErrorKind::Foreign, foreign));

    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "x".repeat(5000)).unwrap();
    std::fs::set_permissions(&text, std::fs::metadata(&path).unwrap().permissions()).unwrap();
    assert_eq!(refusal(&text).0, ErrorKind::Foreign);
    assert_eq!(std::fs::read(&text).unwrap(), "x".repeat(5000).as_bytes());
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_the_files() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("mirror.db");
    let mut mirror = open(&path);
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    for entry in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = entry.unwrap().path();
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    drop(mirror);
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let shared = "other users can read it; if it is a mirror, run `chmod 600 FILE`";
    assert_eq!(refusal(&path), (ErrorKind::Io, format!("cannot open FILE: {shared}")));
}

/// A starting process briefly has the files of its parent open.
#[test]
fn a_sync_after_another_one_is_not_refused_while_processes_are_started() {
    let (_place, mut mirror) = Place::opened();
    let (stop, stopped) = std::sync::mpsc::sync_channel::<()>(0);
    let starting = std::thread::spawn(move || {
        let program = std::env::current_exe().unwrap();
        while let Err(std::sync::mpsc::TryRecvError::Empty) = stopped.try_recv() {
            let mut child = std::process::Command::new(&program);
            child.arg("--list").stdout(std::process::Stdio::null()).status().unwrap();
        }
    });
    for _ in 0..200 {
        photos(&mut mirror, &[r#"{"id":"1"}"#]);
    }
    drop(stop);
    starting.join().unwrap();
}

#[test]
fn a_cursor_of_another_mirror_or_of_removed_changes_is_refused() {
    let (place, mut mirror) = Place::opened();
    let list = [r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    photos(&mut mirror, &[""; 0]);
    let start = mirror.cursor().unwrap();
    photos(&mut mirror, &list[..2]);
    let middle = mirror.changes(Some(&start), 1).unwrap().1;
    // A copy from before the last sync.
    let copy = place.folder("copies").join("mirror.db");
    place.execute(&format!("VACUUM INTO '{}'", copy.display()));
    std::fs::set_permissions(&copy, place.file().metadata().unwrap().permissions()).unwrap();
    photos(&mut mirror, &list);
    let end = mirror.cursor().unwrap();
    mirror.purge(&Purge { until: Some(middle.clone()), ..Purge::default() }).unwrap();
    let (copy, (_other_place, other)) = (open(&copy), Place::opened());
    for (mirror, cursor, says) in [
        (&mirror, &start, "the changes after the cursor were removed; take a new snapshot"),
        (&mirror, &middle, "2 changes"),
        (&mirror, &end, "0 changes"),
        (&other, &middle, "or to this one before it was restored; take a new snapshot"),
        (&copy, &end, "the mirror is older than the cursor; take a new snapshot"),
    ] {
        let changes = mirror.changes(Some(cursor), 9);
        let said = changes.map(|(changes, _)| format!("{} changes", changes.len()));
        let said = said.unwrap_or_else(|error| error.to_string());
        assert!(said.ends_with(says), "{said}");
    }
}

#[test]
fn other_tools_read_plain_values() {
    let place = Place::new();
    let record = r#"{"id":"007","title":"=1+1 😀 \u0000","place":{"name":"+31 6"},"size":7}"#;
    photos(&mut place.open(), &[record]);
    let row = place.row("SELECT id, title, size, typeof(size), place_name FROM photo");
    assert_eq!(row, ["007", "=1+1 😀 \0", "7", "integer", "+31 6"]);
}
