mod reading;
mod script;

use std::iter::from_fn;
use std::time::Duration;

use bytes::Bytes;
use gateway_transport::MemoryTransport;
use pollster::block_on;

use self::script::{CURSOR, List, NEXT_OFFSET, NUMBER, OFFSET, Script};
use crate::tests::{blocking_builder, json};
use crate::{ErrorKind, RetryPolicy};

const TWO: &str = "{'photos':[{'id':'1'},{'id':'2'}]";

#[test]
fn numbered_pages_end_with_the_last() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'},{'id':'2'}],'pages':3}"),
        ("2", "{'photos':[],'pages':3}"),
        ("3", "{'photos':[{'id':'3'}],'pages':3}"),
    ]);
    script.ends(&List::<NUMBER>::default(), &["", "2", "3"], 3);
    script.ends(&List::<NUMBER> { number: Some(3), ..List::default() }, &["3"], 1);
    let none = Script::new([("", "{'photos':[],'pages':0}")]);
    none.ends(&List::<NUMBER>::default(), &[""], 0);
}

#[test]
fn numbered_pages_end_with_the_total() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'},7],'total':'3'}"),
        ("2", "{'photos':[{'id':'3'}],'total':'3'}"),
        ("3", "{'photos':[],'total':'3'}"),
    ]);
    // A rejected record counts as one of the total.
    script.ends(&List::<NUMBER>::default(), &["", "2"], 2);
    script.ends(&List::<NUMBER> { number: Some(2), size: Some(2), ..List::default() }, &["2"], 1);
    // Without the size of a page, the number of records before it is not known.
    script.ends(&List::<NUMBER> { number: Some(2), ..List::default() }, &["2", "3"], 1);
}

#[test]
fn without_a_total_an_empty_page_is_the_last() {
    for total in ["", ",'total':''"] {
        let script = Script::new([
            ("", Box::leak(format!("{TWO}{total}}}").into_boxed_str())),
            ("2", "{'photos':[{'id':'3'}]}"),
            ("3", "{'photos':[]}"),
        ]);
        script.ends(&List::<NUMBER>::default(), &["", "2", "3"], 3);
    }
}

#[test]
fn offsets_count_records() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'},{'id':'2'}],'total':'3'}"),
        ("2", "{'photos':[{'id':'3'}],'total':'3'}"),
    ]);
    script.ends(&List::<OFFSET>::default(), &["", "2"], 3);
    script.ends(&List::<OFFSET> { number: Some(2), ..List::default() }, &["2"], 1);
}

#[test]
fn the_service_can_name_the_next_offset() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'next':50}"),
        ("50", "{'photos':[],'next':100}"),
        ("100", "{'photos':[{'id':'2'}]}"),
    ]);
    script.ends(&List::<NEXT_OFFSET>::default(), &["", "50", "100"], 2);
}

#[test]
fn the_next_offset_can_be_text() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'cursor':'50'}"),
        ("50", "{'photos':[{'id':'2'}],'cursor':''}"),
    ]);
    script.ends(&List::<NEXT_OFFSET>::default(), &["", "50"], 2);
    let script = Script::new([("", "{'photos':[{'id':'1'}],'cursor':'soon'}")]);
    let error = "cannot read the next page: the service returned no greater offset after 1 record; report it to the service";
    script.fails(&List::<NEXT_OFFSET>::default(), &[""], 1, error);
}

#[test]
fn a_flag_ends_the_list() {
    // Neither an empty page nor the total ends it, and the page after the last one is not requested.
    let script = Script::new([
        ("", "{'photos':[],'more':true,'total':'0'}"),
        ("2", "{'photos':[{'id':'1'}],'more':true}"),
        ("3", "{'photos':[{'id':'2'},{'id':'3'}],'more':false,'pages':9}"),
    ]);
    script.ends(&List::<NUMBER> { size: Some(2), ..List::default() }, &["", "2", "3"], 3);
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'more':true}"),
        ("1", "{'photos':[{'id':'2'},{'id':'3'}],'more':false}"),
    ]);
    script.ends(&List::<OFFSET> { size: Some(2), ..List::default() }, &["", "1"], 3);
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'more':true,'cursor':'b'}"),
        ("b", "{'photos':[{'id':'2'}],'more':false,'cursor':'c'}"),
    ]);
    script.ends(&List::<CURSOR>::default(), &["", "b"], 2);
    let script = Script::new([("", "{'photos':[{'id':'1'}],'more':false,'next':50}")]);
    script.ends(&List::<NEXT_OFFSET>::default(), &[""], 1);
}

#[test]
fn a_flag_without_a_next_page_is_an_error() {
    let script = Script::new([("", "{'photos':[],'more':true}")]);
    let error = "cannot read the next page: the service returned no record, but says that others follow; report it to the service";
    script.fails(&List::<OFFSET>::default(), &[""], 0, error);
    let error = "cannot read the next page: the service says that a page follows, but returned no position; report it to the service";
    script.fails(&List::<CURSOR>::default(), &[""], 0, error);
    script.fails(&List::<NEXT_OFFSET>::default(), &[""], 0, error);
}

#[test]
fn cursors_are_followed_until_there_is_none() {
    for end in ["", ",'cursor':''", ",'cursor':null"] {
        let script = Script::new([
            ("", "{'photos':[{'id':'1'}],'cursor':'b'}"),
            ("b", "{'photos':[],'cursor':'7'}"),
            ("7", Box::leak(format!("{{'photos':[{{'id':'2'}}]{end}}}").into_boxed_str())),
        ]);
        script.ends(&List::<CURSOR>::default(), &["", "b", "7"], 2);
    }
}

