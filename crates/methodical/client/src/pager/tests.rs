mod reading;
mod script;

use std::time::Duration;

use bytes::Bytes;
use gateway_transport::MemoryTransport;
use pollster::block_on;

use self::script::{CURSOR, List, NEXT_OFFSET, NUMBER, OFFSET, Script};
use crate::tests::{blocking_builder, json};
use crate::{ErrorKind, RetryPolicy};

#[test]
fn numbered_pages_end_with_the_last() {
    let script = Script::new([("", "1 2; 'pages':3"), ("2", "; 'pages':3"), ("3", "3; 'pages':3")]);
    script.ends(&List::<NUMBER>::default(), &["", "2", "3"], 3);
    script.ends(&List::<NUMBER> { number: Some(3), ..List::default() }, &["3"], 1);
    let none = Script::new([("", "; 'pages':0")]);
    none.ends(&List::<NUMBER>::default(), &[""], 0);
}

#[test]
fn numbered_pages_end_with_the_total() {
    let script =
        Script::new([("", "1 !; 'total':'3'"), ("2", "3; 'total':'3'"), ("3", "; 'total':'3'")]);
    // A rejected record counts as one of the total.
    script.ends(&List::<NUMBER>::default(), &["", "2"], 2);
    script.ends(&List::<NUMBER> { number: Some(2), size: Some(2), ..List::default() }, &["2"], 1);
    // Without the page size, the number of records before the page is not known.
    script.ends(&List::<NUMBER> { number: Some(2), ..List::default() }, &["2", "3"], 1);
}

#[test]
fn without_a_total_an_empty_page_is_the_last() {
    for first in ["1 2;", "1 2; 'total':''"] {
        let script = Script::new([("", first), ("2", "3;"), ("3", ";")]);
        script.ends(&List::<NUMBER>::default(), &["", "2", "3"], 3);
    }
}

#[test]
fn offsets_count_records() {
    let script = Script::new([("", "1 2; 'total':'3'"), ("2", "3; 'total':'3'")]);
    script.ends(&List::<OFFSET>::default(), &["", "2"], 3);
    script.ends(&List::<OFFSET> { number: Some(2), ..List::default() }, &["2"], 1);
}

#[test]
fn the_service_can_name_the_next_offset() {
    let script = Script::new([("", "1; 'next':50"), ("50", "; 'next':100"), ("100", "2;")]);
    script.ends(&List::<NEXT_OFFSET>::default(), &["", "50", "100"], 2);
    // It can be text.
    let script = Script::new([("", "1; 'cursor':'50'"), ("50", "2; 'cursor':''")]);
    script.ends(&List::<NEXT_OFFSET>::default(), &["", "50"], 2);
}

#[test]
fn a_flag_ends_the_list() {
    // Neither an empty page nor the total ends it, and the page after the last one is not requested.
    let script = Script::new([
        ("", "; 'more':true,'total':'0'"),
        ("2", "1; 'more':true"),
        ("3", "2 3; 'more':false,'pages':9"),
    ]);
    script.ends(&List::<NUMBER> { size: Some(2), ..List::default() }, &["", "2", "3"], 3);
    let script = Script::new([("", "1; 'more':true"), ("1", "2 3; 'more':false")]);
    script.ends(&List::<OFFSET> { size: Some(2), ..List::default() }, &["", "1"], 3);
    let script =
        Script::new([("", "1; 'more':true,'cursor':'b'"), ("b", "2; 'more':false,'cursor':'c'")]);
    script.ends(&List::<CURSOR>::default(), &["", "b"], 2);
    let script = Script::new([("", "1; 'more':false,'next':50")]);
    script.ends(&List::<NEXT_OFFSET>::default(), &[""], 1);
}

#[test]
fn cursors_are_followed_until_there_is_none() {
    for last in ["2;", "2; 'cursor':''", "2; 'cursor':null"] {
        let script = Script::new([("", "1; 'cursor':'b'"), ("b", "; 'cursor':'7'"), ("7", last)]);
        script.ends(&List::<CURSOR>::default(), &["", "b", "7"], 2);
    }
}

/// Returns the kind and the text of the error for pages that violate the contract.
macro_rules! paging {
    ($cause:literal) => {
        (ErrorKind::Paging, concat!("cannot read the next page: ", $cause))
    };
}

