//! The queries about placements, run on one history.

use std::ops::ControlFlow;

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::queries::{self, Placement, Wanted};
use methodical_mirror::{Mirror, Rules};

use crate::gallery::{Server, rechecking};
use crate::place::Place;
use crate::support::Clock;

const DAY: i64 = 24 * 3600;

/// All syncs run in the last second of a day, because days are counted by midnights.
const EVENING: i64 = DAY - 1;

/// Returns a mirror with this history: on each day, a photo gets a mark in an album. An empty mark is unknown.
fn mirror(place: &Place) -> Mirror {
    let (server, clock) = (Server::start(), Clock::default());
    let mut mirror = clock.of(place.open());
    for (day, album, photo, mark) in [
        (10, "1", "a", "New"),
        (10, "1", "b", ""),
        (12, "1", "a", "Print"),
        (13, "1", "b", "New"),
        (14, "2", "c", "New"),
        (16, "1", "a", "Rejected"),
        (17, "2", "c", "Print"),
    ] {
        clock.set(u64::try_from(day * DAY + EVENING).unwrap());
        server.state().put(album, photo, mark);
        server.sync(&mut mirror, &rechecking()).unwrap();
    }
    mirror
}

pub(crate) fn placements(mirror: &Mirror, wanted: &Wanted<'_>) -> Vec<Placement> {
    let mut found = Vec::new();
    queries::placements(mirror, "photo_album", wanted, 20 * DAY, |one| {
        found.push(one);
        ControlFlow::Continue(())
    })
    .unwrap();
    found
}

/// Returns a short form of placements: identity, value, previous value, days.
fn shown(mirror: &Mirror, wanted: &Wanted<'_>) -> Vec<String> {
    let text = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
    let show = |one: Placement| {
        let older = if one.is_older { ">" } else { "" };
        format!("{} {} {} {older}{}", one.id, text(one.value), text(one.previous), one.days)
    };
    placements(mirror, wanted).into_iter().map(show).collect()
}

#[test]
fn placements_have_their_previous_value_and_its_age() {
    let place = Place::new();
    let mirror = mirror(&place);
    let all = ["1/a Rejected Print 4", "1/b New ? >7", "2/c Print New 3"];
    assert_eq!(shown(&mirror, &Wanted::default()), all);
    assert_eq!(shown(&mirror, &Wanted { group: Some("2"), ..Wanted::default() }), all[2..]);
    assert_eq!(shown(&mirror, &Wanted { member: Some("b"), ..Wanted::default() }), all[1..2]);
    assert_eq!(shown(&mirror, &Wanted { value: Some("Print"), ..Wanted::default() }), all[2..]);
    let waiting = shown(&mirror, &Wanted { days: 4, is_longest_first: true, ..Wanted::default() });
    assert_eq!(waiting, [all[1], all[0]]);
    let first = &placements(&mirror, &Wanted::default())[0];
    assert_eq!((&*first.member, &*first.group, first.since), ("a", "1", 16 * DAY + EVENING));
    assert_eq!(first.title.as_deref(), Some("a title"));
    assert!(!format!("{first:?}").contains("Rejected"));
    let view = "SELECT id, photo_id, album_id, title, mark, previous_mark, since, \
                days = julianday(date('now')) - julianday(date(since)) FROM placement WHERE photo_id = 'a'";
    let row = ["1/a", "a", "1", "a title", "Rejected", "Print", "1970-01-17T23:59:59Z", "1"];
    assert_eq!(place.row(view), row);
}

#[test]
fn moves_differ_from_values_that_were_learned() {
    let mirror = mirror(&Place::new());
    let moves = queries::moves(&mirror, "photo_album", 0..20 * DAY).unwrap();
    let show = |one: &queries::Move| {
        let [from, to] = [&one.from, &one.to].map(|text| text.as_deref().unwrap_or("?"));
        format!("{} {} {from} {to} {}", one.at / DAY, one.member, one.is_learned)
    };
    let shown: Vec<String> = moves.iter().map(show).collect();
    let all = [
        "12 a New Print false",
        "13 b ? New true",
        "16 a Print Rejected false",
        "17 c New Print false",
    ];
    assert_eq!(shown, all);
    let some = queries::moves(&mirror, "photo_album", 13 * DAY..16 * DAY).unwrap();
    assert_eq!(some, moves[1..2]);
    assert_eq!(moves[0].title.as_deref(), Some("a title"));
}

