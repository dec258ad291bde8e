//! Purges: rows of deleted records and old changes.

use std::time::Duration;

use methodical_mirror::{ErrorKind, Mirror, Purge, Purged};

use crate::place::Place;
use crate::support::{Clock, feed, photos, records};

const ONE: &str = r#"{"id":"1"}"#;
const TWO: &str = r#"{"id":"2"}"#;
const THREE: &str = r#"{"id":"3"}"#;

/// Creates a mirror whose record 1 has been gone since 120, and whose record 2 has been forgotten since 140.
fn filled() -> (Place, Mirror, Clock) {
    let (place, mut mirror, time) = Place::timed();
    for (seconds, list) in
        [(100, &[ONE, TWO, THREE][..]), (110, &[TWO, THREE]), (120, &[TWO, THREE])]
    {
        time.set(seconds);
        photos(&mut mirror, list);
    }
    time.set(140);
    mirror.forget("photo", "2").unwrap();
    assert_eq!(feed(&mirror), ["missing 1", "gone 1", "gone 2"]);
    (place, mirror, time)
}

fn states(mirror: &Mirror) -> Vec<String> {
    records(mirror).iter().map(|(id, state, _)| format!("{id} {}", state.as_str())).collect()
}

fn counts(purged: &Purged) -> (u64, u64) {
    (purged.records, purged.changes)
}

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

#[test]
fn old_rows_and_changes_are_removed() {
    let (_place, mut mirror, time) = filled();
    let start = mirror.changes(None, 1).unwrap().1;
    time.set(150);
    assert_eq!(counts(&mirror.purge(&Purge::default()).unwrap()), (0, 0));
    let rows = Purge { gone_for: Some(seconds(1)), is_dry_run: true, ..Purge::default() };
    assert_eq!(counts(&mirror.purge(&rows).unwrap()), (2, 0), "the changes stay");
    let purge = Purge { gone_for: Some(seconds(30)), age: Some(seconds(30)), ..Purge::default() };
    assert_eq!(counts(&mirror.purge(&purge).unwrap()), (0, 1));
    // Not older than 30 seconds.
    assert_eq!(feed(&mirror), ["gone 1", "gone 2"]);
    let purge = Purge { gone_for: Some(seconds(29)), age: Some(seconds(29)), ..Purge::default() };
    let dry_run = Purge { is_dry_run: true, ..purge.clone() };
    assert_eq!(counts(&mirror.purge(&dry_run).unwrap()), (1, 1));
    assert_eq!(states(&mirror).len(), 3);
    assert_eq!(counts(&mirror.purge(&purge).unwrap()), (1, 1));
    assert_eq!(counts(&mirror.purge(&purge).unwrap()), (0, 0));
    assert_eq!(states(&mirror), ["2 forgotten", "3 present"]);
    assert_eq!(feed(&mirror), ["gone 2"]);
    assert_eq!(mirror.changes(Some(&start), 9).unwrap_err().kind(), ErrorKind::Cursor);
    assert_eq!(mirror.check().unwrap().findings, []);

    // A forgotten identity outlives its row.
    time.set(1000);
    assert_eq!(counts(&mirror.purge(&purge).unwrap()), (1, 1));
    assert_eq!(photos(&mut mirror, &[ONE, TWO, THREE]).suppressed, 1);
    assert_eq!(feed(&mirror), ["added 1"]);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn changes_that_a_consumer_needs_stay() {
    let (_place, mut mirror, time) = filled();
    let (_, one) = mirror.changes(None, 1).unwrap();
    mirror.add_consumer("slow").unwrap();
    mirror.rewind_consumer("slow", &one).unwrap();
    mirror.add_consumer("fast").unwrap();
    time.set(1000);
    let end = mirror.cursor().unwrap();
    for purge in [
        Purge { age: Some(seconds(1)), ..Purge::default() },
        Purge { until: Some(end.clone()), ..Purge::default() },
    ] {
        let purged = mirror.purge(&Purge { is_dry_run: true, ..purge.clone() }).unwrap();
        assert_eq!((purged.changes, purged.kept_for.as_deref()), (1, Some("slow")));
    }
    mirror.purge(&Purge { until: Some(end.clone()), ..Purge::default() }).unwrap();
    assert_eq!(feed(&mirror), ["gone 1", "gone 2"]);
    mirror.remove_consumer("slow").unwrap();
    mirror.rewind_consumer("fast", &one).unwrap();
    let purge = Purge { until: Some(end.clone()), ..Purge::default() };
    assert_eq!(mirror.purge(&purge).unwrap().kept_for.as_deref(), Some("fast"));
    mirror.rewind_consumer("fast", &end).unwrap();
    let purged = mirror.purge(&purge).unwrap();
    assert_eq!((purged.changes, purged.kept_for), (2, None));
}