#[test]
fn a_flag_without_a_next_page_is_an_error() {
    let script = Script::new([("", "; 'more':true")]);
    let error = paging!(
        "the service returned no records, but says that more follow; report it to the service"
    );
    script.fails(&List::<OFFSET>::default(), &[""], 0, error);
    let error = paging!(
        "the service says that a page follows, but returned no position; report it to the service"
    );
    script.fails(&List::<CURSOR>::default(), &[""], 0, error);
    script.fails(&List::<NEXT_OFFSET>::default(), &[""], 0, error);
}

#[test]
fn an_offset_that_is_not_greater_is_an_error() {
    let error = paging!("the offset did not increase after 1 record; report it to the service");
    for page in ["1; 'cursor':'soon'", "1; 'next':0", "1; 'next':-1"] {
        Script::new([("", page)]).fails(&List::<NEXT_OFFSET>::default(), &[""], 1, error);
    }
}

#[test]
fn a_position_that_occurs_again_is_an_error() {
    let error = paging!(
        "the service returned an earlier position after 2 records; report it to the service"
    );
    let script = Script::new([("", "1; 'cursor':'b'"), ("b", "2 3; 'cursor':'b'")]);
    let query = List::<CURSOR> { cursor: Some("b".to_owned()), ..List::default() };
    script.fails(&query, &["b"], 2, error);
    let script = Script::new([("", "1; 'cursor':'b'"), ("b", "2; 'cursor':'b'")]);
    script.fails(&List::<CURSOR>::default(), &["", "b"], 2, error);
}

#[test]
fn a_page_that_occurs_again_is_an_error() {
    let error = paging!(
        "the service returned the same page again after 4 records; report it to the service"
    );
    let script = Script::new([("*", "1 2; 'pages':9")]);
    script.fails(&List::<NUMBER>::default(), &["", "2"], 4, error);
    script.fails(&List::<OFFSET>::default(), &["", "2"], 4, error);
}

#[test]
fn a_page_that_contradicts_the_pages_before_it_is_an_error() {
    let error = paging!(
        "the total says that records follow, but the service returned none after 2 records; report it to the service"
    );
    let script = Script::new([("", "1 2; 'total':'3'"), ("2", "; 'total':'3'")]);
    script.fails(&List::<NUMBER>::default(), &["", "2"], 2, error);
    script.fails(&List::<OFFSET>::default(), &["", "2"], 2, error);

    let error = paging!(
        "records may be missing, because the list became shorter after 3 records; read it again"
    );
    for (first, second) in
        [("1 2; 'total':'9'", "3; 'total':'8'"), ("1 2; 'pages':9", "3; 'pages':8")]
    {
        let script = Script::new([("", first), ("2", second)]);
        script.fails(&List::<NUMBER>::default(), &["", "2"], 3, error);
    }
}

#[test]
fn a_failed_page_ends_the_list() {
    let script = Script::new([("", "1 2; 'pages':2")]);
    let text = "the service has nothing at the requested URL (status 404) after 2 records";
    script.fails(&List::<NUMBER>::default(), &["", "2"], 2, (ErrorKind::NotFound, text));
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
    let script = Script::new([("", "1; 'cursor':'b'"), ("b", "2; 'cursor':'c'")]).max_pages(2);
    let text = "the list has more than 2 pages after 2 records; raise the limit with `max_pages`";
    script.fails(&List::<CURSOR>::default(), &["", "b"], 2, (ErrorKind::Paging, text));
}

#[test]
fn no_page_is_requested_before_it_is_needed() {
    let script = Script::new([("", "1 2; 'cursor':'b'"), ("b", "3; 'cursor':'c'")]);
    let (client, query) = (script.client(), List::<CURSOR>::default());
    let mut pages = client.pages(&query);
    assert_eq!(script.asked().len(), 0);
    pages.next().unwrap().unwrap();
    assert_eq!(script.asked().len(), 1);

    let mut records = client.stream_all(&query).limit(2);
    assert_eq!(records.by_ref().count(), 2);
    assert!(records.received_json_with(|_, _| ()).is_none());
    assert_eq!(script.asked().len(), 1);
    assert_eq!(client.stream_all(&query).take(2).count(), 2);
    assert_eq!(script.asked().len(), 1);
    for (limit, requests) in [(0, 0), (2, 1), (3, 2)] {
        let records = client.stream_all(&query).limit(limit);
        assert_eq!(records.map(Result::unwrap).count(), usize::try_from(limit).unwrap());
        assert_eq!(script.asked().len(), requests, "{limit}");
    }

    let mut records = script.async_client().stream_all(&query).limit(2);
    let mut count = 0;
    while let Some(entry) = block_on(records.next()) {
        entry.unwrap();
        count += 1;
    }
    assert_eq!((count, script.asked().len()), (2, 1));
}
