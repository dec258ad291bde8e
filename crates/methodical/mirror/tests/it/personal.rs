//! Mirrors that omit personal data: nothing personal is stored, and changes of other fields are noticed.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Mirror, Rules, State};

use crate::place::Place;
use crate::support::{PHOTO_WITH_STARS, feed, photos, records, sync, table};

const SECRET: &str =
    r#"{"id":"1","title":"Zanzibar","size":3,"place":{"id":"7","name":"Zanzibar"},"x":"Zanzibar"}"#;
const OTHER: &str = r#"{"id":"2","size":null}"#;

#[test]
fn nothing_personal_is_stored() {
    let (place, mut mirror) = Place::opened();
    assert!(!mirror.omits_personal().unwrap());
    assert_eq!(mirror.omit_personal().unwrap(), 0);
    drop(mirror);
    let mut mirror = place.open();
    assert!(mirror.omits_personal().unwrap());
    photos(&mut mirror, &[SECRET, OTHER]);
    photos(&mut mirror, &[&SECRET.replace('3', "4"), OTHER]);
    photos(&mut mirror, &[OTHER]);
    assert!(!place.contains("Zanzibar"));
    let json = records(&mirror).remove(0).2;
    assert_eq!(json, r#"{"id":"1","place":{"id":"7"},"size":4}"#);
    assert_eq!(records(&mirror).remove(1).2, r#"{"id":"2"}"#);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn only_changes_of_other_fields_are_noticed() {
    let (_place, mut mirror) = Place::opened();
    mirror.omit_personal().unwrap();
    photos(&mut mirror, &[SECRET]);
    let edited = |from: &str, to: &str| SECRET.replace(from, to);
    for (record, fields) in [
        (SECRET.replace(':', " : "), ""),
        (edited("Zanzibar", "Z"), ""),
        (edited(r#""size":3"#, r#""size":4"#), "size"),
        (edited(r#""id":"7""#, r#""id":"8""#), "place_id"),
        (r#"{"id":"1","size":4}"#.to_owned(), "place,place_id,size"),
    ] {
        photos(&mut mirror, &[SECRET]);
        let before = mirror.cursor().unwrap();
        let report = photos(&mut mirror, &[&record]);
        let changes = mirror.changes(Some(&before), 9).unwrap().0;
        let found = changes.first().map(|change| change.fields.join(","));
        assert_eq!(found.unwrap_or_default(), fields, "{record}");
        assert_eq!(report.changed, u64::from(!fields.is_empty()), "{record}");
    }
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn an_existing_mirror_is_emptied_and_nothing_counts_as_changed() {
    let (place, mut mirror) = Place::opened();
    let third = SECRET.replace(r#""id":"1""#, r#""id":"3""#);
    let fourth = SECRET.replace(r#""id":"1""#, r#""id":"4","stars":5"#);
    photos(&mut mirror, &[SECRET, OTHER, &third, &fourth]);
    photos(&mut mirror, &[SECRET, OTHER, &fourth]);
    mirror.forget("photo", "4").unwrap();
    assert!(place.contains("Zanzibar"));
    let times = |mirror: &Mirror| -> Vec<_> {
        let records = table(mirror, "photo").into_iter();
        records.map(|one| (one.id, one.state, one.changed_at, one.missing_since)).collect()
    };
    let before = times(&mirror);
    assert_eq!(mirror.omit_personal().unwrap(), 3);
    assert_eq!(mirror.omit_personal().unwrap(), 0);
    assert!(!place.contains("Zanzibar"));
    assert_eq!(times(&mirror), before);
    assert_eq!(mirror.check().unwrap().findings, []);

    assert_eq!(photos(&mut mirror, &[SECRET, OTHER, &third, &fourth]).returned, 1);
    let list = [SECRET, OTHER, &third, &fourth];
    // Another description gives an omitted field a column.
    let report = sync(&mut mirror, &PHOTO_WITH_STARS, Rules::default(), &list).unwrap();
    assert_eq!((report.unchanged, report.changed, report.suppressed), (3, 0, 1));
    assert_eq!(feed(&mirror), ["missing 3", "gone 4", "returned 3"]);
    let states: Vec<State> = records(&mirror).into_iter().map(|(_, state, _)| state).collect();
    assert_eq!(states, [State::Present, State::Present, State::Present, State::Forgotten]);
    assert!(!place.contains("Zanzibar"));
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn a_column_that_becomes_personal_is_no_change() {
    const ID: Column = Column::text(&["id"]);
    const SHOWN: Table = Table::new("photo", "id", &[ID, Column::integer(&["size"])]);
    const HIDDEN: Table = Table::new("photo", "id", &[ID, Column::integer(&["size"]).personal()]);
    let (place, mut mirror) = Place::opened();
    mirror.omit_personal().unwrap();
    for table in [&SHOWN, &HIDDEN, &SHOWN] {
        let report =
            sync(&mut mirror, table, Rules::default(), &[r#"{"id":"1","size":3}"#]).unwrap();
        assert_eq!(report.changed, 0);
    }
    assert_eq!(feed(&mirror), [""; 0]);
    // As an earlier release wrote it.
    place.execute(r#"UPDATE photo SET mirror_extra = '{"mirror_personal":"ab"}'"#);
    assert_eq!(records(&mirror).remove(0).2, r#"{"id":"1","size":3}"#);
}

/// Text with half of an emoji has no meaning that a later sync could compare. Its record is rejected, and the others
/// are kept.
#[test]
fn a_record_that_cannot_be_compared_later_is_rejected() {
    let (_place, mut mirror) = Place::opened();
    for note in ["1", "2"] {
        let first = format!(r#"{{"id":"1","note{note}":"\ud83d","title":"a"}}"#);
        let second = r#"{"id":"2","title":"b","place":{"other":["\ude00"]}}"#;
        let report = photos(&mut mirror, &[&*first, second, r#"{"id":"3"}"#]);
        assert_eq!((report.added + report.unchanged, report.rejected), (1, 2));
    }
}
