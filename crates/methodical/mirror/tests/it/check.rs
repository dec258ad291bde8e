//! Checks and rebuilds: each kind of damage is found, names its record, and is corrected, and the next sync and the readers of the
//! feed go on.

use methodical_mirror::{Check, FindingKind, Mirror, Purge, Rules, SyncOptions};
use rusqlite::Connection;

use crate::gallery::Server;
use crate::place::Place;
use crate::support::{Clock, feed, photos, records};

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
    mirror
}

fn kinds(check: &Check) -> Vec<FindingKind> {
    check.findings.iter().map(|finding| finding.kind).collect()
}

fn shown(check: &Check) -> Vec<String> {
    check.findings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_sound_mirror_has_no_findings() {
    let place = Place::new();
    let mut mirror = create(&place);
    let check = mirror.check().unwrap();
    assert_eq!(shown(&check), [""; 0]);
    assert_eq!((check.records, check.changes, check.is_pruned), (4, 4, false));
    mirror.remove_consumer("team").unwrap();
    let end = mirror.cursor().unwrap();
    mirror.purge(&Purge { until: Some(end), ..Purge::default() }).unwrap();
    let check = mirror.check().unwrap();
    assert_eq!((shown(&check).len(), check.changes, check.is_pruned), (0, 0, true));
}

#[test]
fn each_kind_of_damage_is_found_and_corrected() {
    use FindingKind::{Counts, Erasure, Feed, Hash};

    let hash = "the row was changed by another program";
    let contents = "and still has contents";
    let leads = "and the changes of the feed lead to";
    let named = "the feed names it, and the table does not have it";
    let counts = "records, and its counts are";
    for (damage, expected, changes) in [
        ("UPDATE photo SET size = 4 WHERE id = '1'", &[(Hash, format!(" 1: {hash}"))][..], &[][..]),
        (
            "UPDATE photo SET mirror_hash = NULL WHERE id = '2'",
            &[(Hash, format!(" 2: {hash}"))],
            &[],
        ),
        (
            "UPDATE photo SET mirror_nulls = NULL WHERE id = '2'",
            &[(Hash, format!(" 2: {hash}"))],
            &[],
        ),
        (
            "UPDATE photo SET mirror_extra = '{}' WHERE id = '4'",
            &[(Erasure, format!(" 4: it is forgotten, {contents}"))],
            &[],
        ),
        // Their states differ.
        (
            "UPDATE photo SET title = 'Zulu' WHERE id IN ('3', '4')",
            &[
                (Erasure, format!(" 3: it is gone, {contents}")),
                (Erasure, format!(" 4: it is forgotten, {contents}")),
            ],
            &[],
        ),
        (
            "UPDATE mirror_scope SET present = 7, missing = 8",
            &[(Counts, format!(": it has 1 present and 1 missing {counts} 7 and 8"))],
            &[],
        ),
        (
            "DELETE FROM mirror_change WHERE record_id = '2'",
            &[(Feed, format!(" 2: it is missing, {leads} present"))],
            &["missing 2"],
        ),
        (
            "UPDATE mirror_change SET kind = 'changed' WHERE record_id = '4'",
            &[(Feed, format!(" 4: it is forgotten, {leads} present"))],
            &["gone 4"],
        ),
        (
            "UPDATE mirror_change SET record_id = 'a\n', kind = 'added' WHERE record_id = '4'",
            &[
                (Feed, format!(" 4: it is forgotten, {leads} present")),
                (Feed, format!(" a\\n: {named}")),
            ],
            &["gone 4", "gone a"],
        ),
        (
            "UPDATE photo SET mirror_state = 'present', mirror_misses = 0 WHERE id = '2'",
            &[
                (Feed, format!(" 2: it is present, {leads} missing")),
                (Counts, format!(": it has 2 present and 0 missing {counts} 1 and 1")),
            ],
            &["returned 2"],
        ),
        (
            "UPDATE mirror_change SET kind = 'gone' WHERE record_id = '2'",
            &[(Feed, format!(" 2: it is missing, {leads} gone"))],
            &["returned 2", "missing 2"],
        ),
        (
            "DELETE FROM photo WHERE id = '2'",
            &[
                (Feed, format!(" 2: {named}")),
                (Counts, format!(": it has 1 present and 0 missing {counts} 1 and 1")),
            ],
            &["gone 2"],
        ),
    ] {
        let place = Place::new();
        let mut mirror = create(&place);
        place.execute(damage);
        let before = feed(&mirror).len();
        let check = mirror.check().unwrap();
        let texts: Vec<String> =
            expected.iter().map(|(_, text)| format!("`photo`{text}; rebuild the mirror")).collect();
        assert_eq!(shown(&check), texts, "{damage}");
        assert!(kinds(&check).iter().eq(expected.iter().map(|(kind, _)| kind)), "{damage}");
        let repaired = mirror.rebuild().unwrap();
        assert_eq!(repaired.findings.len(), expected.len(), "{damage}");
        assert_eq!(repaired.check.findings, [], "{damage}");
        assert_eq!(feed(&mirror)[before..], *changes, "{damage}");
        assert!(!place.contains("Zulu"));
        let state = "SELECT mirror_state FROM photo WHERE id = '4'";
        assert_eq!(place.row(state), ["forgotten"], "{damage}");
        let again = mirror.rebuild().unwrap();
        assert_eq!((again.findings.len(), again.check.findings.len()), (0, 0));
        // The next sync has the contents of the service again.
        photos(&mut mirror, &[ONE, TWO]);
        assert!(records(&mirror)[0].2.contains(r#""size":3"#), "{damage}");
        let is_changed = feed(&mirror).iter().any(|one| one == "changed 1 size");
        assert_eq!(is_changed, damage.contains("size = 4"), "{damage}");
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
    }
}

#[test]
fn damage_of_the_database_is_found() {
    let place = Place::new();
    let path = place.file();
    drop(create(&place));
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
    let check = place.open().check().unwrap();
    assert_eq!((check.findings[0].kind, check.records), (FindingKind::Damage, 0));
    let shown = check.findings[0].to_string();
    assert!(shown.ends_with("; restore a backup, or sync into a new mirror"), "{shown}");
}

#[test]
fn what_cannot_be_rebuilt_without_a_loss_is_refused() {
    let place = Place::new();
    let mut mirror = create(&place);
    place.execute("UPDATE mirror_consumer SET position = 99; UPDATE mirror_scope SET present = 7");
    let error = mirror.rebuild().unwrap_err().to_string();
    let found = shown(&mirror.check().unwrap());
    let ahead = "the consumer `team` is at 99, and the feed ends at 4; remove the consumer, and add it again after a new snapshot";
    assert_eq!((found.len(), &*found[1]), (2, ahead));
    assert_eq!(error, format!("cannot rebuild the mirror: {ahead}"));
    // The cursors, consumers and forgotten identities stay.
    place.execute("UPDATE mirror_consumer SET position = 4");
    let cursor = mirror.cursor().unwrap();
    assert_eq!(mirror.rebuild().unwrap().check.findings, []);
    assert!(mirror.changes(Some(&cursor), 9).unwrap().0.is_empty());
    assert!(mirror.is_forgotten("photo", "4").unwrap());
    assert_eq!(mirror.consumers().unwrap()[0].position, 4);
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
    assert_eq!(
        found,
        "`photo` 1: it is present, and its identity is forgotten; rebuild the mirror"
    );
    let repaired = mirror.rebuild().unwrap();
    assert_eq!(repaired.findings, findings);
    assert_eq!(repaired.check.findings, []);
    assert_eq!(place.row("SELECT count(*), count(title) FROM photo"), ["4", "1"]);
}

#[test]
fn past_values_that_contradict_their_placement_begin_anew() {
    for (damage, expected) in [
        ("DELETE FROM mirror_spell WHERE record_id = '1/a'", FindingKind::History),
        ("UPDATE mirror_spell SET ended_at = NULL", FindingKind::History),
        ("UPDATE mirror_spell SET value = 'Other' WHERE ended_at IS NULL", FindingKind::History),
        ("UPDATE mirror_spell SET record_id = '1/x', member_id = 'x'", FindingKind::History),
        ("UPDATE photo_album SET mark = 'Other' WHERE id = '1/a'", FindingKind::Hash),
        ("UPDATE mirror_change SET kind = 'gone' WHERE record_id = '1/a'", FindingKind::Feed),
        ("DELETE FROM photo_album WHERE id = '1/a'", FindingKind::Counts),
    ] {
        let place = Place::new();
        let (server, clock) = (Server::start(), Clock::default());
        let mut mirror = clock.of(place.open());
        for (at, mark) in [(100, "New"), (200, "Print"), (300, "Rejected")] {
            clock.set(at);
            server.state().put("1", "a", mark);
            server.state().put("1", "b", mark);
            server.sync(&mut mirror, &SyncOptions::new().recheck_every(1)).unwrap();
        }
        place.execute(damage);
        clock.set(400);
        assert!(kinds(&mirror.check().unwrap()).contains(&expected), "{damage}");
        assert_eq!(mirror.rebuild().unwrap().check.findings, [], "{damage}");
        clock.set(500);
        server.state().put("1", "a", "New");
        let options = SyncOptions::new().recheck_every(1).rules(Rules::new());
        server.sync(&mut mirror, &options).unwrap();
        let last = "SELECT value, ended_at IS NULL FROM mirror_spell WHERE record_id = '1/a' ORDER BY number DESC LIMIT 1";
        assert_eq!(place.row(last)[0], "New", "{damage}");
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
    }
}

#[test]
fn past_values_of_a_placement_that_the_group_lacks_are_corrected() {
    // After one sync without it, a placement is missing, and after two it is gone.
    for (syncs, damage, changes) in [
        (1, "UPDATE mirror_spell SET value = 'Other' WHERE record_id = '1/a'", &[""; 0][..]),
        (2, "UPDATE mirror_spell SET ended_at = NULL WHERE record_id = '1/a'", &[]),
    ] {
        let place = Place::new();
        let (server, clock) = (Server::start(), Clock::default());
        let mut mirror = clock.of(place.open());
        let every = SyncOptions::new().recheck_every(1);
        clock.set(100);
        for photo in ["a", "b", "c"] {
            server.state().put("1", photo, "New");
        }
        server.sync(&mut mirror, &every).unwrap();
        server.state().albums.get_mut("1").unwrap().remove("a");
        for sync in 0..syncs {
            clock.set(200 + sync);
            server.sync(&mut mirror, &every).unwrap();
        }
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
        place.execute(damage);
        clock.set(400);
        let found = kinds(&mirror.check().unwrap());
        assert_eq!(found, [FindingKind::History], "{damage}");
        let before = feed(&mirror).len();
        assert_eq!(mirror.rebuild().unwrap().check.findings, [], "{damage}");
        assert_eq!(feed(&mirror)[before..], *changes, "{damage}");
        let last = "SELECT count(*) FROM mirror_spell WHERE record_id = '1/a' AND ended_at IS NULL";
        assert_eq!(place.row(last), ["0"], "{damage}");
    }
}
