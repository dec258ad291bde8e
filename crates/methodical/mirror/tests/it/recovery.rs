//! Recoveries of values over a real connection.

use methodical_mirror::{
    ErrorKind, Existing, Mirror, Outcome, Record, SyncError, SyncOptions, SyncReport,
};

use crate::gallery::{HTML, Server, marks, rechecking};
use crate::place::Place;
use crate::support::{feed, table};

/// Returns the placements: state and JSON without the identity.
fn placements(mirror: &Mirror) -> Vec<String> {
    let placed = |record: &Record| {
        let json: serde_json::Value = serde_json::from_str(&record.json).unwrap();
        let mark = json.get("mark").and_then(|mark| mark.as_str()).unwrap_or("?");
        format!("{} {mark} {}", record.id, record.state.as_str())
    };
    let mut found: Vec<String> = table(mirror, "photo_album").iter().map(placed).collect();
    found.sort();
    found
}

/// Returns a server with two albums, an empty one, and a mirror of it.
fn synced() -> (Server, Mirror) {
    let photos =
        [("1", "a", "New"), ("1", "b", "Print"), ("2", "b", "New"), ("2", "c", "Old ones")];
    let server = Server::with(&photos);
    server.state().albums.insert("3".to_owned(), crate::gallery::Marks::new());
    let mut mirror = Mirror::in_memory().unwrap();
    server.sync(&mut mirror, &marks(&["Old ones"])).unwrap();
    (server, mirror)
}

fn again(server: &Server, mirror: &mut Mirror) -> Result<SyncReport, SyncError> {
    server.queries();
    server.sync(mirror, &SyncOptions::default())
}

#[test]
fn the_value_of_each_member_of_each_group_is_recovered() {
    let (server, mirror) = synced();
    let expected =
        ["1/a New present", "1/b Print present", "2/b New present", "2/c Old ones present"];
    assert_eq!(placements(&mirror), expected);
    assert!(feed(&mirror).is_empty(), "the first recovery is a baseline");
    let mut queries = server.queries();
    let probes = queries.iter().filter(|query| query.contains("probe")).count();
    assert_eq!(probes, 1);
    queries.retain(|query| query.contains("album=3"));
    assert_eq!(queries, ["photos album=3"], "an empty group is asked once");
}

#[test]
fn unchanged_groups_are_asked_for_members_only_until_their_turn() {
    let (server, mut mirror) = synced();
    let mut rechecked = 0;
    for _ in 0..8 {
        let report = again(&server, &mut mirror).unwrap();
        let coverage = report.tables[2].coverage.clone().unwrap();
        assert_eq!((coverage.total, coverage.unknown), (4, 0));
        let queries = server.queries();
        rechecked += queries.iter().filter(|query| query.contains("probe")).count();
        assert_eq!(report.calls, u64::try_from(queries.len()).unwrap());
    }
    // Each run covers one of the three groups, one of which is empty.
    assert_eq!(rechecked, 6);
    assert!(feed(&mirror).is_empty());
}

#[test]
fn a_placement_has_the_time_since_when_it_has_its_value_and_its_table_the_age_of_the_values() {
    let (server, (_place, mut mirror, clock)) = (Server::start(), Place::timed());
    server.state().put("2", "b", "New");
    for (time, mark, every, since, values_from) in [
        (1000, "New", 8, 1000, 1000),
        // Requested again, and kept.
        (2000, "New", 1, 1000, 2000),
        // The values of one of two groups are requested.
        (3000, "New", 8, 1000, 2000),
        (4000, "Print", 1, 4000, 4000),
        (5000, "Print", 1, 4000, 5000),
    ] {
        clock.set(time);
        server.state().put("1", "a", mark);
        let options = SyncOptions { recheck_every: every, ..SyncOptions::default() };
        server.sync(&mut mirror, &options).unwrap();
        let placed = mirror.record("photo_album", "1/a").unwrap().unwrap();
        assert_eq!(placed.changed_at, since);
        let tables = mirror.tables().unwrap();
        let times: Vec<_> = tables.iter().map(|one| one.values_from).collect();
        assert_eq!(times, [None, None, Some(values_from)]);
    }
}

#[test]
fn a_missing_placement_of_an_unchanged_group_is_gone_in_the_next_run() {
    let (server, mut mirror) = synced();
    server.state().albums.get_mut("2").unwrap().remove("b");
    again(&server, &mut mirror).unwrap();
    assert_eq!(feed(&mirror), ["missing 2/b"]);
    again(&server, &mut mirror).unwrap();
    assert_eq!(feed(&mirror)[1..], ["gone 2/b"]);
}

