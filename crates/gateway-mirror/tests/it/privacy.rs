//! Erasure: what is gone or forgotten leaves no personal value in the file.

use std::path::Path;

use gateway_mirror::{Mirror, State};

use crate::support::{feed, open, photos, records};

const SECRET: &str =
    r#"{"id":"1","title":"Zanzibar","size":3,"place":{"id":"7","name":"Zanzibar"},"x":"Zanzibar"}"#;
const OTHER: &str = r#"{"id":"2"}"#;

/// Returns whether the files of a mirror contain the personal value.
fn files_contain_it(folder: &Path) -> bool {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut contents = files.map(|path| std::fs::read(path).unwrap());
    contents.any(|bytes| bytes.windows(8).any(|window| window == b"Zanzibar"))
}

fn state_of(mirror: &Mirror, id: &str) -> (State, String) {
    let record = records(mirror).into_iter().find(|(one, _, _)| one == id).unwrap();
    (record.1, record.2)
}

#[test]
fn a_record_that_is_gone_leaves_no_personal_value() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(&folder.path().join("mirror.db"));
    photos(&mut mirror, &[SECRET, OTHER]);
    assert!(files_contain_it(folder.path()));
    photos(&mut mirror, &[OTHER]);
    assert_eq!(state_of(&mirror, "1").0, State::Missing);
    photos(&mut mirror, &[OTHER]);
    let rest = r#"{"id":"1","place":{"id":"7"},"size":3}"#.to_owned();
    assert_eq!(state_of(&mirror, "1"), (State::Gone, rest));
    assert!(!files_contain_it(folder.path()));
    assert_eq!(feed(&mirror), ["missing 1", "gone 1"]);
}

#[test]
fn a_forgotten_record_does_not_return() {
    let folder = tempfile::tempdir().unwrap();
    let mut mirror = open(&folder.path().join("mirror.db"));
    photos(&mut mirror, &[SECRET, OTHER]);
    mirror.forget("photo", "1").unwrap();
    mirror.forget("photo", "3").unwrap();
    assert!(!files_contain_it(folder.path()));
    let report = photos(&mut mirror, &[SECRET, OTHER, r#"{"id":"3","title":"Zanzibar"}"#]);
    assert_eq!((report.suppressed, report.unchanged, report.missing), (2, 1, 0));
    assert_eq!(state_of(&mirror, "1").0, State::Forgotten);
    assert!(!files_contain_it(folder.path()));
    assert_eq!(feed(&mirror), ["gone 1"]);
}

#[test]
fn nothing_shows_a_personal_value() {
    let mut mirror = Mirror::in_memory().unwrap();
    let mut run =
        mirror.begin("photos/list", &crate::support::PHOTO, gateway_mirror::Rules::new()).unwrap();
    run.record(SECRET).unwrap();
    run.record(r#"{"id":"Zanzibar","title":["#).unwrap();
    let shown = format!("{run:?}");
    let shown = format!("{shown} {:?}", run.finish().unwrap());
    assert!(!shown.contains("Zanzibar"), "{shown}");
    mirror
        .each_record("photo", |record| {
            assert!(!format!("{record:?}").contains("Zanzibar"));
        })
        .unwrap();
}
