//! The SQLite file: who may open it, who may write it, what a sync writes, and how it migrates.

use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use gateway_mirror::{Cursor, ErrorKind, Mirror, Rules, Source};
use rusqlite::Connection;

use crate::support::{PHOTO, PHOTO_WITH_STARS, feed, open, photos, records, source, sync};

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

    change("PRAGMA user_version = 2");
    assert_eq!(
        refusal(&path),
        (
            ErrorKind::Newer,
            "cannot open FILE: its schema 2 is newer than schema 1 of this release; use a newer release".to_owned()
        )
    );
    change("PRAGMA application_id = 7");
    let foreign = "cannot open FILE: it is not a mirror; choose another file".to_owned();
    assert_eq!(refusal(&path), (ErrorKind::Foreign, foreign));

    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "x".repeat(5000)).unwrap();
    std::fs::set_permissions(&text, std::fs::metadata(&path).unwrap().permissions()).unwrap();
    assert_eq!(refusal(&text).0, ErrorKind::Foreign);
    assert_eq!(std::fs::read(&text).unwrap(), "x".repeat(5000).as_bytes());
}

#[test]
fn another_account_or_base_url_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    drop(open(&path));
    for (base_url, account) in [
        ("https://gateway.example.com", "you"),
        ("https://gateway.example.org", "me"),
        ("https://gateway.example.com/eu", "me"),
    ] {
        let error = Mirror::open(&path, &Source::new(base_url, account)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherSource);
    }
    drop(Mirror::open(&path, &Source::new("HTTPS://gateway.EXAMPLE.com/", "me")).unwrap());
}

#[test]
fn an_existing_mirror_opens_without_its_source_and_has_the_state_of_its_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    assert_eq!(Mirror::open_existing(&path).unwrap_err().kind(), ErrorKind::Io);
    assert!(!path.exists());

    let clock = || UNIX_EPOCH + Duration::from_secs(1_000_000_000);
    let in_file = open(&path).with_clock(clock);
    for mut mirror in [in_file, Mirror::in_memory().unwrap().with_clock(clock)] {
        photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
        photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]);
        photos(&mut mirror, &[r#"{"id":"1"}"#, r"{}"]);
        let tables = mirror.tables().unwrap();
        let [table] = &*tables else { panic!("{tables:?}") };
        assert_eq!((&*table.table, table.completed_at), ("photo", Some(1_000_000_000)));
        assert_eq!((table.present, table.missing, table.rejected), (2, 1, 1));
    }
    let mirror = Mirror::open_existing(&path).unwrap();
    let (changes, cursor) = mirror.changes(None, 10).unwrap();
    assert_eq!(mirror.cursor_after(&changes[0]), cursor);
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
    assert_eq!(
        refusal(&path),
        (
            ErrorKind::Io,
            "cannot open FILE: other users may read it; run `chmod 600 FILE`".to_owned()
        )
    );
}

