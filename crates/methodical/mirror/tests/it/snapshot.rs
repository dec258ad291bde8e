//! A mirror at one moment.

use methodical_mirror::{Mirror, State, SyncOptions};

use crate::gallery::Server;
use crate::place::{mirrors, places};
use crate::support::{Clock, photos, shown};

const ONE: &str = r#"{"id":"1","title":"Zanzibar","size":3}"#;
const TWO: &str = r#"{"id":"2","title":"Zebra"}"#;

/// Returns the numbers of the last change and of the present records, the identities, and the changes, of a snapshot.
fn seen(mirror: &Mirror) -> (i64, u64, Vec<String>, Vec<String>) {
    let mut snapshot = mirror.snapshot().unwrap();
    let present = snapshot.tables().unwrap().first().unwrap().present;
    let records = snapshot.records("photo", 0, 9).unwrap();
    let changes = snapshot.changes(0, 9).unwrap();
    let ids = records.into_iter().map(|record| record.id).collect();
    (snapshot.last_change(), present, ids, shown(&changes))
}

#[test]
fn a_snapshot_has_the_tables_records_and_changes() {
    let (mirrors, _places) = mirrors();
    for mut mirror in mirrors {
        photos(&mut mirror, &[ONE, TWO]);
        let ids = ["1", "2"].map(str::to_owned).to_vec();
        assert_eq!(seen(&mirror), (0, 2, ids.clone(), vec![]));
        photos(&mut mirror, &[ONE]);
        photos(&mut mirror, &[ONE, TWO]);
        let changes = ["missing 2", "returned 2"].map(str::to_owned).to_vec();
        assert_eq!(seen(&mirror), (2, 2, ids, changes));

        let mut snapshot = mirror.snapshot().unwrap();
        let first = snapshot.records("photo", 0, 1).unwrap();
        assert_eq!((&*first[0].id, first[0].state), ("1", State::Present));
        assert!(first[0].json.contains("Zanzibar"));
        let rest = snapshot.records("photo", first[0].number, 9).unwrap();
        assert_eq!(rest.iter().map(|record| &*record.id).collect::<Vec<_>>(), ["2"]);
        assert_eq!(shown(&snapshot.changes(1, 9).unwrap()), ["returned 2"]);
        assert_eq!(shown(&snapshot.changes(0, 1).unwrap()), ["missing 2"]);
        assert_eq!(snapshot.last_removed_change(), 0);
        drop(snapshot);

        let end = mirror.cursor().unwrap();
        mirror.prune(&end).unwrap();
        let mut snapshot = mirror.snapshot().unwrap();
        assert_eq!((snapshot.last_change(), snapshot.last_removed_change()), (2, 2));
        assert_eq!(snapshot.changes(0, 9).unwrap(), []);
    }
}

#[test]
fn a_snapshot_does_not_see_a_sync_of_another_process() {
    for place in places() {
        let (mut mirror, mut other) = (place.open(), place.open());
        photos(&mut mirror, &[ONE, TWO]);
        let mut snapshot = mirror.snapshot().unwrap();
        photos(&mut other, &[ONE, r#"{"id":"3"}"#]);
        assert_eq!(snapshot.records("photo", 0, 9).unwrap().len(), 2);
        assert_eq!(snapshot.changes(0, 9).unwrap(), []);
        drop(snapshot);
        let ids = ["1", "2", "3"].map(str::to_owned).to_vec();
        let changes = ["added 3", "missing 2"].map(str::to_owned).to_vec();
        assert_eq!(seen(&mirror), (2, 2, ids, changes));
    }
}

#[test]
fn a_snapshot_has_an_identity_that_only_its_mirror_has() {
    let (mirrors, _places) = mirrors();
    let mut seen = Vec::new();
    for mirror in &mirrors {
        let snapshot = mirror.snapshot().unwrap();
        let (id, hash) = (snapshot.mirror_id(), snapshot.keyed_hash(b"Zanzibar"));
        for text in [&id, &hash] {
            assert_eq!(text.len(), 32);
            assert!(text.bytes().all(|byte| byte.is_ascii_hexdigit()), "{text}");
        }
        assert_eq!(snapshot.keyed_hash(b"Zanzibar"), hash);
        assert_ne!(snapshot.keyed_hash(b"Zebra"), hash);
        drop(snapshot);
        assert_eq!(mirror.snapshot().unwrap().mirror_id(), id);
        seen.extend([id, hash]);
    }
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count, "two mirrors have the same identity or secret");
}

#[test]
fn a_snapshot_of_a_mirror_without_personal_data_has_none() {
    let (mirrors, _places) = mirrors();
    for mut mirror in mirrors {
        photos(&mut mirror, &[ONE, TWO]);
        assert!(!mirror.snapshot().unwrap().omits_personal());
        mirror.omit_personal().unwrap();
        let mut snapshot = mirror.snapshot().unwrap();
        assert!(snapshot.omits_personal());
        let record = &snapshot.records("photo", 0, 1).unwrap()[0];
        assert!(!record.json.contains("Zanzibar"), "{}", record.json);
        assert!(record.json.contains(r#""size":3"#), "{}", record.json);
    }
}

#[test]
fn a_snapshot_has_the_spells_and_the_samples() {
    let (mirrors, _places) = mirrors();
    for mirror in mirrors {
        let (server, clock) = (Server::start(), Clock::default());
        let mut mirror = clock.of(mirror);
        for (at, mark, free) in [(100, "New", "10.50"), (200, "Print", "9.75")] {
            clock.set(at);
            server.state().put("1", "a", mark);
            free.clone_into(&mut server.state().free);
            server.sync(&mut mirror, &SyncOptions::new().recheck_every(1)).unwrap();
        }
        let mut snapshot = mirror.snapshot().unwrap();
        let spells = snapshot.spells("photo_album", 0, 9).unwrap();
        let values: Vec<_> =
            spells.iter().map(|one| (one.value.as_deref(), one.began_at, one.ended_at)).collect();
        assert_eq!(values, [(Some("New"), 100, Some(200)), (Some("Print"), 200, None)]);
        let rest = snapshot.spells("photo_album", spells[0].number, 9).unwrap();
        assert_eq!(rest, spells[1..]);
        let samples = snapshot.samples("storage").unwrap();
        let amounts: Vec<_> = samples.iter().map(|one| (one.at, &*one.amount)).collect();
        assert_eq!(amounts, [(100, "10.50"), (200, "9.75")]);
        assert_eq!(snapshot.samples("another").unwrap(), []);
    }
}
