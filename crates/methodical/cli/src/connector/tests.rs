//! Tests of the tap over a mirror with photos.

use std::time::{Duration, UNIX_EPOCH};

use methodical_mirror::model::tables::{Column, Table};
use methodical_mirror::{Mirror, Rules, State};
use serde_json::{Value, json};

use crate::connector::{Bookmark, Stream, Writer};
use crate::failure::Failure;

/// A table with a column of each kind.
static PHOTO: Table = Table::new(
    "photo",
    "id",
    &[
        Column::text(&["id"]),
        Column::text(&["title"]).personal(),
        Column::integer(&["size"]),
        Column::boolean(&["open"]),
        Column::json(&["tags"]),
        Column::text(&["place", "id"]),
        Column::text(&["place", "name"]).personal(),
    ],
);

/// Returns an empty mirror in memory, at 1 January 2026.
fn mirror() -> Mirror {
    Mirror::in_memory().unwrap().with_clock(|| UNIX_EPOCH + Duration::from_secs(1_767_225_600))
}

/// Syncs the list of photos.
fn sync(mirror: &mut Mirror, photos: &[&str]) {
    let mut run = mirror
        .begin("photos/list", &PHOTO, Rules { accepted_missing: Some(1), ..Rules::default() })
        .unwrap();
    for photo in photos {
        run.record(photo).unwrap();
    }
    run.finish().unwrap();
}

#[test]
fn a_state_of_another_program_is_refused() {
    let state = json!({"cursor": "m1.a.1.b", "layout": "x"});
    let bookmark = Bookmark::parse("photo", &state).unwrap();
    assert_eq!(serde_json::to_value(&bookmark).unwrap(), state);
    for foreign in [json!({"replication_key": "id"}), json!({"cursor": 7}), json!([])] {
        assert!(Bookmark::parse("photo", &foreign).is_err(), "{foreign}");
    }
}

/// Returns the messages of a run after a bookmark.
fn messages(mirror: &Mirror, after: Option<Bookmark>) -> Result<Vec<u8>, Failure> {
    let stream = Stream::of_table(&PHOTO);
    let state = after.map(|after| serde_json::to_value(after).unwrap());
    let bookmarks = state.into_iter().map(|state| ("photo".to_owned(), state)).collect();
    let extracted = "2026-01-01T00:00:00Z".to_owned();
    let mut writer = Writer { out: Vec::new(), mirror, bookmarks, extracted };
    writer.write_stream(&stream)?;
    Ok(writer.out)
}

/// Returns the records of a run, and the last bookmark.
fn run(mirror: &Mirror, after: Option<Bookmark>) -> (Vec<String>, Option<Bookmark>) {
    let out = messages(mirror, after).unwrap();
    let (mut said, mut bookmark) = (Vec::new(), None);
    for line in str::from_utf8(&out).unwrap().lines() {
        let message: Value = serde_json::from_str(line).unwrap();
        let record = &message["record"];
        match message["type"].as_str().unwrap() {
            "RECORD" if record["_sdc_deleted_at"].is_null() => {
                said.push(format!("is {}", record["id"]));
            }
            "RECORD" => said.push(format!("deleted {}", record["id"])),
            "STATE" => {
                let state = &message["value"]["bookmarks"]["photo"];
                bookmark = Some(Bookmark::parse("photo", state).unwrap());
            }
            _ => {}
        }
    }
    (said, bookmark)
}

fn refusal(mirror: &Mirror, after: Option<Bookmark>) -> String {
    messages(mirror, after).unwrap_err().text()
}

const ONE: &str = r#"{"id":"1","title":"Harbour"}"#;
const TWO: &str = r#"{"id":"2"}"#;

