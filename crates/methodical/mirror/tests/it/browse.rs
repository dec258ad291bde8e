//! Pages and the latest changes.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{ErrorKind, Filter, Mirror, Order, Paging, Rules, State};

use crate::place::Place;
use crate::support::{Clock, photos, shown};

const PLACEMENT: Table = Table::new(
    "photo_album",
    "id",
    &[
        Column::text(&["id"]),
        Column::integer(&["album_id"]),
        Column::text(&["photo_id"]),
        Column::text(&["status"]),
    ],
);

/// Returns the identities of each page.
fn pages(mirror: &Mirror, filter: &Filter, paging: &Paging) -> Vec<String> {
    let (mut pages, mut next) = (Vec::new(), None);
    loop {
        let paging = next.map_or_else(|| paging.clone(), |next| paging.clone().after(next));
        let page = mirror.browse("photo", filter, &paging).unwrap();
        let ids: Vec<String> = page.records.into_iter().map(|record| record.id).collect();
        pages.push(ids.join(" "));
        next = page.next;
        if next.is_none() {
            return pages;
        }
        assert!(pages.len() < 100);
    }
}

fn by_title() -> Paging {
    Paging::new(2).order(Order::Text("title".to_owned()))
}

#[test]
fn pages_follow_each_other_in_each_order() {
    for has_indexes in [false, true] {
        let (place, clock) = (Place::new(), Clock::default());
        let mut mirror = clock.of(place.open());
        clock.set(10);
        let [one, two, three, four, five] = [
            r#"{"id":"1","title":"beach"}"#,
            r#"{"id":"2","title":"Alps"}"#,
            r#"{"id":"3"}"#,
            r#"{"id":"4","title":"ALPS"}"#,
            r#"{"id":"5","title":"\u0000"}"#,
        ];
        photos(&mut mirror, &[one, two, three, four, five]);
        clock.set(20);
        photos(&mut mirror, &[r#"{"id":"1","title":"Beach"}"#, two, three, four]);
        if has_indexes {
            let orders = [Order::FirstSeen, Order::Changed, Order::Text("title".to_owned())];
            mirror.index_pages("photo", &orders).unwrap();
            mirror.index_pages("photo", &orders).unwrap();
        }
        let live = Filter::new().state(State::Present).state(State::Missing);
        let first_seen = Paging::new(2);
        let changed = Paging::new(2).order(Order::Changed);
        for (paging, expected) in [
            (first_seen.clone(), ["1 2", "3 4", "5"]),
            (first_seen.descending(), ["5 4", "3 2", "1"]),
            (changed.clone(), ["2 3", "4 5", "1"]),
            (changed.descending(), ["1 5", "4 3", "2"]),
        ] {
            assert_eq!(pages(&mirror, &live, &paging), expected, "{paging:?}");
        }
        let present = Filter::new().state(State::Present);
        assert_eq!(pages(&mirror, &present, &by_title()), ["3 2", "4 1"]);
        assert_eq!(pages(&mirror, &present, &by_title().descending()), ["1 4", "2 3"]);
        let missing = Filter::new().state(State::Missing);
        assert_eq!(pages(&mirror, &missing, &Paging::new(2).order(Order::Changed)), ["5"]);
        assert_eq!(pages(&mirror, &Filter::new().contains("alps"), &by_title()), ["2 4"]);
        assert_eq!(pages(&mirror, &Filter::new().column("title", "Alps"), &by_title()), ["2"]);
    }
}

#[test]
fn a_page_names_what_the_mirror_lacks() {
    let place = Place::new();
    let mirror = &mut place.open();
    photos(mirror, &[r#"{"id":"1"}"#]);
    let all = Filter::new();
    let error =
        mirror.browse("photo", &all, &Paging::new(1).order(Order::Changed).after(77)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cursor);
    for (table, paging) in [
        ("video", Paging::new(1)),
        ("photo", Paging::new(1).order(Order::Text("stars".to_owned()))),
        ("photo", Paging::new(1).order(Order::Text("size".to_owned()))),
    ] {
        assert_eq!(mirror.browse(table, &all, &paging).unwrap_err().kind(), ErrorKind::Table);
    }
    assert_eq!(mirror.record("photo", "1").unwrap().unwrap().id, "1");
    assert_eq!(mirror.record("photo", "2").unwrap(), None);
    assert_eq!(mirror.record("video", "1").unwrap(), None);
}

#[test]
fn records_are_found_by_their_identities() {
    let place = Place::new();
    let mirror = &mut place.open();
    photos(mirror, &[r#"{"id":"1"}"#, r#"{"id":"2","title":"Sea"}"#, r#"{"id":"3"}"#]);
    let found = mirror.records_of("photo", &["3", "x", "2", "\0", "2"]).unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(found["2"], mirror.record("photo", "2").unwrap().unwrap());
    assert_eq!(found["3"].id, "3");
    assert!(mirror.records_of("photo", &[]).unwrap().is_empty());
    assert!(mirror.records_of("video", &["1"]).unwrap().is_empty());
}

#[test]
fn members_of_a_group_are_selected_by_value_and_by_its_absence() {
    let place = Place::new();
    let clock = Clock::default();
    let mut mirror = clock.of(place.open());
    let mut placed = |at, rows: &[(u32, u32, Option<&str>)]| {
        clock.set(at);
        let mut run = mirror.begin("recovery/photo_album", &PLACEMENT, Rules::new()).unwrap();
        for (album, photo, status) in rows {
            let status = status.map_or("null".to_owned(), |status| format!("\"{status}\""));
            let json = format!(
                r#"{{"id":"{album}/{photo}","album_id":{album},"photo_id":"{photo}","status":{status}}}"#
            );
            run.record(&json).unwrap();
        }
        run.finish().unwrap();
    };
    let (draft, sold) = (Some("draft"), Some("sold"));
    placed(10, &[(7, 1, draft), (7, 2, draft), (7, 3, draft), (8, 1, None), (8, 2, sold)]);
    placed(20, &[(7, 1, draft), (7, 2, sold), (7, 3, draft), (8, 1, None)]);
    placed(30, &[(7, 1, draft), (7, 2, sold), (7, 3, draft), (7, 4, draft), (8, 1, None)]);
    let of_group = Filter::new().state(State::Present).column("album_id", "7");
    let of_value = of_group.clone().column("status", "draft");
    let oldest = Paging::new(9).order(Order::Changed);
    let unknown = Filter::new().one_of("status", &[None]);
    let several = Filter::new().one_of("status", &[None, sold]);
    for (filter, expected) in [
        (of_group, "7/1 7/3 7/2 7/4"),
        (of_value, "7/1 7/3 7/4"),
        (unknown, "8/1"),
        (several.clone(), "8/1 8/2 7/2"),
        (several.column("album_id", "7"), "7/2"),
        (Filter::new().one_of("status", &[]), ""),
    ] {
        let page = mirror.browse("photo_album", &filter, &oldest).unwrap();
        let ids: Vec<&str> = page.records.iter().map(|record| &*record.id).collect();
        assert_eq!(ids.join(" "), expected);
    }
}

#[test]
fn the_latest_changes_are_those_of_all_records_or_of_one() {
    let place = Place::new();
    let mirror = &mut place.open();
    photos(mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]);
    photos(mirror, &[r#"{"id":"1","size":1}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
    photos(mirror, &[r#"{"id":"1","size":2}"#, r#"{"id":"2"}"#]);
    let latest = mirror.latest_changes(None, None, 3).unwrap();
    assert_eq!(shown(&latest), ["missing 3", "changed 1 size", "added 3"]);
    let before = latest.last().map(|change| change.number);
    let earlier = mirror.latest_changes(None, before, 9).unwrap();
    assert_eq!(shown(&earlier), ["changed 1 size"]);
    let of = Some(("photo", "3"));
    assert_eq!(shown(&mirror.latest_changes(of, None, 9).unwrap()), ["missing 3", "added 3"]);
}

#[test]
fn an_index_keeps_no_erased_value() {
    let place = Place::new();
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Sea"}"#]);
    mirror.index_pages("photo", &[Order::Text("title".to_owned())]).unwrap();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Lake"}"#]);
    assert!(place.contains("anzibar"));
    mirror.forget("photo", "1").unwrap();
    drop(mirror);
    assert!(!place.contains("anzibar"));
}
