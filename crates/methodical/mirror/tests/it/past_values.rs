//! Past values: how long a placement had each value.

use std::ops::ControlFlow;

use methodical_mirror::{Mirror, PastValue, Purge, SyncOptions};

use crate::gallery::Server;
use crate::place::Place;
use crate::support::Clock;

/// Returns past values in short: `1/a New 100-200`, with `<` before a begin that may be earlier.
fn shown(mirror: &Mirror) -> Vec<String> {
    let mut found = Vec::new();
    let take = |past| {
        found.push(short(past));
        ControlFlow::Continue(())
    };
    mirror.each_past_value("photo_album", None, take).unwrap();
    found
}

fn short(PastValue { id, value, began_at, ended_at, began_before, .. }: PastValue) -> String {
    let value = value.as_deref().unwrap_or("?");
    let before = if began_before { "<" } else { "" };
    let ended_at = ended_at.map(|at| at.to_string()).unwrap_or_default();
    format!("{id} {value} {before}{began_at}-{ended_at}")
}

#[test]
fn an_erased_member_has_no_past_values_and_a_gone_group_keeps_them() {
    let place = Place::new();
    let (server, clock) = (Server::start(), Clock::default());
    let mut mirror = clock.of(place.open());
    clock.set(100);
    for (album, photo, mark) in
        [("1", "a", "Zanzibar"), ("1", "b", "New"), ("2", "b", "New"), ("2", "c", "Zebra")]
    {
        server.state().put(album, photo, mark);
    }
    let options = SyncOptions::new().recheck_every(1).values("mark", ["Zanzibar", "Zebra"]);
    server.sync(&mut mirror, &options).unwrap();
    clock.set(200);
    server.state().albums.remove("1");
    for _ in 0..2 {
        server.sync(&mut mirror, &options).unwrap();
    }
    let all = ["1/a Zanzibar <100-200", "1/b New <100-200", "2/b New <100-", "2/c Zebra <100-"];
    assert_eq!(shown(&mirror), all);
    mirror.forget("photo", "a").unwrap();
    clock.set(300);
    server.state().photos.remove("c");
    server.state().put("2", "b", "New");
    server.state().albums.get_mut("2").unwrap().remove("c");
    for _ in 0..2 {
        server.sync(&mut mirror, &options).unwrap();
    }
    assert_eq!(shown(&mirror), all[1..3]);
    assert_eq!(mirror.check().unwrap().findings, []);
    mirror.forget("album", "2").unwrap();
    assert_eq!(shown(&mirror), all[1..2]);
    mirror.purge(&Purge { gone_for: Some(std::time::Duration::ZERO), ..Purge::default() }).unwrap();
    clock.set(400);
    mirror.purge(&Purge { gone_for: Some(std::time::Duration::ZERO), ..Purge::default() }).unwrap();
    assert_eq!(shown(&mirror), [""; 0]);
    assert_eq!(mirror.check().unwrap().findings, []);
    let left = "SELECT count(*) FROM mirror_spell";
    assert_eq!(place.row(left), ["0"]);
}
