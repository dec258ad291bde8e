//! Reading records: in pages, with their times, and without erased ones.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Filter, Mirror, Order, Paging, Record, Rules, State};

use crate::place::Place;
use crate::support::{photos, table};

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
    let (mut pages, mut paging) = (Vec::new(), paging.clone());
    loop {
        let page = mirror.browse("photo", filter, &paging).unwrap();
        let ids: Vec<String> = page.records.into_iter().map(|record| record.id).collect();
        pages.push(ids.join(" "));
        paging.after = page.next;
        if paging.after.is_none() {
            return pages;
        }
        assert!(pages.len() < 100);
    }
}

fn by_title() -> Paging {
    Paging { order: Order::Text("title".to_owned()), ..Paging::new(2) }
}

#[test]
fn pages_follow_each_other_in_each_order() {
    for has_indexes in [false, true] {
        let (_place, mut mirror, clock) = Place::timed();
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
        let changed = Paging { order: Order::Changed, ..Paging::new(2) };
        let descending = |paging: &Paging| Paging { is_descending: true, ..paging.clone() };
        for (paging, expected) in [
            (&first_seen, ["1 2", "3 4", "5"]),
            (&descending(&first_seen), ["5 4", "3 2", "1"]),
            (&changed, ["2 3", "4 5", "1"]),
            (&descending(&changed), ["1 5", "4 3", "2"]),
        ] {
            assert_eq!(pages(&mirror, &live, paging), expected, "{paging:?}");
        }
        let present = Filter::new().state(State::Present);
        assert_eq!(pages(&mirror, &present, &by_title()), ["3 2", "4 1"]);
        assert_eq!(pages(&mirror, &present, &descending(&by_title())), ["1 4", "2 3"]);
        let missing = Filter::new().state(State::Missing);
        assert_eq!(pages(&mirror, &missing, &changed), ["5"]);
        assert_eq!(pages(&mirror, &Filter::new().contains("alps"), &by_title()), ["2 4"]);
        assert_eq!(pages(&mirror, &Filter::new().column("title", "Alps"), &by_title()), ["2"]);
    }
}

#[test]
fn members_of_a_group_are_selected_by_value_and_by_its_absence() {
    let (_place, mut mirror, clock) = Place::timed();
    let mut placed = |at, rows: &[(u32, u32, Option<&str>)]| {
        clock.set(at);
        let mut run = mirror.begin("recovery/photo_album", &PLACEMENT, Rules::default()).unwrap();
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
    let oldest = Paging { order: Order::Changed, ..Paging::new(9) };
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
    let (place, mut mirror) = Place::opened();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Sea"}"#]);
    mirror.index("photo", &[Order::Text("title".to_owned())]).unwrap();
    photos(&mut mirror, &[r#"{"id":"1","title":"Zanzibar"}"#, r#"{"id":"2","title":"Lake"}"#]);
    assert!(place.contains("anzibar"));
    mirror.forget("photo", "1").unwrap();
    drop(mirror);
    assert!(!place.contains("anzibar"));
}

fn ids(mirror: &Mirror, filter: &Filter) -> String {
    let page = mirror.browse("photo", filter, &Paging::new(usize::MAX)).unwrap().records;
    page.into_iter().map(|record| record.id).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_record_has_the_times_of_its_states() {
    const OTHER: &str = r#"{"id":"2"}"#;

    let (_place, mut mirror, time) = Place::timed();
    let mut at = |seconds, list: &[&str]| {
        time.set(seconds);
        photos(&mut mirror, list);
        let record = table(&mirror, "photo").remove(0);
        let Record { first_seen, changed_at, missing_since, gone_at, .. } = record;
        (first_seen, changed_at, missing_since, gone_at)
    };
    assert_eq!(at(10, &[r#"{"id":"1"}"#, OTHER]), (10, 10, None, None));
    assert_eq!(at(20, &[r#"{"id":"1","size":1}"#, OTHER]), (10, 20, None, None));
    assert_eq!(at(30, &[OTHER]), (10, 20, Some(30), None));
    assert_eq!(at(40, &[r#"{"id":"1","size":1}"#, OTHER]), (10, 20, None, None));
    assert_eq!(at(50, &[OTHER]), (10, 20, Some(50), None));
    assert_eq!(at(60, &[OTHER]), (10, 20, Some(50), Some(60)));
    assert_eq!(at(70, &[r#"{"id":"1"}"#, OTHER]), (10, 70, None, None));
}

#[test]
fn an_erased_record_is_not_found() {
    const GONE: &str = r#"{"id":"1","title":"Zoë","place":{"id":"zoë"}}"#;
    const FORGOTTEN: &str = r#"{"id":"2","title":"Zoë","place":{"id":"zoë"}}"#;
    const OTHER: &str = r#"{"id":"3","title":"ZOË"}"#;

    let (_place, mut mirror) = Place::opened();
    photos(&mut mirror, &[GONE, FORGOTTEN, OTHER]);
    let filter = Filter::new().contains("zoë");
    assert_eq!(ids(&mirror, &filter), "1 2 3");
    photos(&mut mirror, &[FORGOTTEN, OTHER]);
    assert_eq!(ids(&mirror, &filter), "1 2 3");
    photos(&mut mirror, &[FORGOTTEN, OTHER]);
    mirror.forget("photo", "2").unwrap();
    assert_eq!(ids(&mirror, &filter), "3");
    assert_eq!(ids(&mirror, &filter.state(State::Gone)), "");
}
