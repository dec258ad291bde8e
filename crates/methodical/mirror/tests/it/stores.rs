//! The behavior of every store: who may open and write a mirror, what a sync writes, and how it migrates.

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{ErrorKind, Rules, Source};

use crate::place::Place;
use crate::support::{PHOTO, PHOTO_WITH_STARS, accepting, feed, photos, records, sync};

#[test]
fn another_account_or_base_url_is_refused() {
    let place = Place::new();
    drop(place.open());
    for (base_url, account) in [
        ("https://gateway.example.com", "you"),
        ("https://gateway.example.org", "me"),
        ("https://gateway.example.com/eu", "me"),
    ] {
        let error = place.open_of(&Source::new(base_url, account)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OtherSource);
    }
    drop(place.open_of(&Source::new("HTTPS://gateway.EXAMPLE.com/", "me")).unwrap());
}

#[test]
fn an_existing_mirror_opens_without_its_source() {
    let place = Place::new();
    assert_eq!(place.open_existing().unwrap_err().kind(), ErrorKind::Io);
    let mut mirror = place.open();
    photos(&mut mirror, &[r#"{"id":"1"}"#, r#"{"id":"2"}"#]);
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let mirror = place.open_existing().unwrap();
    let (changes, cursor) = mirror.changes(None, 10).unwrap();
    assert_eq!(mirror.cursor_after(&changes[0]), cursor);
}

#[test]
fn an_unchanged_list_writes_no_row() {
    let (place, mut mirror) = Place::opened();
    let list: Vec<String> = (0..2000).map(|id| format!(r#"{{"id":"{id}","size":{id}}}"#)).collect();
    photos(&mut mirror, &list);
    audit(&place);
    let written = || place.row("SELECT count(*) FROM audit").remove(0);
    let mut reversed = list.clone();
    reversed.reverse();
    let spelled: Vec<String> =
        (0..2000).map(|id| format!(r#"{{"size": {id}, "id": "{id}"}}"#)).collect();
    for list in [&list, &reversed, &spelled, &list] {
        assert_eq!(photos(&mut mirror, list).unchanged, 2000);
        assert_eq!(written(), "0");
    }
    r#"{"id":"0","size":7}"#.clone_into(&mut reversed[1999]);
    assert_eq!(photos(&mut mirror, &reversed).changed, 1);
    assert_eq!(written(), "2");
}

/// In the previous schema, a hash had 24 bytes, from which the hash of this release cannot be derived.
#[test]
fn a_mirror_of_the_former_schema_gets_new_hashes_without_changes() {
    for omits in [false, true] {
        let place = Place::new();
        let list = [r#"{"id":"1","size":1,"x":"y"}"#, r#"{"id":"2","title":"a"}"#, r#"{"id":"3"}"#];
        let mut mirror = place.open();
        photos(&mut mirror, &list);
        if omits {
            mirror.omit_personal().unwrap();
        }
        drop(mirror);
        place.execute("UPDATE photo SET mirror_hash = randomblob(24); PRAGMA user_version = 2");
        let mut mirror = place.open();
        assert_eq!(mirror.check().unwrap().findings, []);
        audit(&place);
        let lengths = "SELECT min(length(mirror_hash)), max(length(mirror_hash)) FROM photo";
        for list in [&list[..], &list] {
            assert_eq!(photos(&mut mirror, list).unchanged, 3);
            assert_eq!(place.row("SELECT count(*) FROM audit"), ["3"]);
            assert_eq!(place.row(lengths), ["16", "16"]);
        }
        assert_eq!(place.row("SELECT user_version FROM pragma_user_version"), ["6"]);
        assert_eq!(feed(&mirror), Vec::<String>::new());
        assert_eq!(mirror.check().unwrap().findings, []);
    }
}

/// Records each row that is written from now on in the table `audit`.
fn audit(place: &Place) {
    place.execute("CREATE TABLE audit (what TEXT)");
    for table in ["photo", "mirror_change"] {
        for event in ["INSERT", "UPDATE", "DELETE"] {
            let head = format!("CREATE TRIGGER {table}_{event} AFTER {event} ON {table}");
            place.execute(&format!(
                "{head} BEGIN INSERT INTO audit VALUES ('{event} {table}'); END"
            ));
        }
    }
}

#[test]
fn a_view_has_the_present_records_and_gets_new_columns() {
    let (place, mut mirror) = Place::opened();
    let starred = [r#"{"id":"1","title":"Harbour","stars":5}"#];
    let list = [starred[0], r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    photos(&mut mirror, &list);
    photos(&mut mirror, &list[..2]);
    mirror.forget("photo", "2").unwrap();
    // A view of another program must not keep a column from being added.
    place.execute("CREATE VIEW titles AS SELECT title FROM photo_present");
    assert_eq!(place.row("SELECT count(*), max(title) FROM photo_present"), ["1", "Harbour"]);
    let report = sync(&mut mirror, &PHOTO_WITH_STARS, Rules::default(), &starred).unwrap();
    assert_eq!((report.unchanged, report.changed), (1, 0));
    assert_eq!(place.row("SELECT count(*) FROM photo WHERE mirror_extra IS NOT NULL"), ["0"]);
    let view = "SELECT id, stars, titles.title FROM photo_present, titles WHERE mirror_first_seen IS NOT NULL";
    assert_eq!(place.row(view), ["1", "5", "Harbour"]);
    photos(&mut mirror, &starred);
    assert_eq!(mirror.check().unwrap().findings, []);
}

#[test]
fn a_column_of_another_kind_is_refused() {
    const OTHER: Table =
        Table::new("photo", "id", &[Column::text(&["id"]), Column::text(&["size"])]);
    let (_place, mut mirror) = Place::opened();
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
    let error = mirror.begin("photos/list", &OTHER, Rules::default()).unwrap_err();
    let says = "cannot use the column `size` of `photo`: it has INTEGER values, but the description expects TEXT; \
                create another mirror";
    assert_eq!(error.to_string(), says);
    let error = mirror.begin("photos/new", &PHOTO, Rules::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Table);
    photos(&mut mirror, &[r#"{"id":"1"}"#]);
}

#[test]
fn the_guard_commits_nothing_until_its_number_is_accepted() {
    let (_place, mut mirror) = Place::opened();
    let list: Vec<String> = (0..600).map(|id| format!(r#"{{"id":"{id:03}"}}"#)).collect();
    let list: Vec<&str> = list.iter().map(String::as_str).collect();
    photos(&mut mirror, &list);
    let before = records(&mirror);

    let short = [&list[..500], &[r#"{"id":"new"}"#]].concat();
    let error = sync(&mut mirror, &PHOTO, Rules::default(), &short).unwrap_err();
    assert_eq!((error.kind(), error.missing()), (ErrorKind::DeletionGuard, Some(100)));
    let says = "100 of 600 records are missing from the list (more than 50 and more than 10 %); \
                check the service, then accept 100 missing records";
    assert_eq!(error.to_string(), says);
    let wrong = sync(&mut mirror, &PHOTO, accepting(99), &short).unwrap_err();
    assert_eq!(wrong.missing(), Some(100));
    let empty = sync(&mut mirror, &PHOTO, Rules::default(), &[""; 0]).unwrap_err();
    assert_eq!(empty.missing(), Some(600));
    assert_eq!(records(&mirror), before);
    assert_eq!(feed(&mirror), [""; 0]);

    let report = sync(&mut mirror, &PHOTO, accepting(100), &short).unwrap();
    assert_eq!((report.added, report.missing, report.gone), (1, 100, 0));
    let report = photos(&mut mirror, &short);
    assert_eq!((report.missing, report.gone), (0, 100));
}

#[test]
fn most_people_that_change_at_once_are_refused() {
    let list = |first: usize, count: usize| -> Vec<String> {
        let person = |id: usize| {
            let name = first + id;
            format!(
                r#"{{"id":"{id}","title":"Person {name}","place":{{"id":"7","name":"At {name}"}}}}"#
            )
        };
        (0..count).map(person).collect()
    };
    let (_place, mut mirror) = Place::opened();
    let mut sync = |rules: Rules, list: &[String]| sync(&mut mirror, &PHOTO, rules, list);
    let people = list(0, 20);
    sync(Rules::default(), &people).unwrap();
    // Ids are reassigned: each one now refers to the next person.
    let error = sync(Rules::default(), &list(1, 20)).unwrap_err();
    assert_eq!(error.missing(), Some(20));
    let says = "20 of 20 records have different personal data, as if their ids now belonged to other people; \
                check the service, then accept 20 missing records";
    assert_eq!(error.to_string(), says);
    let half = [&list(1, 10)[..], &people[10..]].concat();
    assert_eq!(sync(Rules::default(), &half).unwrap().changed, 10);
    let spelled: Vec<String> = half.iter().map(|one| one.replace("Person ", "PERSON  ")).collect();
    assert_eq!(sync(Rules::default(), &spelled).unwrap().changed, 20);
    let others = list(1, 19);
    let missing = sync(Rules::default(), &list(100, 19)).unwrap_err().missing();
    assert_eq!(missing, Some(20));
    assert_eq!(sync(Rules::default(), &others).unwrap().missing, 1);
    assert_eq!(sync(accepting(19), &list(100, 19)).unwrap().changed, 19);
}

#[test]
fn losses_that_are_small_at_each_sync_add_up_for_a_week() {
    const DAY: u64 = 24 * 3600;
    let (_place, mut mirror, clock) = Place::timed();
    let mut sync = |day: u64, rules: Rules, count: usize| {
        clock.set((20_000 + day) * DAY);
        let list: Vec<String> = (0..count).map(|id| format!(r#"{{"id":"{id}"}}"#)).collect();
        sync(&mut mirror, &PHOTO, rules, &list)
    };
    sync(0, Rules::default(), 1000).unwrap();
    sync(0, Rules::default(), 940).unwrap();
    let error = sync(3, Rules::default(), 880).unwrap_err();
    assert_eq!(error.missing(), Some(60));
    let says = "only 880 records are left of 1000 a week ago (more than 50 and more than 10 % were lost); \
                check the service, then accept 60 missing records";
    assert_eq!(error.to_string(), says);
    assert_eq!(sync(3, accepting(60), 880).unwrap().missing, 60);
    // Accepted losses, and those older than a week, do not count.
    assert_eq!(sync(4, Rules::default(), 820).unwrap().missing, 60);
    assert_eq!(sync(12, Rules::default(), 760).unwrap().missing, 60);
    // New records offset those that left.
    assert_eq!(sync(13, Rules::default(), 800).unwrap().returned, 40);
    assert_eq!(sync(14, Rules::default(), 740).unwrap().missing, 60);
    // Losses in the future do not count, because the clock was set back.
    assert_eq!(sync(3, Rules::default(), 680).unwrap().missing, 60);
}

#[test]
fn values_of_all_kinds_are_kept_exactly() {
    const ALL: Table = Table::new(
        "photo",
        "id",
        &[
            Column::text(&["title"]),
            Column::integer(&["id"]),
            Column::boolean(&["open"]),
            Column::json(&["tags"]),
            Column::text(&["place", "name"]),
        ],
    );
    let first = r#"{"id":-7,"open":false,"place":{"name":"+31 6","zip":"0049"},"score":0.1,"tags":[1.0,"\u0000"],"title":"=1+1 😀 \"\\"}"#;
    let second = r#"{"id":-7,"open":true,"place":{"name":"é"},"score":-1e+300,"tags":{"a":null},"title":"\u0000a\u0000"}"#;
    let (_place, mut mirror) = Place::opened();
    for list in [first, second, first] {
        sync(&mut mirror, &ALL, Rules::default(), &[list]).unwrap();
        let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        let (id, _, kept) = records(&mirror).remove(0);
        assert_eq!((&*id, json(&kept)), ("-7", json(list)));
        assert_eq!(sync(&mut mirror, &ALL, Rules::default(), &[list]).unwrap().unchanged, 1);
    }
    assert_eq!(feed(&mirror).len(), 2);
}
