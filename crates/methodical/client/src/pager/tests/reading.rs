//! Reading the records of several pages: limits, interruptions, and received records.

use std::cell::Cell;
use std::iter::from_fn;

use pollster::block_on;

use super::script::{CURSOR, List, NUMBER, Script};
use crate::Entry;
use crate::tests::PhotoRef;

#[test]
fn the_record_limit_applies_to_each_page() {
    let script = Script::new([("", "1 123456789; 'pages':2"), ("2", "123456789 2; 'pages':2")]);
    let query = List::<NUMBER>::default();
    for (limit, accepted) in [
        ("{'id':'12345678'}".len(), [true, false, false, true]),
        ("{'id':'123456789'}".len(), [true; 4]),
    ] {
        let records = script.client().stream_all(&query).record_limit(limit);
        let is_record = |entry| matches!(entry, Ok(Entry::Record(_)));
        assert_eq!(records.map(is_record).collect::<Vec<_>>(), accepted);

        let mut records = script.async_client().stream_all(&query).record_limit(limit);
        for is_accepted in accepted {
            let entry = block_on(records.next()).unwrap();
            assert_eq!(matches!(entry, Ok(Entry::Record(_))), is_accepted);
        }
        assert!(block_on(records.next()).is_none());
    }
}

#[test]
fn an_interrupted_page_counts_the_records_of_all_pages() {
    let script = Script::new([("", "1 2; 'pages':2"), ("2", "3 4")]);
    let query = List::<NUMBER>::default();
    let mut records = script.client().stream_all(&query);
    let error = records.by_ref().find_map(Result::err).unwrap();
    assert_eq!(error.delivered(), Some(4));
    assert!(records.next().is_none());
    let mut records = script.async_client().stream_all(&query);
    let error = from_fn(|| block_on(records.next())).last().unwrap().unwrap_err();
    assert_eq!(error.delivered(), Some(4));
}

#[test]
fn received_records_are_taken_without_a_request() {
    let script = Script::new([("", "! 1 2 3; 'cursor':'b'"), ("b", "4 5;")]);
    let query = List::<CURSOR>::default();
    let mut records = script.client().stream_all(&query).limit(4);
    assert!(records.received_json_with(|_, _| ()).is_none());
    assert!(script.asked().is_empty());

    let count = Cell::new(0);
    let lend = |_: PhotoRef<'_>, json: &str| {
        count.set(count.get() + 1);
        json.to_owned()
    };
    let mut taken = vec![json(records.next_json_with(lend))];
    assert_eq!(count.get(), 0, "a rejected record was lent");
    while let Some(entry) = records.received_json_with(lend) {
        taken.push(json(Some(entry)));
    }
    assert_eq!(taken, ["7", r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#]);
    assert_eq!((count.get(), script.asked()), (3, vec![String::new()]));

    assert_eq!(json(records.next_json_with(lend)), r#"{"id":"4"}"#);
    // The limit also applies to records that have been received.
    assert!(records.received_json_with(lend).is_none());
    assert!(records.next().is_none());
    assert_eq!(script.asked(), ["b"]);
}

/// Returns the text of a record, accepted or not.
fn json(entry: Option<Result<Entry<String>, crate::Error>>) -> String {
    match entry.unwrap().unwrap() {
        Entry::Record(json) => json,
        Entry::Rejected(rejected) => rejected.raw().to_owned(),
    }
}

/// The query and the records may be personal data.
#[test]
fn debug_shows_only_counts() {
    let script = Script::new([("", "1;")]);
    let query = List::<CURSOR> { cursor: Some("*".to_owned()), ..List::default() };
    let (client, asynchronous) = (script.client(), script.async_client());
    let pages =
        [format!("{:?}", client.pages(&query)), format!("{:?}", asynchronous.pages(&query))];
    assert_eq!(pages, ["Pages { pages: 0, records: 0, .. }"; 2]);
    let records = [
        format!("{:?}", client.stream_all(&query)),
        format!("{:?}", asynchronous.stream_all(&query)),
    ];
    assert_eq!(records, ["Records { delivered: 0, .. }"; 2]);
}

#[test]
fn the_metadata_of_a_page_follows_its_last_record() {
    let script = Script::new([("", "1; 'pages':1")]);
    let mut records = script.client().stream_all(&List::<NUMBER>::default());
    assert!(records.next().unwrap().is_ok());
    assert!(records.metadata().is_none());
    assert!(records.next().is_none());
    assert_eq!(records.metadata().and_then(|metadata| metadata.pages), Some(1));

    let mut records = script.async_client().stream_all(&List::<NUMBER>::default());
    assert!(records.metadata().is_none());
    assert!(block_on(records.next()).unwrap().is_ok());
    assert!(records.metadata().is_none());
    assert!(block_on(records.next()).is_none());
    assert_eq!(records.metadata().and_then(|metadata| metadata.pages), Some(1));
}
