//! Reading records: times, filters, pages and searches, on all stores.

use methodical_mirror::{ErrorKind, Filter, Mirror, Paging, Record, State};

use crate::place::Place;
use crate::support::{Clock, photos};

fn all(mirror: &Mirror) -> Vec<Record> {
    mirror.browse("photo", &Filter::new(), &Paging::new(usize::MAX)).unwrap().records
}

fn ids(mirror: &Mirror, filter: &Filter) -> String {
    let page = mirror.browse("photo", filter, &Paging::new(usize::MAX)).unwrap().records;
    page.into_iter().map(|record| record.id).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_record_has_the_times_of_its_states() {
    const OTHER: &str = r#"{"id":"2"}"#;

    let place = Place::new();
    let mirror = place.open();
    let time = Clock::default();
    let mut mirror = time.of(mirror);
    let mut at = |seconds, list: &[&str]| {
        time.set(seconds);
        photos(&mut mirror, list);
        let record = all(&mirror).remove(0);
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
fn a_filter_accepts_states_times_and_values() {
    const ONE: &str = r#"{"id":"1","title":"Harbour","size":7}"#;
    const TWO: &str = r#"{"id":"2","place":{"name":"Harbour"},"size":7}"#;
    const THREE: &str = r#"{"id":"3","size":8}"#;

    let place = Place::new();
    let mirror = place.open();
    let time = Clock::default();
    let mut mirror = time.of(mirror);
    for (seconds, list) in
        [(10, &[ONE, TWO][..]), (20, &[TWO, THREE]), (30, &[TWO]), (40, &[ONE, TWO])]
    {
        time.set(seconds);
        photos(&mut mirror, list);
    }
    let new = Filter::new;
    for (filter, expected) in [
        (new(), "1 2 3"),
        (new().state(State::Gone), "3"),
        (new().state(State::Present).state(State::Gone), "1 2 3"),
        (new().first_seen_since(11), "3"),
        (new().column("size", "7"), "1 2"),
        (new().column("size", "7").column("title", "Harbour"), "1"),
        (new().column("size", "seven"), ""),
        (new().contains("HARBOUR"), "1 2"),
        (new().contains("3"), ""),
        (new().contains("2"), "2"),
        (new().contains("%"), ""),
    ] {
        assert_eq!(ids(&mirror, &filter), expected, "{filter:?}");
    }
    let unknown = mirror.browse("photo", &new().column("stars", "1"), &Paging::new(9)).unwrap_err();
    assert_eq!(unknown.to_string(), "cannot read the table `photo`: it has no column `stars`");
    let unknown = mirror.browse("album", &new(), &Paging::new(9)).unwrap_err();
    assert_eq!(unknown.kind(), ErrorKind::Table);
}

#[test]
fn an_erased_record_is_not_found() {
    const GONE: &str = r#"{"id":"1","title":"Zoë","place":{"id":"zoë"}}"#;
    const FORGOTTEN: &str = r#"{"id":"2","title":"Zoë","place":{"id":"zoë"}}"#;
    const OTHER: &str = r#"{"id":"3","title":"ZOË"}"#;

    let place = Place::new();
    let mut mirror = place.open();
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
