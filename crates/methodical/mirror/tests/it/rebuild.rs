//! Rebuilt mirrors: each kind of damage is corrected, and the next sync and the readers of the feed go on.

use methodical_mirror::{Check, FindingKind, Mirror, Rules, StartAt, SyncOptions};

use crate::gallery::Server;
use crate::place::Place;
use crate::support::{Clock, feed, photos, records};

const ONE: &str = r#"{"id":"1","title":"Zanzibar","size":3,"x":[1]}"#;
const TWO: &str = r#"{"id":"2","title":"Zebra","place":{"id":"7","name":null}}"#;

/// Creates a mirror with a present, a missing, a gone and a forgotten record.
fn create(place: &Place) -> Mirror {
    let mut mirror = place.open();
    photos(&mut mirror, &[ONE, TWO, r#"{"id":"3"}"#, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, TWO, r#"{"id":"4"}"#]);
    photos(&mut mirror, &[ONE, r#"{"id":"4"}"#]);
    mirror.forget("photo", "4").unwrap();
    mirror.add_consumer("team", &StartAt::End).unwrap();
    mirror
}

fn kinds(check: &Check) -> Vec<FindingKind> {
    check.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn each_kind_of_damage_is_corrected() {
    use FindingKind::{Counts, Erasure, Feed, Hash};
    for (damage, expected, changes) in [
        ("UPDATE photo SET size = 4 WHERE id = '1'", &[Hash][..], &[][..]),
        ("UPDATE photo SET mirror_hash = NULL WHERE id = '2'", &[Hash], &[]),
        ("UPDATE photo SET title = 'Zulu' WHERE id = '3'", &[Erasure], &[]),
        ("UPDATE photo SET mirror_extra = '{}' WHERE id = '4'", &[Erasure], &[]),
        // Their states differ.
        ("UPDATE photo SET title = 'Zulu' WHERE id IN ('3', '4')", &[Erasure, Erasure], &[]),
        ("UPDATE mirror_scope SET present = 7, missing = 8", &[Counts], &[]),
        ("DELETE FROM mirror_change WHERE record_id = '2'", &[Feed], &["missing 2"]),
        ("UPDATE mirror_change SET kind = 'changed' WHERE record_id = '4'", &[Feed], &["gone 4"]),
        (
            "UPDATE mirror_change SET record_id = 'lost', kind = 'added' WHERE record_id = '4'",
            &[Feed, Feed],
            &["gone 4", "gone lost"],
        ),
        (
            "UPDATE photo SET mirror_state = 'present', mirror_misses = 0 WHERE id = '2'",
            &[Feed, Counts],
            &["returned 2"],
        ),
        (
            "UPDATE mirror_change SET kind = 'gone' WHERE record_id = '2'",
            &[Feed],
            &["returned 2", "missing 2"],
        ),
        ("DELETE FROM photo WHERE id = '2'", &[Feed, Counts], &["gone 2"]),
    ] {
        let place = Place::new();
        let mut mirror = create(&place);
        place.execute(damage);
        let before = feed(&mirror).len();
        let mut found = kinds(&mirror.check().unwrap());
        found.sort_unstable();
        let mut wanted = expected.to_vec();
        wanted.sort_unstable();
        assert_eq!(found, wanted, "{damage}");
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
        let json = &records(&mirror)[0].2;
        assert!(json.contains(r#""size":3"#), "{damage}: {json}");
        assert_eq!(mirror.check().unwrap().findings, [], "{damage}");
    }
}

#[test]
fn what_cannot_be_rebuilt_without_a_loss_is_refused() {
    let place = Place::new();
    let mut mirror = create(&place);
    place.execute("UPDATE mirror_consumer SET position = 99; UPDATE mirror_scope SET present = 7");
    let error = mirror.rebuild().unwrap_err();
    let says = "cannot rebuild the mirror: the consumer `team` is at 99, and the feed ends at 4; ";
    assert!(error.to_string().starts_with(says), "{error}");
    assert_eq!(mirror.check().unwrap().findings.len(), 2);
    // The cursors, consumers and forgotten identities stay.
    place.execute("UPDATE mirror_consumer SET position = 4");
    let cursor = mirror.cursor().unwrap();
    assert_eq!(mirror.rebuild().unwrap().check.findings, []);
    assert!(mirror.changes(Some(&cursor), 9).unwrap().0.is_empty());
    assert!(mirror.is_forgotten("photo", "4").unwrap());
    assert_eq!(mirror.consumers().unwrap()[0].position, 4);
}

#[test]
fn a_changed_row_is_written_again_by_the_next_sync_with_a_change() {
    let place = Place::new();
    let mut mirror = create(&place);
    place.execute("UPDATE photo SET size = 4, title = NULL WHERE id = '1'");
    mirror.rebuild().unwrap();
    photos(&mut mirror, &[ONE]);
    assert!(feed(&mirror).contains(&"changed 1 size,title".to_owned()));
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
    let found = mirror.check().unwrap().findings;
    let found = found.iter().find(|one| one.kind == FindingKind::Forgotten).unwrap().to_string();
    assert_eq!(
        found,
        "`photo` 1: it is present, and its identity is forgotten; rebuild the mirror"
    );
    let repaired = mirror.rebuild().unwrap();
    assert_eq!(repaired.check.findings, []);
    assert_eq!(place.row("SELECT count(*), count(title) FROM photo"), ["4", "1"]);
}

#[test]
fn spells_that_contradict_their_placement_begin_anew() {
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
fn spells_of_a_placement_that_the_group_lacks_are_repaired() {
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