#[test]
fn each_run_continues_where_the_last_one_ended() {
    let mut mirror = mirror();
    sync(&mut mirror, &[ONE, TWO]);
    let (said, mut bookmark) = run(&mirror, None);
    assert_eq!(said, [r#"is "1""#, r#"is "2""#]);
    for (list, said) in [
        (&[ONE, TWO][..], &[][..]),
        (&[TWO], &[r#"deleted "1""#]),
        (&[TWO], &[r#"deleted "1""#]),
        (&[TWO], &[]),
        (&[ONE, TWO], &[r#"is "1""#]),
    ] {
        sync(&mut mirror, list);
        let next = run(&mirror, bookmark);
        assert_eq!(next.0, said);
        bookmark = next.1;
    }
    mirror.forget("photo", "2").unwrap();
    let (said, _) = run(&mirror, bookmark.clone());
    assert_eq!(said, [r#"deleted "2""#]);
    // A bookmark can be used again.
    assert_eq!(run(&mirror, bookmark).0, said);
}

#[test]
fn several_changes_of_a_record_are_one_row() {
    let mut mirror = mirror();
    sync(&mut mirror, &[ONE, TWO]);
    let (_, bookmark) = run(&mirror, None);
    for list in [&[TWO][..], &[ONE, TWO], &[TWO], &[ONE, TWO]] {
        sync(&mut mirror, list);
    }
    assert_eq!(run(&mirror, bookmark).0, [r#"is "1""#]);
}

#[test]
fn a_cursor_that_cannot_be_continued_is_refused() {
    let mut one = mirror();
    sync(&mut one, &[ONE]);
    let (_, bookmark) = run(&one, None);
    let foreign = refusal(&mirror(), bookmark.clone());
    assert!(
        foreign.contains("belongs to another mirror") && foreign.contains("to start over"),
        "{foreign}"
    );
    sync(&mut one, &[TWO, ONE]);
    one.purge(&methodical_mirror::Purge {
        until: Some(one.cursor().unwrap()),
        ..methodical_mirror::Purge::default()
    })
    .unwrap();
    assert!(refusal(&one, bookmark).contains("were removed"));
    let empty = Bookmark { cursor: String::new(), layout: String::new() };
    assert!(refusal(&one, Some(empty)).contains("the text is not a cursor"));
}

/// Returns the row of a photo as JSON, without the times.
fn shown(mirror: &Mirror) -> String {
    let stream = Stream::of_table(&PHOTO);
    let record = mirror.record("photo", "1").unwrap().unwrap();
    let row = stream.row(&record);
    assert_eq!(row["_sdc_deleted_at"].is_null(), record.state == State::Present);
    let is_time = |name: &str| name.ends_with("_seen") || name.ends_with("_at");
    let shown = stream.properties.iter().filter(|one| !is_time(&one.name));
    let cells = shown.map(|one| format!("\"{}\":{}", one.name, row[&*one.name]));
    format!("{{{}}}", cells.collect::<Vec<_>>().join(","))
}

fn of(photo: &str) -> String {
    let mut mirror = mirror();
    sync(&mut mirror, &[photo]);
    shown(&mirror)
}

#[test]
fn each_property_has_its_value() {
    assert_eq!(
        of(
            r#"{"id":"1","title":"=1+1 \ud83d\ude00\n","size":-7,"open":true,"tags":["a"],"place":{"id":"007","name":null}}"#
        ),
        r#"{"id":"1","title":"=1+1 😀\n","size":-7,"open":true,"tags":"[\"a\"]","place_id":"007","place_name":null,"mirror_extra":null}"#
    );
}

#[test]
fn a_value_that_its_property_cannot_have_is_in_the_rest() {
    for (member, rest) in [
        (r#""size":"7""#, r#"{\"size\":\"7\"}"#),
        (r#""size":9223372036854775808"#, r#"{\"size\":9223372036854775808}"#),
        (r#""open":1"#, r#"{\"open\":1}"#),
        (r#""place":[]"#, r#"{\"place\":[]}"#),
        (r#""place":{"zip":"0049"}"#, r#"{\"place.zip\":\"0049\"}"#),
        (r#""new":1.0"#, r#"{\"new\":1.0}"#),
        // PostgreSQL text cannot contain U+0000, but can contain its escape.
        (r#""title":"a\u0000""#, r#"{\"title\":\"a\\u0000\"}"#),
    ] {
        let row = of(&format!(r#"{{"id":"1",{member}}}"#));
        assert_eq!(
            row,
            format!(
                r#"{{"id":"1","title":null,"size":null,"open":null,"tags":null,"place_id":null,"place_name":null,"mirror_extra":"{rest}"}}"#
            )
        );
    }
}