#[test]
fn a_report_counts_what_is_new_and_what_moved() {
    let mirror = mirror(&Place::new());
    let report =
        queries::report(&mirror, "photo_album", 11 * DAY..17 * DAY, Some("title")).unwrap();
    assert_eq!((report.new, report.moved), (1, 2));
    let groups: Vec<_> =
        report.groups.iter().map(|one| (&*one.group, one.new, one.moved)).collect();
    assert_eq!(groups, [("1", 0, 2), ("2", 1, 0)]);
    let times: Vec<_> =
        report.times.iter().map(|one| (&*one.value, one.times, one.median)).collect();
    assert_eq!(times, [("Print", 1, 4 * DAY)], "the start of the first value is unknown");
    assert_eq!(report.sources, [(Some("a title".to_owned()), 1)]);
    let error = queries::report(&mirror, "photo_album", 0..1, Some("no")).unwrap_err();
    assert_eq!(error.to_string(), "cannot read the table `photo`: it has no column `no`");
}

#[test]
fn a_funnel_counts_past_values_and_a_board_begins_with_the_known_ones() {
    let mirror = mirror(&Place::new());
    let passages = queries::passages(&mirror, "photo_album", None).unwrap();
    let shown: Vec<_> = passages
        .iter()
        .map(|one| (one.by.as_deref().unwrap(), &*one.value, one.ever, one.left))
        .collect();
    let first = [("1", "New", 2, 1), ("1", "Print", 1, 1), ("1", "Rejected", 1, 0)];
    assert_eq!(shown, [&first[..], &[("2", "New", 1, 1), ("2", "Print", 1, 0)]].concat());
    let ends = |name: Option<&str>, value: &str| {
        let order = [(None, vec!["New".to_owned()]), (name.map(Into::into), vec![value.into()])];
        queries::ends(&passages, &order, &[]).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ends(None, "Print"), ["Rejected"]);
    assert_eq!(ends(Some("Closed"), "Rejected"), ["Rejected"]);
    assert_eq!(ends(Some("Hired"), "Sold"), ["Sold"], "exactly what the team has named");
    let named = [(Some("Closed".to_owned()), vec!["Rejected".to_owned(), "New".to_owned()])];
    let both = |all: &[_]| queries::ends(all, &named, &["New"]).into_iter().eq(["New", "Rejected"]);
    assert!(both(&passages) && both(&[]), "even after many have left one, and without history");
    assert_eq!(queries::ends(&passages, &[], &["Rejected"]).len(), 0, "the first value");
    let board = queries::board(&mirror, "photo_album", &["Sold", "New"], true).unwrap();
    let values: Vec<_> = board.values.iter().map(Option::as_deref).collect();
    assert_eq!(values, [Some("Sold"), Some("New"), Some("Print"), Some("Rejected")]);
    let counts: Vec<Vec<u64>> =
        board.groups.iter().map(|one| one.cells.iter().map(|cell| cell.count).collect()).collect();
    assert_eq!(counts, [[0, 1, 0, 1], [0, 0, 1, 0]]);
    let cell = board.groups[1].cells[2];
    assert_eq!((cell.since, cell.median), (17 * DAY + EVENING, 17 * DAY + EVENING));
    let error = queries::board(&mirror, "photo", &[], false).unwrap_err().to_string();
    let says = "cannot read `photo`: the mirror has no placements of this name; sync it first";
    assert_eq!(error, says);
}

#[test]
fn duplicates_have_the_same_address_or_number() {
    const OWNER: Table = Table::new(
        "owner",
        "id",
        &[
            Column::integer(&["id"]),
            Column::text(&["mail"]).personal(),
            Column::text(&["phone"]).personal(),
            Column::text(&["mobile"]).personal(),
        ],
    );
    let mut mirror = Mirror::in_memory().unwrap();
    let mut run = mirror.begin("owners/list", &OWNER, Rules::default()).unwrap();
    for record in [
        r#"{"id":9,"mail":"ada@example.com","phone":"+40 (0721) 000-501"}"#,
        r#"{"id":2,"mail":" ADA@example.com","mobile":"0721 000 501"}"#,
        r#"{"id":3,"phone":"0040721000501","mobile":"0721000501"}"#,
        r#"{"id":4,"mail":"","phone":"501"}"#,
        r#"{"id":5,"mail":" ","phone":"5-01"}"#,
        r#"{"id":6,"phone":"0721000502"}"#,
        // Two sets have the same first record, so the second record decides their order.
        r#"{"id":10,"phone":"0721000701","mobile":"0721000702"}"#,
        r#"{"id":11,"mobile":"0721000702"}"#,
        r#"{"id":12,"phone":"0721000701"}"#,
    ] {
        run.record(record).unwrap();
    }
    run.finish().unwrap();
    let expected = ["mail: 9 2", "mobile phone: 9 2 3", "mobile: 10 11", "phone: 10 12"];
    for _ in 0..8 {
        let found = queries::duplicates(&mirror, "owner", &["mail"], &["phone", "mobile"]).unwrap();
        let shown: Vec<String> = found
            .iter()
            .map(|one| format!("{}: {}", one.columns.join(" "), one.ids.join(" ")))
            .collect();
        assert_eq!(shown, expected);
    }
}