#[test]
fn an_unknown_value_is_reported_and_found_when_it_is_named() {
    let (server, mut mirror) = synced();
    server.state().put("1", "x", "Odd one");
    let report = again(&server, &mut mirror).unwrap();
    let coverage = report.tables[2].coverage.as_ref().unwrap();
    let says = "80.0 % of 5 placements have a known mark; unknown: 1, in 1 album record; \
                name each missing mark with --marks";
    assert_eq!(coverage.text("--marks"), says);
    assert_eq!(placements(&mirror)[2], "1/x ? present");
    let report = server.sync(&mut mirror, &marks(&["Odd one"])).unwrap();
    assert_eq!(report.tables[2].coverage.as_ref().unwrap().unknown, 0);
    assert_eq!(placements(&mirror)[2], "1/x Odd one present");
    assert_eq!(feed(&mirror).last().unwrap(), "value_learned 1/x mark");
}

#[test]
fn a_service_that_refuses_unknown_values_is_recovered() {
    let server = Server::with(&[("1", "a", "Print"), ("1", "b", ""), ("2", "c", "")]);
    server.state().refuses_unknown = true;
    let mut mirror = Mirror::in_memory().unwrap();
    server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    assert_eq!(placements(&mirror), ["1/a Print present", "1/b ? present", "2/c ? present"]);
}

#[test]
fn a_group_that_fails_stays_as_it_is_and_the_call_says_so() {
    for query in ["photos album=2", "photos album=2 mark=New"] {
        let (server, mut mirror) = synced();
        server.state().put("1", "a", "Rejected");
        server.state().put("2", "b", "Rejected");
        server.state().put("2", "e", "New");
        server.fails(query, HTML);
        let error = server.sync(&mut mirror, &rechecking()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Call);
        let table = &error.report().tables[2];
        assert_eq!(table.result.as_ref().unwrap().changed, 1);
        assert_eq!(table.failures[0].group, "2");
        let run = mirror.runs(1).unwrap().remove(0);
        assert_eq!((run.outcome, run.report.changed), (Outcome::Partial, 1));
        assert_eq!(feed(&mirror), ["added e", "value_changed 1/a mark"]);
        assert_eq!(placements(&mirror)[2..], ["2/b New present", "2/c Old ones present"]);
    }
}

#[test]
fn too_many_missing_placements_are_refused() {
    let server = Server::start();
    for photo in 0..60 {
        server.state().put("1", &photo.to_string(), "New");
    }
    server.state().put("2", "a", "New");
    let mut mirror = Mirror::in_memory().unwrap();
    server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    server.state().albums.get_mut("1").unwrap().clear();
    let error = again(&server, &mut mirror).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeletionGuard);
    assert_eq!(error.report().failures().next().unwrap().missing(), Some(60));
    let accepting = |table: &str| SyncOptions {
        accepted_missing: [(table.to_owned(), 60)].into(),
        ..SyncOptions::default()
    };
    server.sync(&mut mirror, &accepting("photo")).unwrap_err();
    let report = server.sync(&mut mirror, &accepting("photo_album")).unwrap();
    assert_eq!(report.tables[2].result.as_ref().unwrap().missing, 60);
}

