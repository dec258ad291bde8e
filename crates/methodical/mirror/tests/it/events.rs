//! The values of placements in the feed: they say what happened, and an erasure clears them everywhere.

use std::time::Duration;

use methodical_mirror::{
    ChangeKind, DeliveryEnd, Exec, Limits, Mirror, Ndjson, Purge, SyncOptions,
};

use crate::gallery::{Server, marks};
use crate::place::Place;

/// Returns a short form of the changes: kind, identity, previous value, value.
fn shown(mirror: &Mirror) -> Vec<String> {
    let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let changes = mirror.changes(None, usize::MAX).unwrap().0.into_iter();
    let changes = changes.filter(|one| one.table == "photo_album");
    changes
        .map(|one| {
            format!("{} {} {} {}", one.kind.as_str(), one.id, text(one.previous), text(one.value))
        })
        .collect()
}

/// Syncs a mark of a photo in an album; an empty mark is unknown.
fn put(server: &Server, mirror: &mut Mirror, album: &str, photo: &str, mark: &str) {
    server.state().put(album, photo, mark);
    let options = SyncOptions { recheck_every: 1, ..marks(&["Zanzibar", "Zebra"]) };
    server.sync(mirror, &options).unwrap();
}

/// Delivers to the consumer `all` until it is at the end, and returns the lines.
fn deliver(mirror: &Mirror, limits: &Limits) -> String {
    let mut lines = Ndjson::new(Vec::new());
    let delivery = mirror.deliver("all", &mut lines, limits).unwrap();
    assert_eq!((delivery.behind, delivery.end), (0, DeliveryEnd::Complete));
    String::from_utf8(lines.into_inner()).unwrap()
}

#[test]
fn a_change_has_the_value_before_and_the_new_one() {
    let (server, mut mirror) = (Server::start(), Mirror::in_memory().unwrap());
    for (album, photo, mark) in
        [("1", "a", ""), ("1", "a", "New"), ("1", "a", "Print"), ("1", "b", "New"), ("1", "b", "")]
    {
        put(&server, &mut mirror, album, photo, mark);
    }
    let changed = ["value_changed 1/a New Print", "value_changed 1/b New -"];
    let all = ["value_learned 1/a - New", changed[0], "added 1/b - New", changed[1]];
    assert_eq!(shown(&mirror), all);
    let events = mirror.events(None, 2).unwrap().0;
    let json = events[1].to_json().unwrap();
    let part = r#""kind":"value_changed","fields":["mark"],"previous":"New","value":"Print""#;
    assert!(json.contains(part), "{json}");
    assert!(!format!("{events:?}").contains("Print"));
}

/// These names of marks occur nowhere else in the file. The mirror keeps the names of values, so the marks are named
/// after a person.
#[test]
fn an_erasure_empties_the_values_in_the_feed_the_history_and_what_is_not_delivered() {
    for erases in 0..4 {
        let (server, (place, mut mirror, clock)) = (Server::start(), Place::timed());
        mirror.add_consumer("all").unwrap();
        put(&server, &mut mirror, "1", "a", "New");
        put(&server, &mut mirror, "1", "b", "New");
        put(&server, &mut mirror, "1", "b", "Print");
        put(&server, &mut mirror, "1", "a", "Zebra");
        let kept = ["added 1/b - New", "value_changed 1/b New Print"];
        assert_eq!(shown(&mirror), [kept[0], kept[1], "value_changed 1/a New Zebra"]);
        match erases {
            // The person, on request.
            0 => drop(mirror.forget("photo", "a").unwrap()),
            // The person is gone.
            1 => {
                server.state().photos.remove("a");
                server.state().albums.get_mut("1").unwrap().remove("a");
                put(&server, &mut mirror, "1", "b", "Print");
                put(&server, &mut mirror, "1", "b", "Print");
            }
            // The placement is gone, and its row is removed.
            2 => {
                server.state().albums.get_mut("1").unwrap().remove("a");
                put(&server, &mut mirror, "1", "b", "Print");
                put(&server, &mut mirror, "1", "b", "Print");
                assert_eq!(shown(&mirror)[2], "value_changed 1/a New Zebra");
                clock.set(10);
                let gone_for = Some(Duration::from_secs(1));
                mirror.purge(&Purge { gone_for, ..Purge::default() }).unwrap();
            }
            _ => drop(mirror.forget("album", "1").unwrap()),
        }
        let erased = ["added 1/b - -", "value_changed 1/b - -"];
        let expected = if erases == 3 { erased } else { kept };
        assert_eq!(shown(&mirror)[..2], expected, "{erases}");
        assert_eq!(shown(&mirror)[2], "value_changed 1/a - -", "{erases}");
        let lines = deliver(&mirror, &Limits::default());
        assert!(lines.contains("value_changed") && !lines.contains("Zebra"), "{erases}: {lines}");
        let past_values = "SELECT count(*) FROM mirror_past_value WHERE value = 'Zebra'";
        assert_eq!(place.row(past_values), ["0"], "{erases}");
        assert_eq!(mirror.check().unwrap().findings, [], "{erases}");
    }
}

#[test]
fn a_delivery_takes_tables_and_kinds_and_moves_past_the_others() {
    let (server, mut mirror) = (Server::start(), Mirror::in_memory().unwrap());
    put(&server, &mut mirror, "1", "a", "New");
    mirror.add_consumer("all").unwrap();
    put(&server, &mut mirror, "1", "b", "New");
    put(&server, &mut mirror, "2", "a", "Print");
    put(&server, &mut mirror, "1", "a", "Print");
    let cursor = mirror.cursor().unwrap();
    let limits = Limits { kinds: vec![ChangeKind::ValueChanged], ..Limits::default() };
    let lines = deliver(&mirror, &limits);
    assert!(lines.lines().count() == 1 && lines.contains(r#""previous":"New""#), "{lines}");
    assert_eq!(deliver(&mirror, &Limits::default()), "");
    let first = mirror.changes(None, 1).unwrap().1;
    assert_ne!(first, cursor);
    let mut again = Mirror::in_memory().unwrap();
    assert!(again.rewind_consumer("all", &first).is_err());
    let tables = ["album", "photo"].map(str::to_owned).into();
    let limits = Limits { tables, kinds: vec![ChangeKind::Added] };
    mirror.rewind_consumer("all", &first).unwrap();
    let lines = deliver(&mirror, &limits);
    assert!(lines.lines().count() == 1 && lines.contains(r#""table":"album""#), "{lines}");
}

#[cfg(unix)]
#[test]
fn a_program_is_checked_before_the_first_event() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notify");
    std::fs::write(&file, "").unwrap();
    for program in ["no-such-program-here", "./no/such/program", file.to_str().unwrap()] {
        let error = Exec::new(program, ["CANARY"]).check().unwrap_err().to_string();
        assert!(error.contains(program) && !error.contains("CANARY"), "{error}");
    }
    Exec::new("sh", []).check().unwrap();
    Exec::new("/bin/sh", []).check().unwrap();
}
