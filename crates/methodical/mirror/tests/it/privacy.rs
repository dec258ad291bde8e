//! Erasure: a gone or forgotten record leaves no personal value behind.

use std::path::Path;

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Existing, Mirror, Rules, State};

use crate::backup::names;
use crate::place::{Place, contains};
use crate::support::{PHOTO, feed, photos, records, sync};

const SECRET: &str =
    r#"{"id":"1","title":"Zanzibar","size":3,"place":{"id":"7","name":"Zanzibar"},"x":"Zanzibar"}"#;
const OTHER: &str = r#"{"id":"2"}"#;

fn state_of(mirror: &Mirror, id: &str) -> (State, String) {
    let record = records(mirror).into_iter().find(|(one, _, _)| one == id).unwrap();
    (record.1, record.2)
}

#[test]
fn a_record_that_is_gone_leaves_no_personal_value() {
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    assert!(place.contains("Zanzibar"));
    photos(&mut mirror, &[OTHER]);
    assert_eq!(state_of(&mirror, "1").0, State::Missing);
    photos(&mut mirror, &[OTHER]);
    let rest = r#"{"id":"1","place":{"id":"7"},"size":3}"#.to_owned();
    assert_eq!(state_of(&mirror, "1"), (State::Gone, rest));
    assert!(!place.contains("Zanzibar"));
    assert_eq!(feed(&mirror), ["missing 1", "gone 1"]);
}

