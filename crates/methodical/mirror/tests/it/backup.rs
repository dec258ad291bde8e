//! Backups of a mirror in use, and mirrors restored from them.

use std::path::{Path, PathBuf};

use methodical_mirror::{Error, ErrorKind, Existing, Mirror, Rules, Source, State};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::support::{PHOTO, feed, ids, open, photos, records};

const ONE: &str = r#"{"id":"1","title":"Zanzibar"}"#;
const TWO: &str = r#"{"id":"2","title":"Zanzibar"}"#;
const THREE: &str = r#"{"id":"3"}"#;

fn paths() -> (TempDir, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let (mirror, copy) = (folder.path().join("mirror.db"), folder.path().join("copy.db"));
    (folder, mirror, copy)
}

/// Returns a folder with a mirror of these records, and a backup of it.
fn backed_up(list: &[&str]) -> (TempDir, PathBuf, PathBuf, Mirror) {
    let (folder, path, copy) = paths();
    let mut mirror = open(&path);
    photos(&mut mirror, list);
    mirror.backup(&copy, Existing::Refuse).unwrap();
    (folder, path, copy, mirror)
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_backup_during_a_sync_has_the_last_committed_state() {
    let (folder, path, copy) = paths();
    let mut syncing = open(&path);
    photos(&mut syncing, &[ONE]);
    let mirror = open(&path);
    let mut run = syncing.begin("photos/list", &PHOTO, Rules::default()).unwrap();
    // More than one batch, so that some records are already written.
    for id in 0..2000 {
        run.record(&format!(r#"{{"id":"new {id}"}}"#)).unwrap();
    }
    mirror.backup(&copy, Existing::Refuse).unwrap();
    run.record(ONE).unwrap();
    run.finish().unwrap();
    drop((mirror, syncing));

    let files = ["copy.db", "mirror.db", "mirror.db.backups", "mirror.db.lock"];
    assert_eq!(names(folder.path()), files);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for name in ["copy.db", "mirror.db.backups"] {
            let file = std::fs::metadata(folder.path().join(name)).unwrap();
            assert_eq!(file.permissions().mode() & 0o777, 0o600);
        }
    }
    assert_eq!(ids(&open(&copy), "photo"), ["1"]);
}

#[test]
fn an_existing_file_is_replaced_only_on_request() {
    let (folder, path, copy) = paths();
    let mut mirror = open(&path);
    photos(&mut mirror, &[ONE]);
    std::fs::write(&copy, "mine").unwrap();
    let error = mirror.backup(&copy, Existing::Refuse).unwrap_err();
    let expected = format!(
        "cannot write {}: it already exists; choose another file, or allow replacing it",
        copy.display()
    );
    assert_eq!((error.kind(), error.to_string()), (ErrorKind::Io, expected));
    assert_eq!(std::fs::read(&copy).unwrap(), b"mine");
    assert_eq!(mirror.forget("photo", "never seen").unwrap().backups, []);
    mirror.backup(&copy, Existing::Replace).unwrap();
    let error = mirror.backup(&path, Existing::Replace).unwrap_err();
    assert!(error.to_string().ends_with("it is the mirror itself; choose another file"), "{error}");
    let missing = folder.path().join("no folder").join("copy.db");
    assert_eq!(mirror.backup(&missing, Existing::Refuse).unwrap_err().kind(), ErrorKind::Io);
    let other = Mirror::in_memory().unwrap();
    let error = other.backup(&copy, Existing::Replace).unwrap_err();
    let expected = "cannot back up the mirror: it is in memory; use a file";
    assert_eq!((error.kind(), &*error.to_string()), (ErrorKind::Store, expected));
}

#[test]
fn a_restore_ignores_forgotten_identities_of_other_tables() {
    let (_folder, path, copy, mut mirror) = backed_up(&[ONE]);
    for table in ["later", "mirror_change", "photo_present"] {
        mirror.forget(table, "1").unwrap();
    }
    drop(mirror);
    Mirror::restore(&copy, &path, Existing::Replace).unwrap();
    let mirror = open(&path);
    assert!(mirror.is_forgotten("later", "1").unwrap());
    assert_eq!(ids(&mirror, "photo"), ["1"]);
}

#[test]
fn a_restored_mirror_and_an_opened_backup_refuse_all_former_cursors() {
    let (folder, path, copy) = paths();
    let mut mirror = open(&path);
    photos(&mut mirror, &[""; 0]);
    let old = mirror.cursor().unwrap();
    photos(&mut mirror, &[ONE]);
    let at_backup = mirror.cursor().unwrap();
    mirror.backup(&copy, Existing::Refuse).unwrap();
    photos(&mut mirror, &[ONE, TWO]);
    let lost = mirror.cursor().unwrap();
    let ids_of_events = |mirror: &Mirror| -> Vec<String> {
        mirror.events(None, 9).unwrap().0.into_iter().map(|event| event.id).collect()
    };
    let former = ids_of_events(&mirror);
    drop(mirror);

    let moved = folder.path().join("moved.db");
    std::fs::copy(&copy, &moved).unwrap();
    Mirror::restore(&copy, &path, Existing::Replace).unwrap();
    for path in [path, moved] {
        let mut mirror = open(&path);
        assert_eq!(ids(&mirror, "photo"), ["1"]);
        photos(&mut mirror, &[ONE, THREE]);
        // The last change reuses the number of an earlier one.
        assert_eq!(feed(&mirror), ["added 1", "added 3"]);
        for cursor in [&old, &at_backup, &lost] {
            let error = mirror.changes(Some(cursor), 9).unwrap_err();
            assert!(error.to_string().contains("the cursor belongs to another mirror"), "{error}");
        }
        let events = ids_of_events(&mirror);
        assert_eq!(events[0], former[0]);
        assert_ne!(events[1], former[1]);
        // The restored mirror keeps its new identity.
        let cursor = mirror.cursor().unwrap();
        drop(mirror);
        assert!(open(&path).changes(Some(&cursor), 9).unwrap().0.is_empty());
    }
}

#[test]
fn a_restored_mirror_forgets_what_the_replaced_one_had_forgotten() {
    let (_folder, path, copy, mut mirror) = backed_up(&[ONE, TWO]);
    mirror.forget("photo", "2").unwrap();
    mirror.forget("photo", "3").unwrap();
    mirror.forget("album", "2").unwrap();
    drop(mirror);
    Mirror::restore(&copy, &path, Existing::Replace).unwrap();
    let mut mirror = open(&path);
    assert!(mirror.is_forgotten("album", "2").unwrap());
    assert_eq!(photos(&mut mirror, &[ONE, TWO, THREE]).suppressed, 2);
    let states: Vec<State> = records(&mirror).into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(states, [State::Present, State::Forgotten]);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn a_record_that_was_gone_before_the_backup_is_forgotten_again() {
    let (_folder, path, copy, mut mirror) = backed_up(&[ONE, TWO]);
    for _ in 0..2 {
        photos(&mut mirror, &[ONE]);
    }
    mirror.backup(&copy, Existing::Replace).unwrap();
    mirror.forget("photo", "2").unwrap();
    drop(mirror);
    Mirror::restore(&copy, &path, Existing::Replace).unwrap();
    let mut mirror = open(&path);
    assert_eq!(records(&mirror)[1].1, State::Forgotten);
    assert_eq!(photos(&mut mirror, &[ONE, TWO]).suppressed, 1);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn a_refused_restore_changes_nothing() {
    let (folder, path, copy, mut mirror) = backed_up(&[ONE, TWO]);
    photos(&mut mirror, &[ONE, TWO, THREE]);

    let busy = Mirror::restore(&copy, &path, Existing::Replace).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::Busy);
    let expected = format!(
        "cannot replace {}: another program is using it; stop all programs that use it",
        path.display()
    );
    assert_eq!(busy.to_string(), expected);
    drop(mirror);
    let before = std::fs::read(&path).unwrap();
    let refused = |from: &Path, to: &Path| -> Error {
        let error = Mirror::restore(from, to, Existing::Replace).unwrap_err();
        assert_eq!(std::fs::read(&path).unwrap(), before, "{error}");
        error
    };

    let exists = Mirror::restore(&copy, &path, Existing::Refuse).unwrap_err();
    assert_eq!(exists.kind(), ErrorKind::Io);
    let bytes = std::fs::read(&copy).unwrap();
    let damaged = folder.path().join("damaged.db");
    let mut flipped = bytes.clone();
    flipped[18] ^= 0xff;
    for bytes in [&bytes[..bytes.len() / 2], &flipped, b"", b"notes"] {
        std::fs::write(&damaged, bytes).unwrap();
        let error = refused(&damaged, &path);
        assert_eq!(error.kind(), ErrorKind::Foreign, "{error}");
    }
    std::fs::write(&damaged, &bytes).unwrap();
    Connection::open(&damaged).unwrap().execute("UPDATE photo SET size = 9", ()).unwrap();
    let error = refused(&damaged, &path).to_string();
    let expected = "it is damaged: the row is not as the mirror wrote it: another program or a disk error changed it; choose another backup";
    assert!(error.ends_with(expected), "{error}");

    let other = folder.path().join("other.db");
    drop(Mirror::open(&other, &Source::new("https://gateway.example.com", "you")).unwrap());
    assert_eq!(refused(&copy, &other).kind(), ErrorKind::OtherSource);
    let orphaned = folder.path().join("orphaned.db");
    std::fs::write(folder.path().join("orphaned.db-wal"), "log").unwrap();
    assert!(refused(&copy, &orphaned).to_string().ends_with("in the way; move it away"));
    std::fs::write(folder.path().join("copy.db-wal"), "log").unwrap();
    assert!(refused(&copy, &path).to_string().ends_with("make a backup of it"));
    let partial = |name: &String| name.contains("partial");
    assert!(!names(folder.path()).iter().any(partial), "{:?}", names(folder.path()));
}

/// Its forgotten identities cannot be read, so the restored mirror would bring them back.
#[test]
fn a_damaged_mirror_is_not_replaced() {
    let (folder, path, copy, mut mirror) = backed_up(&[ONE, TWO]);
    mirror.forget("photo", "2").unwrap();
    drop(mirror);
    let bytes = std::fs::read(&path).unwrap();
    for damaged in [&bytes[..bytes.len() / 2], b"notes"] {
        std::fs::write(&path, damaged).unwrap();
        let error = Mirror::restore(&copy, &path, Existing::Replace).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign, "{error}");
        let text = error.to_string();
        assert!(text.starts_with(&format!("cannot replace {}: ", path.display())), "{text}");
        let next = "restore again, and forget again the records that it had forgotten";
        assert!(text.ends_with(next), "{text}");
        assert_eq!(std::fs::read(&path).unwrap(), damaged);
        assert!(!names(folder.path()).iter().any(|name| name.contains("partial")));
    }
    std::fs::remove_file(&path).unwrap();
    Mirror::restore(&copy, &path, Existing::Refuse).unwrap();
    assert_eq!(ids(&open(&path), "photo"), ["1", "2"]);
}

#[test]
fn a_mirror_remembers_its_backups() {
    let (folder, path, copy) = paths();
    let mut mirror = open(&path);
    photos(&mut mirror, &[ONE, TWO]);
    let other = folder.path().join("other copy.db");
    mirror.backup(&copy, Existing::Refuse).unwrap();
    mirror.backup(&other, Existing::Refuse).unwrap();
    mirror.backup(&other, Existing::Replace).unwrap();
    let paths = |mirror: &mut Mirror, id| -> Vec<PathBuf> {
        mirror.forget("photo", id).unwrap().backups.into_iter().map(|one| one.path).collect()
    };
    assert_eq!(paths(&mut mirror, "1"), [copy.clone(), other.clone()]);
    drop(mirror);
    assert_eq!(paths(&mut open(&path), "2"), [copy, other]);
}

#[test]
fn a_mirror_restored_from_a_moved_backup_also_lists_its_new_path() {
    let (folder, path, copy, mirror) = backed_up(&[ONE]);
    drop(mirror);
    let moved = folder.path().join("moved.db");
    std::fs::rename(&copy, &moved).unwrap();
    Mirror::restore(&moved, &path, Existing::Replace).unwrap();
    let backups = open(&path).forget("photo", "1").unwrap().backups;
    assert_eq!(backups.into_iter().map(|one| one.path).collect::<Vec<_>>(), [copy, moved]);
}

#[test]
fn an_unreadable_list_of_backups_prevents_an_erasure() {
    let (_folder, path, _copy, mut mirror) = backed_up(&[ONE]);
    let list = path.with_extension("db.backups");
    std::fs::remove_file(&list).unwrap();
    std::fs::create_dir(&list).unwrap();
    assert_eq!(mirror.forget("photo", "1").unwrap_err().kind(), ErrorKind::Io);
    assert_eq!(ids(&mirror, "photo"), ["1"]);
}

#[test]
fn a_restored_mirror_remembers_the_copies_of_the_replaced_one() {
    let (_folder, path, copy, mut mirror) = backed_up(&[ONE, TWO]);
    mirror.copy("the archive", |_| Ok::<_, Error>(())).unwrap();
    drop(mirror);
    Mirror::restore(&copy, &path, Existing::Replace).unwrap();
    assert_eq!(open(&path).forget("photo", "2").unwrap().copies, ["the archive"]);
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf8_is_refused_before_it_is_listed() {
    use std::os::unix::ffi::OsStrExt;

    let (folder, path, copy) = paths();
    let mirror = open(&path);
    mirror.backup(&copy, Existing::Refuse).unwrap();
    let list = path.with_extension("db.backups");
    let before = std::fs::read(&list).unwrap();
    let other = folder.path().join(std::ffi::OsStr::from_bytes(b"copy\xff.db"));
    let backup = mirror.backup(&other, Existing::Refuse).unwrap_err();
    drop(mirror);
    let restore = Mirror::restore(&other, &path, Existing::Replace).unwrap_err();
    for error in [backup, restore] {
        assert_eq!(error.kind(), ErrorKind::Io);
        let says = "its path is not UTF-8; choose another path";
        assert!(error.to_string().ends_with(says), "{error}");
    }
    assert_eq!(std::fs::read(&list).unwrap(), before);
    assert_eq!(names(folder.path()), ["copy.db", "mirror.db", "mirror.db.backups"]);
}