#[test]
fn a_second_sync_is_told_who_syncs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let (mut one, mut other) = (open(&path), open(&path));
    let run = one.begin("photos/list", &PHOTO, Rules::new()).unwrap();
    let error = other.begin("photos/list", &PHOTO, Rules::new()).unwrap_err();
    let expected = format!("process {} syncs it; wait for its end", std::process::id());
    assert!(error.kind() == ErrorKind::Busy && error.to_string().ends_with(&expected), "{error}");
    assert_eq!(other.forget("photo", "1").unwrap_err().kind(), ErrorKind::Busy);
    drop(run);
    photos(&mut other, &[r#"{"id":"1"}"#]);
}

/// A process that is being started has the files of its parent open for a moment.
#[test]
fn a_sync_after_another_one_is_not_refused_while_processes_are_started() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(&folder.path().join("mirror.db"));
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
fn an_unchanged_list_writes_no_row() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    let list: Vec<String> = (0..2000).map(|id| format!(r#"{{"id":"{id}","size":{id}}}"#)).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    photos(&mut mirror, &list);
    let database = Connection::open(&path).unwrap();
    database.execute_batch("CREATE TABLE audit (what TEXT)").unwrap();
    for table in ["photo", "mirror_change"] {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            let trigger = format!(
                "CREATE TRIGGER {table}_{event} AFTER {event} ON {table} \
                 BEGIN INSERT INTO audit VALUES ('{event} {table}'); END"
            );
            database.execute_batch(&trigger).unwrap();
        }
    }
    let written = || -> i64 {
        database.query_row("SELECT count(*) FROM audit", (), |row| row.get(0)).unwrap()
    };
    let mut reversed = list.clone();
    reversed.reverse();
    for list in [&list, &reversed] {
        assert_eq!(photos(&mut mirror, list).unchanged, 2000);
        assert_eq!(written(), 0);
    }
    let changed = [&list[1..], &[r#"{"id":"0","size":7}"#]].concat();
    assert_eq!(photos(&mut mirror, &changed).changed, 1);
    assert_eq!(written(), 2);
}

#[test]
fn a_new_field_becomes_a_column_without_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let list = [r#"{"id":"1","stars":5}"#, r#"{"id":"2"}"#];
    let mut mirror = open(&path);
    photos(&mut mirror, &list);
    drop(mirror);

    let mut mirror = open(&path);
    let report = sync(&mut mirror, &PHOTO_WITH_STARS, Rules::new(), &list).unwrap();
    assert_eq!((report.unchanged, report.changed), (2, 0));
    let database = Connection::open(&path).unwrap();
    let stars: i64 = database
        .query_row("SELECT stars FROM photo WHERE id = '1' AND mirror_extra IS NULL", (), |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(stars, 5);
    let changed = [r#"{"id":"1","stars":4}"#, r#"{"id":"2","stars":null}"#];
    sync(&mut mirror, &PHOTO_WITH_STARS, Rules::new(), &changed).unwrap();
    assert_eq!(feed(&mirror), ["changed 1 stars", "changed 2 stars"]);
}

#[test]
fn a_column_of_another_kind_is_refused() {
    use gateway_mirror::model::{Column, Table};

    const OTHER: Table =
        Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["size"])]);
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(&folder.path().join("mirror.db"));
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let error = mirror.begin("photos/list", &OTHER, Rules::new()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot use the column `size` of `photo`: it has INTEGER values, and the description expects TEXT; create \
         another mirror"
    );
    let error = mirror.begin("photos/new", &PHOTO, Rules::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Table);
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
}

#[test]
fn a_cursor_of_another_mirror_or_of_removed_changes_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    photos(&mut mirror, &[]);
    let start = mirror.cursor().unwrap();
    photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]);
    let (changes, middle) = mirror.changes(Some(&start), 1).unwrap();
    assert_eq!(changes.len(), 1);
    let copy = folder.path().join("copy.db");
    let copying = Connection::open(&path).unwrap();
    copying.execute("VACUUM INTO ?1", (copy.to_str().unwrap(),)).unwrap();
    photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
    let end = mirror.cursor().unwrap();
    mirror.prune(&middle).unwrap();

    let says = |mirror: &Mirror, cursor: &Cursor| match mirror.changes(Some(cursor), 9) {
        Ok((changes, _)) => format!("{} changes", changes.len()),
        Err(error) => error.to_string(),
    };
    assert!(
        says(&mirror, &start)
            .contains("the changes after the cursor were removed; take a new snapshot")
    );
    assert_eq!(says(&mirror, &middle), "2 changes");
    assert_eq!(says(&mirror, &end), "0 changes");
    let other = open(&folder.path().join("other.db"));
    assert!(
        says(&other, &middle).contains("the cursor belongs to another mirror; take a new snapshot")
    );
    // A copy from before the last sync.
    std::fs::set_permissions(&copy, std::fs::metadata(&path).unwrap().permissions()).unwrap();
    assert!(
        says(&open(&copy), &end)
            .contains("the mirror is older than the cursor; take a new snapshot")
    );
}

#[test]
fn the_brake_commits_nothing_until_its_number_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(&folder.path().join("mirror.db"));
    let list: Vec<String> = (0..600).map(|id| format!(r#"{{"id":"{id:03}"}}"#)).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    photos(&mut mirror, &list);
    let before = records(&mirror);

    let short = [&list[..500], &[r#"{"id":"new"}"#]].concat();
    let error = sync(&mut mirror, &PHOTO, Rules::new(), &short).unwrap_err();
    assert_eq!((error.kind(), error.missing()), (ErrorKind::Brake, Some(100)));
    assert_eq!(
        error.to_string(),
        "cannot commit the list: 100 of 600 records are missing from it; check the service, then accept exactly this number"
    );
    let wrong = sync(&mut mirror, &PHOTO, Rules::new().accept_missing(99), &short).unwrap_err();
    assert_eq!(wrong.missing(), Some(100));
    let empty = sync(&mut mirror, &PHOTO, Rules::new(), &[]).unwrap_err();
    assert_eq!(empty.missing(), Some(600));
    assert_eq!(records(&mirror), before);
    assert_eq!(feed(&mirror), [""; 0]);

    let report = sync(&mut mirror, &PHOTO, Rules::new().accept_missing(100), &short).unwrap();
    assert_eq!((report.added, report.missing, report.gone), (1, 100, 0));
    let report = photos(&mut mirror, &short);
    assert_eq!((report.missing, report.gone), (0, 100));
}

#[test]
fn other_tools_read_plain_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    let mut mirror = open(&path);
    photos(
        &mut mirror,
        &[r#"{"id":"007","title":"=1+1 😀 \u0000","place":{"name":"+31 6"},"size":7}"#],
    );
    let database = Connection::open(&path).unwrap();
    let row: (String, String, i64, String) = database
        .query_row("SELECT id, title, size, place_name FROM photo", (), |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .unwrap();
    assert_eq!(row, ("007".to_owned(), "=1+1 😀 \0".to_owned(), 7, "+31 6".to_owned()));
}