#[test]
fn a_position_that_occurs_again_is_an_error() {
    let error = "cannot read the next page: the service returned an earlier position after 2 records; report it to the service";
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'cursor':'b'}"),
        ("b", "{'photos':[{'id':'2'}],'cursor':'b'}"),
    ]);
    script.fails(&List::<CURSOR>::default(), &["", "b"], 2, error);
    let query = List::<CURSOR> { cursor: Some("b".to_owned()), ..List::default() };
    script.fails(&query, &["b"], 1, &error.replace("2 records", "1 record"));
    let script = Script::new([("", "{'photos':[{'id':'1'}],'next':0}")]);
    let error = "cannot read the next page: the service returned no greater offset after 1 record; report it to the service";
    script.fails(&List::<NEXT_OFFSET>::default(), &[""], 1, error);
}

#[test]
fn a_page_that_occurs_again_is_an_error() {
    let error = "cannot read the next page: the service returned the same page again after 4 records; report it to the service";
    let script = Script::new([("*", "{'photos':[{'id':'1'},{'id':'2'}],'pages':9}")]);
    script.fails(&List::<NUMBER>::default(), &["", "2"], 4, error);
    script.fails(&List::<OFFSET>::default(), &["", "2"], 4, error);
}

#[test]
fn an_empty_page_before_the_total_is_an_error() {
    let error = "cannot read the next page: the total says that records follow, but the service returned none after 2 records; report it to the service";
    let script = Script::new([
        ("", "{'photos':[{'id':'1'},{'id':'2'}],'total':'3'}"),
        ("2", "{'photos':[],'total':'3'}"),
    ]);
    script.fails(&List::<NUMBER>::default(), &["", "2"], 2, error);
    script.fails(&List::<OFFSET>::default(), &["", "2"], 2, error);
}

#[test]
fn a_list_that_becomes_shorter_is_an_error() {
    let error = "cannot read the next page: records may be missing, because the list became shorter after 3 records; read it again";
    for (before, after) in [("'total':'9'", "'total':'8'"), ("'pages':9", "'pages':8")] {
        let [first, second] = [(TWO, before), ("{'photos':[{'id':'3'}]", after)]
            .map(|(photos, count)| &*Box::leak(format!("{photos},{count}}}").into_boxed_str()));
        let script = Script::new([("", first), ("2", second)]);
        script.fails(&List::<NUMBER>::default(), &["", "2"], 3, error);
    }
}

#[test]
fn a_failed_page_ends_the_list() {
    let script = Script::new([("", "{'photos':[{'id':'1'},{'id':'2'}],'pages':2}")]);
    let (asked, records, error) = script.read(&List::<NUMBER>::default());
    assert_eq!((asked.len(), records), (2, 2));
    assert!(error.unwrap().contains("after 2 records"));
}

#[test]
fn each_page_is_retried_like_any_call() {
    let page = |id| json(Bytes::from(format!(r#"{{"photos":[{{"id":"{id}"}}],"pages":2}}"#)));
    let mut busy = json(Bytes::new());
    *busy.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
    let client = blocking_builder()
        .retry(RetryPolicy::default().base_delay(Duration::ZERO))
        .transport(MemoryTransport::new([page(1), busy, page(2)].map(Ok)))
        .build()
        .unwrap();
    let pages: Vec<_> = client.pages(&List::<NUMBER>::default()).map(Result::unwrap).collect();
    assert_eq!(pages.len(), 2);
}

#[test]
fn more_than_the_maximum_of_pages_is_an_error() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'}],'cursor':'b'}"),
        ("b", "{'photos':[{'id':'2'}],'cursor':'c'}"),
    ]);
    let query = List::<CURSOR>::default();
    let text = "the list has more than 2 pages after 2 records; raise the limit with `max_pages`";
    let error = script.client().stream_all(&query).max_pages(2).last().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Paging, text));
    let error = script.client().pages(&query).max_pages(2).last().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Paging, text));
    assert_eq!(script.asked(), ["", "b", "", "b"]);

    let mut records = script.async_client().stream_all(&query).max_pages(2);
    let mut pages = script.async_client().pages(&query).max_pages(2);
    let error = from_fn(|| block_on(records.next())).last().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Paging, text));
    let error = from_fn(|| block_on(pages.next())).last().unwrap().unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Paging, text));
    assert_eq!(script.asked()[4..], ["", "b", "", "b"]);
}

#[test]
fn no_page_is_requested_before_it_is_needed() {
    let script = Script::new([
        ("", "{'photos':[{'id':'1'},{'id':'2'}],'cursor':'b'}"),
        ("b", "{'photos':[{'id':'3'}],'cursor':'c'}"),
    ]);
    let (client, query) = (script.client(), List::<CURSOR>::default());
    let mut pages = client.pages(&query);
    assert!(script.asked().is_empty());
    pages.next().unwrap().unwrap();
    assert_eq!(script.asked().len(), 1);

    let mut records = client.stream_all(&query).limit(2);
    assert_eq!(records.by_ref().count(), 2);
    assert!(records.received_json_with(|_, _| ()).is_none());
    assert_eq!(script.asked().len(), 2);
    assert_eq!(client.stream_all(&query).take(2).count(), 2);
    assert_eq!(script.asked().len(), 3);
    assert_eq!(client.stream_all(&query).limit(0).count(), 0);
    assert_eq!(script.asked().len(), 3);
    assert_eq!(client.stream_all(&query).limit(3).count(), 3);
    assert_eq!(script.asked().len(), 5);

    let mut records = script.async_client().stream_all(&query).limit(2);
    let mut count = 0;
    while let Some(entry) = block_on(records.next()) {
        entry.unwrap();
        count += 1;
    }
    assert_eq!((count, script.asked().len()), (2, 6));
}
