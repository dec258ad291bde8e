//! Checks and rebuilds: each kind of damage is found with its record and corrected, after which syncs and readers of
//! the feed continue.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Check, FindingKind, Mirror, Rules};

use crate::place::Place;
use crate::support::{feed, photos, records, sync};

const ONE: &str = r#"{"id":"1","title":"Zanzibar","size":3,"x":[1]}"#;
const TWO: &str = r#"{"id":"2","title":"Zebra","place":{"id":"7","name":null}}"#;

/// Creates a mirror with a present, a missing, a gone and two forgotten records.
fn create(place: &Place) -> Mirror {
    let mut mirror = place.open();
    photos(&mut mirror, &[ONE, TWO, r#"{"id":"3"}"#, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, TWO, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, r#"{"id":"4"}"#]);
    mirror.forget("photo", "4").unwrap();
    mirror.forget("photo", "never seen").unwrap();
    mirror.add_consumer("team").unwrap();
    place.execute(
        "INSERT INTO mirror_past_value VALUES (1, 'photo_album', '7/1', '7', '1', 'New', '2026-01-02', NULL, 1); \
         INSERT INTO mirror_sample VALUES (1, '2026-01-02', 'balance', '12.50', 'EUR')",
    );
    mirror
}

/// The statements that read the history and the forgotten identities, which a rebuild keeps.
const HISTORY: &str =
    "SELECT record_id, value, began_at, amount FROM mirror_past_value, mirror_sample";
const FORGOTTEN: &str = "SELECT count(*), group_concat(hex(id)) FROM mirror_suppressed";

fn kinds(check: &Check) -> Vec<FindingKind> {
    check.findings.iter().map(|finding| finding.kind).collect()
}

fn shown(check: &Check) -> Vec<String> {
    check.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn each_kind_of_damage_is_found_and_corrected() {
    use FindingKind::{Counts, Erasure, Hash};

    let hash = "the row is not as the mirror wrote it: another program or a disk error changed it";
    let contents = "but still has contents";
    let counts = "records, but its counts say";
    for (damage, expected) in [
        ("UPDATE photo SET size = 4 WHERE id = '1'", &[(Hash, format!(" 1: {hash}"))][..]),
        ("UPDATE photo SET mirror_hash = NULL WHERE id = '2'", &[(Hash, format!(" 2: {hash}"))]),
        ("UPDATE photo SET mirror_nulls = NULL WHERE id = '2'", &[(Hash, format!(" 2: {hash}"))]),
        ("UPDATE photo SET mirror_nulls = '7' WHERE id = '2'", &[(Hash, format!(" 2: {hash}"))]),
        ("UPDATE photo SET mirror_extra = '{' WHERE id = '1'", &[(Hash, format!(" 1: {hash}"))]),
        (
            "UPDATE photo SET mirror_extra = '{}' WHERE id = '4'",
            &[(Erasure, format!(" 4: it is forgotten, {contents}"))],
        ),
        // Their states differ.
        (
            "UPDATE photo SET title = 'Zulu' WHERE id IN ('3', '4')",
            &[
                (Erasure, format!(" 3: it is gone, {contents}")),
                (Erasure, format!(" 4: it is forgotten, {contents}")),
            ],
        ),
        (
            "UPDATE mirror_scope SET present = 7, missing = 8",
            &[(Counts, format!(": it has 1 present and 1 missing {counts} 7 and 8"))],
        ),
        (
            "UPDATE photo SET mirror_state = 'present', mirror_misses = 0 WHERE id = '2'",
            &[(Counts, format!(": it has 2 present and 0 missing {counts} 1 and 1"))],
        ),
        (
            "DELETE FROM photo WHERE id = '2'",
            &[(Counts, format!(": it has 1 present and 0 missing {counts} 1 and 1"))],
        ),
    ] {
        let place = Place::new();
        let mut mirror = create(&place);
        let sound = mirror.check().unwrap();
        assert_eq!((sound.findings, sound.records), (vec![], 4));
        place.execute(damage);
        let (cursor, consumers) = (mirror.cursor().unwrap(), mirror.consumers().unwrap());
        let (history, forgotten) = (place.row(HISTORY), place.row(FORGOTTEN));
        let check = mirror.check().unwrap();
        let texts: Vec<String> =
            expected.iter().map(|(_, text)| format!("`photo`{text}; rebuild the mirror")).collect();
        assert_eq!(shown(&check), texts, "{damage}");
        assert!(kinds(&check).iter().eq(expected.iter().map(|(kind, _)| kind)), "{damage}");
        assert_eq!(mirror.rebuild().unwrap().findings.len(), expected.len(), "{damage}");
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
        assert!(mirror.changes(Some(&cursor), 9).unwrap().0.is_empty(), "{damage}");
        assert_eq!(mirror.consumers().unwrap(), consumers, "{damage}");
        assert_eq!(place.row(HISTORY), history, "{damage}");
        assert_eq!((place.row(FORGOTTEN), &*forgotten[0]), (forgotten.clone(), "2"), "{damage}");
        assert!(!place.contains("Zulu"));
        let state = "SELECT mirror_state FROM photo WHERE id = '4'";
        assert_eq!(place.row(state), ["forgotten"], "{damage}");
        assert_eq!(mirror.rebuild().unwrap().findings, [], "{damage}");
        // The next sync has the contents of the service again.
        photos(&mut mirror, &[ONE, TWO]);
        assert!(records(&mirror)[0].2.contains(r#""size":3"#), "{damage}");
        let is_changed = feed(&mirror).iter().any(|one| one == "changed 1 size");
        assert_eq!(is_changed, damage.contains("size = 4"), "{damage}");
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
    }
}

#[test]
fn a_sync_replaces_a_changed_row_whose_json_is_damaged() {
    const TABLE: Table =
        Table::new("photo", "id", &[Column::text(&["id"]), Column::json(&["tags"])]);

    let (place, mut mirror) = Place::opened();
    sync(&mut mirror, &TABLE, Rules::default(), &[r#"{"id":"1","tags":[7]}"#]).unwrap();
    place.execute("UPDATE photo SET tags = '['");
    assert_eq!(kinds(&mirror.check().unwrap()), [FindingKind::Hash]);
    sync(&mut mirror, &TABLE, Rules::default(), &[r#"{"id":"1","tags":[8]}"#]).unwrap();
    assert_eq!(feed(&mirror), ["changed 1 tags"]);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn damage_of_the_database_is_found() {
    let place = Place::new();
    let path = place.file();
    drop(create(&place));
    let index = "SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size \
                 WHERE name = 'sqlite_autoindex_photo_1'";
    let row: Vec<usize> = place.row(index).iter().map(|number| number.parse().unwrap()).collect();
    let (page, size) = (row[0], row[1]);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[(page - 1) * size + 8..page * size].fill(0);
    std::fs::write(&path, bytes).unwrap();
    let mut mirror = place.open();
    let check = mirror.check().unwrap();
    assert_eq!((check.findings[0].kind, check.records), (FindingKind::Damage, 0));
    let shown = check.findings[0].to_string();
    assert!(shown.ends_with("; restore a backup, or sync into a new mirror"), "{shown}");
    let error = mirror.rebuild().unwrap_err().to_string();
    assert_eq!(error, format!("cannot rebuild the mirror: {shown}"));
}

#[test]
fn a_forgotten_identity_with_a_live_row_is_forgotten_again() {
    let place = Place::new();
    let mut mirror = create(&place);
    place.execute("CREATE TABLE kept AS SELECT * FROM photo WHERE id = '1'");
    mirror.forget("photo", "1").unwrap();
    place.execute(
        "DELETE FROM photo WHERE id = '1'; INSERT INTO photo SELECT * FROM kept; DROP TABLE kept",
    );
    let findings = mirror.check().unwrap().findings;
    let found = findings.iter().find(|one| one.kind == FindingKind::Forgotten).unwrap().to_string();
    assert_eq!(found, "`photo` 1: it is present, although it was forgotten; rebuild the mirror");
    assert_eq!(mirror.rebuild().unwrap().findings, findings);
    assert_eq!(mirror.check().unwrap().findings, []);
    assert_eq!(place.row("SELECT count(*), count(title) FROM photo"), ["4", "1"]);
}