#[test]
fn the_placements_of_an_erased_record_are_erased_with_it() {
    let (place, mut mirror) = Place::opened();
    let photos = [("1", "a"), ("1", "b"), ("2", "a"), ("2", "c")];
    let server = Server::with(&photos.map(|(album, photo)| (album, photo, "New")));
    server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    mirror.forget("photo", "a").unwrap();
    assert_eq!(feed(&mirror), ["gone a", "gone 1/a", "gone 2/a"]);
    assert_eq!(placements(&mirror)[0], "1/a ? gone");
    // The lists still have it.
    server.sync(&mut mirror, &rechecking()).unwrap();
    assert_eq!(feed(&mirror).len(), 3);
    assert_eq!(placements(&mirror)[0], "1/a ? gone");

    mirror.unforget("photo", "a").unwrap();
    server.sync(&mut mirror, &SyncOptions::default()).unwrap();
    assert_eq!(feed(&mirror)[3..], ["returned a", "returned 1/a", "returned 2/a"]);
    mirror.forget("photo", "a").unwrap();

    server.state().photos.remove("b");
    let lists = SyncOptions { recovers: false, ..SyncOptions::default() };
    server.sync(&mut mirror, &lists).unwrap();
    server.sync(&mut mirror, &lists).unwrap();
    assert_eq!(feed(&mirror)[9..], ["missing b", "gone b", "gone 1/b"]);
    server.state().albums.remove("2");
    server.sync(&mut mirror, &lists).unwrap();
    server.sync(&mut mirror, &lists).unwrap();
    assert_eq!(feed(&mirror)[12..], ["missing 2", "gone 2", "gone 2/c"]);
    let counts = mirror.tables().unwrap();
    let counts = counts.iter().find(|table| table.table == "photo_album").unwrap();
    assert_eq!((counts.present, counts.missing), (0, 0));
    let kept = "SELECT count(*), count(id), count(mark), count(mirror_nulls), sum(mirror_state = 'present') FROM photo_album";
    assert_eq!(place.row(kept), ["4", "4", "0", "0", "0"]);
    assert_eq!(mirror.check().unwrap().findings, []);
}

/// Returns how many rows, past values and changes of placements of this photo have a value.
fn values_of(place: &Place, photo: &str) -> Vec<String> {
    let of = |column: &str| format!("WHERE {column} LIKE '%/{photo}'");
    place.row(&format!(
        "SELECT (SELECT count(mark) FROM photo_album {}), (SELECT count(*) FROM mirror_past_value {}), \
         (SELECT count(coalesce(previous, value)) FROM mirror_change {})",
        of("id"),
        of("record_id"),
        of("record_id")
    ))
}

#[test]
fn a_placement_that_left_its_group_loses_its_value_with_its_member() {
    for is_forgotten in [true, false] {
        let (place, mut mirror) = Place::opened();
        let photos = [("1", "a", "New"), ("1", "b", "New"), ("2", "a", "Print"), ("2", "c", "New")];
        let server = Server::with(&photos);
        server.sync(&mut mirror, &rechecking()).unwrap();
        for album in ["1", "2"] {
            server.state().albums.get_mut(album).unwrap().remove("a");
        }
        for _ in 0..2 {
            server.sync(&mut mirror, &rechecking()).unwrap();
        }
        assert_eq!(placements(&mirror)[0], "1/a New gone");
        assert_eq!(values_of(&place, "a"), ["2", "2", "0"]);
        if is_forgotten {
            mirror.forget("photo", "a").unwrap();
            // As an earlier release left it.
            place.execute("UPDATE photo_album SET mark = 'New' WHERE id = '1/a'");
            mirror.rebuild().unwrap();
        } else {
            server.state().photos.remove("a");
            for _ in 0..2 {
                server.sync(&mut mirror, &rechecking()).unwrap();
            }
        }
        assert_eq!(values_of(&place, "a"), ["0", "0", "0"], "{is_forgotten}");
        assert_eq!(placements(&mirror)[0], "1/a ? gone");
        assert_eq!(feed(&mirror)[4..].iter().filter(|one| one.contains('/')).count(), 0);
        assert_eq!(mirror.check().unwrap().findings, []);
    }
}

#[test]
fn a_member_that_only_its_group_lists_is_forgotten_with_its_placements() {
    let (place, mut mirror) = Place::opened();
    let server = Server::with(&[("1", "b", "New"), ("1", "c", "New")]);
    server.sync(&mut mirror, &rechecking()).unwrap();
    // It was added after the list of photos was read.
    server.state().put("1", "a", "Print");
    server.state().photos.remove("a");
    server.sync(&mut mirror, &rechecking()).unwrap();
    assert_eq!(values_of(&place, "a"), ["1", "1", "1"]);
    let copy = place.folder("copies").join("copy.db");
    mirror.backup(&copy, Existing::Refuse).unwrap();
    assert!(!mirror.forget("photo", "a").unwrap().was_known);
    assert_eq!(values_of(&place, "a"), ["0", "0", "0"]);
    server.sync(&mut mirror, &rechecking()).unwrap();
    assert_eq!(placements(&mirror)[0], "1/a ? gone");
    drop(mirror);
    Mirror::restore(&copy, place.file(), Existing::Replace).unwrap();
    assert_eq!(values_of(&place, "a"), ["0", "0", "0"], "restored");
    assert_eq!(place.open().check().unwrap().findings, []);
}
