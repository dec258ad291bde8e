//! Pages and the latest changes.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Filter, Mirror, Order, Paging, Rules, State};

use crate::place::Place;
use crate::support::{Clock, photos};

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
            mirror.index("photo", &orders).unwrap();
            mirror.index("photo", &orders).unwrap();
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
fn an_index_keeps_no_erased_value() {
    let place = Place::new();
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Sea"}"#]);
    mirror.index("photo", &[Order::Text("title".to_owned())]).unwrap();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Lake"}"#]);
    assert!(place.contains("anzibar"));
    mirror.forget("photo", "1").unwrap();
    drop(mirror);
    assert!(!place.contains("anzibar"));
}
