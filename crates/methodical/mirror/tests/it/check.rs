//! Checks of a mirror: each kind of damage is found, and names its record.

use std::path::Path;

use methodical_mirror::{Check, FindingKind, Mirror, Purge, StartAt};
use rusqlite::Connection;

use crate::place::Place;
use crate::support::{open, photos};

const ONE: &str = r#"{"id":"1","title":"Zanzibar","size":3,"x":[1]}"#;
const TWO: &str = r#"{"id":"2","title":"Zanzibar","place":{"id":"7","name":null}}"#;
const THREE: &str = r#"{"id":"3","title":"Zanzibar"}"#;

/// Creates a mirror with a present, a missing, a gone and two forgotten records.
fn create(path: &Path) -> Mirror {
    fill(open(path))
}

fn fill(mut mirror: Mirror) -> Mirror {
    photos(&mut mirror, &[ONE, TWO, THREE, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, TWO, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, r#"{"id":"4"}"#]);
    mirror.forget("photo", "4").unwrap();
    mirror.forget("photo", "never seen").unwrap();
    mirror
}

fn shown(check: &Check) -> Vec<String> {
    check.findings.iter().map(ToString::to_string).collect()
}

/// Checks a mirror that was changed by this statement.
fn check_after(sql: &str) -> Check {
    let place = Place::new();
    let mut mirror = fill(place.open());
    mirror.add_consumer("backup", &StartAt::End).unwrap();
    place.execute(sql);
    mirror.check().unwrap()
}

#[test]
fn a_sound_mirror_has_no_findings() {
    let place = Place::new();
    let mut mirror = fill(place.open());
    let check = mirror.check().unwrap();
    assert_eq!(shown(&check), [""; 0]);
    assert_eq!((check.records, check.changes, check.is_pruned), (4, 4, false));
    let end = mirror.cursor().unwrap();
    mirror.purge(&Purge { until: Some(end), ..Purge::default() }).unwrap();
    let check = mirror.check().unwrap();
    assert_eq!((shown(&check).len(), check.changes, check.is_pruned), (0, 0, true));
}

#[test]
fn a_wrong_row_or_count_is_found() {
    let hash = "the row was changed by another program; rebuild the mirror";
    for (sql, kind, expected) in [
        (
            "UPDATE photo SET size = 4 WHERE id = '1'",
            FindingKind::Hash,
            format!("`photo` 1: {hash}"),
        ),
        (
            "UPDATE photo SET mirror_nulls = NULL WHERE id = '2'",
            FindingKind::Hash,
            format!("`photo` 2: {hash}"),
        ),
        (
            "UPDATE photo SET title = 'Zanzibar' WHERE id = '3'",
            FindingKind::Erasure,
            "`photo` 3: it is gone, and still has contents; rebuild the mirror".to_owned(),
        ),
        (
            "UPDATE photo SET mirror_extra = '{}' WHERE id = '4'",
            FindingKind::Erasure,
            "`photo` 4: it is forgotten, and still has contents; rebuild the mirror".to_owned(),
        ),
        (
            "UPDATE mirror_scope SET missing = 2",
            FindingKind::Counts,
            "`photo`: it has 1 present and 1 missing records, and its counts are 1 and 2; rebuild the mirror".to_owned(),
        ),
    ] {
        let check = check_after(sql);
        assert_eq!(shown(&check), [&*expected], "{sql}");
        assert_eq!(check.findings[0].kind, kind);
    }
}

#[test]
fn a_feed_that_leads_to_other_states_is_found() {
    let snapshot = "rebuild the mirror";
    for (sql, expected) in [
        (
            "DELETE FROM mirror_change WHERE number = 2",
            format!(
                "`photo` 2: it is missing, and the changes of the feed lead to present; {snapshot}"
            ),
        ),
        (
            "UPDATE mirror_change SET kind = 'changed' WHERE record_id = '4'",
            format!(
                "`photo` 4: it is forgotten, and the changes of the feed lead to present; {snapshot}"
            ),
        ),
        (
            "UPDATE mirror_change SET record_id = 'a\n', kind = 'added' WHERE number = 1",
            format!("`photo` a\\n: the feed names it, and the table does not have it; {snapshot}"),
        ),
        (
            "UPDATE mirror_consumer SET position = 99",
            "the consumer `backup` is at 99, and the feed ends at 4; remove the consumer, and add it again after a new snapshot".to_owned(),
        ),
    ] {
        assert_eq!(shown(&check_after(sql)), [&*expected], "{sql}");
    }
}

#[test]
fn damage_of_the_database_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mirror.db");
    drop(create(&path));
    let index = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size \
                 WHERE name = 'sqlite_autoindex_photo_1'";
    let (page, size): (i64, i64) = Connection::open(&path)
        .unwrap()
        .query_row(index, (), |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let (page, size) = (usize::try_from(page).unwrap(), usize::try_from(size).unwrap());
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(page - 1) * size + 8..page * size].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let check = open(&path).check().unwrap();
    assert_eq!((check.findings[0].kind, check.records), (FindingKind::Damage, 0));
    let shown = check.findings[0].to_string();
    assert!(shown.ends_with("; restore a backup, or sync into a new mirror"), "{shown}");
}