#[test]
fn a_forgotten_record_does_not_return() {
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    mirror.forget("photo", "1").unwrap();
    mirror.forget("photo", "3").unwrap();
    assert!(!place.contains("Zanzibar"));
    let report = photos(&mut mirror, &[SECRET, OTHER, r#"{"id":"3","title":"Zanzibar"}"#]);
    assert_eq!((report.suppressed, report.unchanged, report.missing), (2, 1, 0));
    assert_eq!(state_of(&mirror, "1").0, State::Forgotten);
    assert!(!place.contains("Zanzibar"));
    assert_eq!(feed(&mirror), ["gone 1"]);
}

#[test]
fn nothing_shows_a_personal_value() {
    let mut mirror = Mirror::in_memory().unwrap();
    let mut run = mirror.begin("photos/list", &PHOTO, Rules::default()).unwrap();
    run.record(SECRET).unwrap();
    run.record(r#"{"id":"Zanzibar","title":["#).unwrap();
    let shown = format!("{run:?}");
    let shown = format!("{shown} {:?}", run.finish().unwrap());
    assert!(!shown.contains("Zanzibar"), "{shown}");
    let record = mirror.record("photo", "1").unwrap();
    assert!(!format!("{record:?}").contains("Zanzibar"));
}

/// A row that is moved between pages leaves no copy of its values.
#[test]
fn a_person_among_thousands_is_erased_from_every_page() {
    let (place, mut mirror) = Place::opened();
    let list = |round: usize| -> Vec<String> {
        let record = |id: usize| {
            // The lengths grow and shrink, so that pages are split and merged.
            let filling = "x".repeat((id * 37 + round * 101) % 700);
            let title = if id % 50 == 7 { "Zanzibar" } else { "Other" };
            format!(
                r#"{{"id":"{id}","title":"{title} {round} {filling}","x":"{title} {filling}"}}"#
            )
        };
        (0..3000)
            .filter(|id| !(id + round).is_multiple_of(13) || id % 50 == 7)
            .map(record)
            .collect()
    };
    for round in 0..8 {
        sync(&mut mirror, &PHOTO, Rules::default(), &list(round)).unwrap();
    }
    assert!(place.contains("Zanzibar"));
    for id in (0..3000).filter(|id| id % 50 == 7) {
        assert!(mirror.forget("photo", &id.to_string()).unwrap().was_known);
    }
    assert!(!place.contains("Zanzibar"));
}

#[test]
fn a_reader_of_an_older_state_keeps_traces_until_it_ends() {
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    let reader = rusqlite::Connection::open(place.file()).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    let count: i64 = reader.query_row("SELECT count(*) FROM photo", (), |row| row.get(0)).unwrap();
    assert_eq!(count, 2);
    let forgotten = mirror.forget("photo", "1").unwrap();
    assert!(forgotten.has_traces && place.contains("Zanzibar"));
    drop(reader);
    drop(mirror);
    let _opened = place.open();
    assert!(!place.contains("Zanzibar"));
}

#[test]
fn what_a_killed_backup_left_is_erased() {
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    let copies = place.folder("copies");
    let copy = copies.join("copy.db");
    mirror.backup(&copy, Existing::Refuse).unwrap();
    assert!(contains(&copies, "Zanzibar"));
    std::fs::rename(&copy, copies.join(".copy.db.0123456789abcdef.partial")).unwrap();
    mirror.forget("photo", "1").unwrap();
    assert!(!contains(&copies, "Zanzibar"));
}

/// The next day's backup has another name.
#[test]
fn what_a_killed_backup_or_restore_left_is_removed_by_the_next_one() {
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    let copies = place.folder("copies");
    let leave = |name: &str| std::fs::write(copies.join(name), "Zanzibar").unwrap();
    let leave_all = || {
        leave(".monday.db.0123456789abcdef.partial");
        leave(".monday.db.0123456789abcdef.partial-wal");
        // Its database was removed before.
        leave(".sunday.db.0123456789abcdee.partial-wal");
    };
    let names = || names(&copies);
    leave_all();
    let tuesday = copies.join("tuesday.db");
    mirror.backup(&tuesday, Existing::Refuse).unwrap();
    assert_eq!(names(), ["tuesday.db"]);
    leave_all();
    let restored = copies.join("restored.db");
    Mirror::restore(&tuesday, &restored, Existing::Refuse).unwrap();
    assert_eq!(names(), ["restored.db", "restored.db.backups", "restored.db.lock", "tuesday.db"]);
    // Another process is writing it.
    leave(".other.0123456789abcdef.partial");
    let lock =
        std::fs::File::create(copies.join(".other.0123456789abcdef.partial-own.lock")).unwrap();
    lock.lock().unwrap();
    mirror.backup(&tuesday, Existing::Replace).unwrap();
    assert_eq!(names().len(), 6);
    let error = mirror.backup(Path::new("/proc/x.db"), Existing::Refuse).unwrap_err();
    let says = "cannot write /proc/x.db: cannot create a file in /proc; choose another folder";
    assert_eq!(error.to_string(), says);
}

#[test]
fn another_spelling_of_a_number_forgets_its_record() {
    const TABLE: Table =
        Table::new("photo", "id", &[Column::integer(&["id"]), Column::text(&["title"]).personal()]);
    let (place, mut mirror) = Place::opened();
    let list = [r#"{"id":5,"title":"Zanzibar"}"#, r#"{"id":6}"#];
    sync(&mut mirror, &TABLE, Rules::default(), &list).unwrap();
    assert!(mirror.forget("photo", "05").unwrap().was_known);
    assert!(mirror.is_forgotten("photo", "5").unwrap() && !place.contains("Zanzibar"));
    assert_eq!(sync(&mut mirror, &TABLE, Rules::default(), &list).unwrap().suppressed, 1);
    assert!(mirror.unforget("photo", "+5").unwrap());
    assert_eq!(sync(&mut mirror, &TABLE, Rules::default(), &list).unwrap().returned, 1);
}

#[test]
fn a_forgotten_record_may_be_allowed_again() {
    let (_place, mut mirror) = Place::opened();
    photos(&mut mirror, &[SECRET, OTHER]);
    assert!(!mirror.unforget("photo", "1").unwrap());
    assert!(mirror.forget("photo", "1").unwrap().was_known);
    assert!(!mirror.forget("photo", "3").unwrap().was_known);
    assert!(mirror.is_forgotten("photo", "1").unwrap());
    assert!(mirror.is_forgotten("photo", "3").unwrap());
    assert!(mirror.unforget("photo", "1").unwrap() && mirror.unforget("photo", "3").unwrap());
    assert_eq!(state_of(&mirror, "1").0, State::Gone);
    photos(&mut mirror, &[SECRET, OTHER, r#"{"id":"3"}"#]);
    assert_eq!(feed(&mirror), ["gone 1", "returned 1", "added 3"]);
    assert_eq!(mirror.check().unwrap().findings, []);
}
