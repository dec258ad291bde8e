//! Reading records: their times, and that erased ones are not returned.

use methodical_mirror::{Filter, Mirror, Paging, Record, State};

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
