//! Bodies that report a failure, and data nested in the document.

use std::collections::BTreeMap;

use methodical_model::DecodeErrorKind::{Duplicate, Incomplete, Missing, Syntax, WrongType};
use methodical_model::codegen::{self, Body, Decides, Verdict};
use methodical_model::{
    DecodeError, DecodeErrorKind, ErrorClass, ListOperation as _, Next, Operation as _,
    ServiceError,
};

use crate::photos::{FOUND, PAGE, Page, PagePhotos, Photo, STAT, SearchPhotos};

/// A body in which an object that reports a failure replaces the data.
const EXCEPTION: &Body = &Body {
    verdict: Some(&Verdict {
        code: &["errorcode"],
        message: &["message"],
        ..Verdict::new(Decides::Failure { present: &["exception"] })
    }),
    ..Body::ROOT
};

/// A body in which a message, in place of the data, has the class of a failure.
const MESSAGE: &Body = &Body {
    at: &["result"],
    verdict: Some(&Verdict {
        message: &["result"],
        classes: &[("Invalid API Key", ErrorClass::Auth), ("Max *", ErrorClass::RateLimit)],
        ..Verdict::new(Decides::Success { at: &["status"], is: &["1"] })
    }),
    ..Body::ROOT
};

const LENIENT: &Body =
    &Body { at: &["photos", "photo"], absent_as_empty: true, one_as_list: true, ..Body::ROOT };

const EMPTY: &Body = &Body {
    at: &["result"],
    verdict: Some(&Verdict {
        code: &["message"],
        message: &["result"],
        empty: &["No photos found"],
        classes: &[("Slow down", ErrorClass::RateLimit)],
        ..Verdict::new(Decides::Success { at: &["status"], is: &["1"] })
    }),
    ..Body::ROOT
};

const NESTED: Verdict = Verdict {
    code: &["error", "code"],
    message: &["error", "details", "text"],
    ..Verdict::new(Decides::Success { at: &["head", "ok"], is: &["true"] })
};

/// Decodes a body as a whole, and in pieces of every size up to 9. Both ways agree.
#[track_caller]
fn list(layout: &'static Body, body: &str) -> Result<Vec<String>, DecodeError> {
    let whole = codegen::list::<Photo, ()>(layout, body.as_bytes());
    let whole = whole.map(|list| {
        assert!(list.rejected.is_empty(), "{body}: {:?}", list.rejected);
        list.items.iter().map(|photo| photo.id.as_str().to_owned()).collect::<Vec<_>>()
    });
    for size in if cfg!(miri) { 3..4 } else { 1..10 } {
        let mut decoder = codegen::decoder::<Photo, ()>(layout);
        let mut pieces = body.as_bytes().chunks(size);
        let mut items = Vec::new();
        let streamed = loop {
            match decoder.next_record() {
                Ok(Next::Item(photo)) => items.push(photo.id.as_str().to_owned()),
                Ok(Next::End) => break Ok(items),
                Err(error) => break Err(error),
                Ok(_) => match pieces.next() {
                    Some(piece) => decoder.push(piece),
                    None => decoder.finish(),
                },
            }
        };
        assert_eq!(streamed, whole, "{body} in pieces of {size}");
    }
    let class = codegen::error_class(layout, body.as_bytes());
    let reported = whole.as_ref().err().and_then(DecodeError::service);
    assert_eq!(class, reported.map(ServiceError::class), "{body}");
    whole
}

/// Requires a failure reported by the service.
#[track_caller]
fn fails(
    layout: &'static Body,
    body: &str,
    code: Option<&str>,
    message: Option<&str>,
    class: ErrorClass,
) {
    let error = list(layout, body).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::NotSuccess, "{body}");
    let reported = error.service().unwrap();
    assert_eq!((reported.code(), reported.message(), reported.class()), (code, message, class));
    for text in [format!("{error:?} {reported:?}"), error.to_string()] {
        assert!(!text.contains("CANARY"), "{text}");
    }
}

#[track_caller]
fn has(layout: &'static Body, body: &str, ids: &[&str]) {
    assert_eq!(list(layout, body).unwrap(), ids, "{body}");
}

/// The kind, the path, the column in the first line and the expectation of an error.
type Mistake<'a> = (DecodeErrorKind, &'a str, u64, &'a str);

fn mistake(error: &DecodeError) -> Mistake<'_> {
    assert_eq!(error.line(), 1);
    (error.kind(), error.path(), error.column(), error.expected())
}

#[track_caller]
fn is_wrong(layout: &'static Body, body: &str, expected: Mistake<'_>) {
    let error = list(layout, body).unwrap_err();
    assert_eq!(mistake(&error), expected, "{body}");
    assert_eq!(error.service(), None);
}

#[test]
fn a_list_is_found_below_the_document() {
    has(
        FOUND,
        r#"{"photos":{"page":1,"photo":[{"id":"1"},{"id":"2"}],"total":"2"},"stat":"ok"}"#,
        &["1", "2"],
    );
    has(FOUND, r#" { "stat" : "ok" , "photos" : { "photo" : [ ] } } "#, &[]);
    // Only the first field of a path leads to the data.
    has(
        FOUND,
        r#"{"photo":7,"x":{"photos":{"photo":7}},"photos":{"photos":7,"photo":[]},"stat":"ok"}"#,
        &[],
    );
}

#[test]
fn a_failure_has_a_code_and_a_message() {
    for body in [
        r#"{"stat":"fail","code":98,"message":"CANARY"}"#,
        r#"{"code":"98","message":"CANARY","stat":"fail"}"#,
        r#"{"message":"CANARY","stat":"fail","photos":null,"code":98}"#,
        r#"{"photos":{"photo":[]},"message":"CANARY","code":98,"stat":"fail"}"#,
        r#"{"stat":"fail","photos":{"photo":[7]},"code":98,"message":"CANARY"}"#,
        // A body truncated after the failure still reports it.
        r#"{"stat":"fail","code":98,"message":"CANARY""#,
    ] {
        fails(FOUND, body, Some("98"), Some("CANARY"), ErrorClass::Auth);
    }
    fails(FOUND, r#"{"stat":"fail"}"#, None, None, ErrorClass::Other);
    fails(FOUND, r#"{"stat":7,"code":"","message":[]}"#, Some(""), None, ErrorClass::Other);
}

#[test]
fn records_before_a_late_marker_are_kept_in_a_stream() {
    let mut decoder = SearchPhotos.decoder();
    decoder.push(br#"{"photos":{"photo":[{"id":"1"}]},"stat":"fail","code":105}"#);
    decoder.finish();
    assert!(matches!(decoder.next_record(), Ok(Next::Item(_))));
    let error = decoder.next_record().unwrap_err();
    assert_eq!(error.service().unwrap().class(), ErrorClass::Unavailable);
    assert_eq!(error.delivered(), 1);
}

#[test]
fn a_present_field_is_a_failure() {
    has(EXCEPTION, r#"[{"id":"1"}]"#, &["1"]);
    let body = r#"{"exception":"x","errorcode":"invalidtoken","message":"No"}"#;
    fails(EXCEPTION, body, Some("invalidtoken"), Some("No"), ErrorClass::Other);
    is_wrong(EXCEPTION, r#"{"exception":null}"#, (WrongType, "", 1, "an array"));
    is_wrong(EXCEPTION, "7", (WrongType, "", 1, "an array"));
}

#[test]
fn wrong_places_are_errors() {
    for (body, expected) in [
        (r#"{"stat":"ok"}"#, (Missing, "photos", 13, "an object")),
        (r#"{"stat":"ok","photos":{}}"#, (Missing, "photos.photo", 25, "an array")),
        (r#"{"stat":"ok","photos":[]}"#, (WrongType, "photos", 23, "an object")),
        (r#"{"photos":{"photo":{}},"stat":"ok"}"#, (WrongType, "photos.photo", 20, "an array")),
        (r#"{"photos":{"photo":[]}}"#, (Missing, "stat", 23, "ok")),
        (
            r#"{"photos":{"photo":[],"photo":[]}}"#,
            (Duplicate, "photos.photo", 23, "the field once"),
        ),
        (r#"{"stat":"ok","stat":"ok"}"#, (Duplicate, "stat", 14, "the field once")),
        ("[]", (WrongType, "", 1, "an object")),
    ] {
        is_wrong(FOUND, body, expected);
    }
}

#[test]
fn an_absent_list_is_empty_and_a_single_record_is_a_list() {
    for body in ["{}", r#"{"photos":{}}"#, r#"{"photos":null}"#, r#"{"photos":{"photo":null}}"#] {
        has(LENIENT, body, &[]);
    }
    has(LENIENT, r#"{"photos":{"photo":{"id":"7"},"page":1}}"#, &["7"]);
    has(LENIENT, r#"{"photos":{"photo":[{"id":"7"},{"id":"8"}]}}"#, &["7", "8"]);
    let single = &Body { one_as_list: true, ..Body::ROOT };
    has(single, r#" {"id":"7"} "#, &["7"]);
    has(single, "[]", &[]);
    let expected = (WrongType, "photos.photo", 20, "an array");
    is_wrong(LENIENT, r#"{"photos":{"photo":"x"}}"#, expected);
}

#[test]
fn a_single_record_that_is_invalid_is_rejected() {
    let list = codegen::list::<Photo, ()>(LENIENT, br#"{"photos":{"photo":{"id":7}}}"#).unwrap();
    assert_eq!(list.rejected[0].error().path(), "photos.photo.id");
    assert_eq!(list.rejected[0].raw(), r#"{"id":7}"#);
}

#[test]
fn some_failures_mean_an_empty_list() {
    has(EMPTY, r#"{"status":"0","message":"No photos found","result":[]}"#, &[]);
    has(EMPTY, r#"{"result":[],"status":0,"message":"No photos found"}"#, &[]);
    has(EMPTY, r#"{"result":"none","status":0,"message":"No photos found"}"#, &[]);
    has(EMPTY, r#"{"status":1,"message":"OK","result":[{"id":"1"}]}"#, &["1"]);
    let body = r#"{"status":"0","message":"NOTOK","result":"Invalid key"}"#;
    fails(EMPTY, body, Some("NOTOK"), Some("Invalid key"), ErrorClass::Other);
    let body = r#"{"status":"0","result":[],"message":"Slow down"}"#;
    fails(EMPTY, body, Some("Slow down"), None, ErrorClass::RateLimit);
}

#[test]
fn a_long_message_is_shortened() {
    // The limits fall within a character.
    let long = "a".to_owned() + &"é".repeat(if cfg!(miri) { 600 } else { 4096 });
    let body = format!(r#"{{"stat":"fail","code":"{long}","message":"{long}"}}"#);
    let error = list(FOUND, &body).unwrap_err();
    let reported = error.service().unwrap();
    assert_eq!(reported.code().map(str::len), Some(255));
    assert_eq!(reported.message().map(str::len), Some(1023));
}

#[test]
fn an_object_is_found_below_the_document() {
    const PLACE: Body = Body { at: &["photo"], verdict: Some(&STAT), ..Body::ROOT };
    let object = |body: &str| codegen::value::<Photo>(&PLACE, body.as_bytes());
    assert_eq!(object(r#"{"photo":{"id":"1"},"stat":"ok"}"#).unwrap().id.as_str(), "1");
    assert_eq!(object(r#"{"stat":"ok","photo": { "id" : "\u0031" } }"#).unwrap().id.as_str(), "1");
    for (body, expected) in [
        (r#"{"photo":{"id":1},"stat":"ok"}"#, (WrongType, "photo.id", 16, "text")),
        (r#"{"photo":[],"stat":"ok"}"#, (WrongType, "photo", 10, "a photo object")),
        (r#"{"stat":"ok"}"#, (Missing, "photo", 13, "a photo object")),
        (r#"{"photo":{"id":"1"}}"#, (Missing, "stat", 20, "ok")),
        (r#"{"photo":{"id":"1"#, (Incomplete, "photo", 18, "the rest of the document")),
    ] {
        assert_eq!(mistake(&object(body).unwrap_err()), expected, "{body}");
    }
    for body in [
        r#"{"photo":{"id":1},"stat":"fail","code":29}"#,
        r#"{"stat":"fail","photo":null,"code":29}"#,
    ] {
        let error = object(body).unwrap_err();
        assert_eq!(error.service().unwrap().class(), ErrorClass::RateLimit, "{body}");
    }
}

#[test]
fn an_object_may_be_the_document_that_reports_a_failure() {
    const PLACE: Body = Body { verdict: Some(&NESTED), ..Body::ROOT };
    let object = |body: &str| codegen::value::<Photo>(&PLACE, body.as_bytes());
    assert_eq!(object(r#"{"head":{"ok":true},"id":"1"}"#).unwrap().id.as_str(), "1");
    let body = r#"{"id":7,"error":{"code":-1.5,"details":{"text":"\u004eo"}},"head":{"ok":false}}"#;
    let error = object(body).unwrap_err();
    let reported = error.service().unwrap();
    assert_eq!((reported.code(), reported.message()), (Some("-1.5"), Some("No")));
    let error = object(r#"{"head":{"ok":true},"id":7}"#).unwrap_err();
    assert_eq!((error.path(), error.column()), ("id", 26));
    let error = object(r#"{"head":{},"id":"7"}"#).unwrap_err();
    assert_eq!((error.kind(), error.path()), (Missing, "head.ok"));
}

#[test]
fn classes_are_those_of_messages_if_there_is_no_code() {
    for (message, class) in [
        ("Invalid API Key", ErrorClass::Auth),
        ("Invalid API Key!", ErrorClass::Other),
        ("Max calls per sec (5/sec)", ErrorClass::RateLimit),
        ("Max", ErrorClass::Other),
    ] {
        let error =
            list(MESSAGE, &format!(r#"{{"status":"0","result":"{message}"}}"#)).unwrap_err();
        assert_eq!(error.service().map(ServiceError::class), Some(class), "{message}");
    }
}

#[test]
fn the_metadata_of_a_list_is_kept() {
    for body in [
        r#"{"page":2,"other":{"page":7},"photo":[{"id":"1"}],"ne\u0078t":"CANARY","last":[1]}"#,
        r#"{"photo":[{"id":"1"}],"page":2,"next":"CANARY"}"#,
    ] {
        let listing = PagePhotos::decode(body.as_bytes()).unwrap();
        let Page { page, next, .. } = &listing.metadata;
        assert_eq!((*page, next.as_deref()), (Some(2), Some("CANARY")));
        let borrowed = PagePhotos::new().decode_borrowed(body.as_bytes()).unwrap();
        assert_eq!(borrowed.metadata, listing.metadata);
        for size in 1..10 {
            let mut decoder = PagePhotos::new().decoder();
            for piece in body.as_bytes().chunks(size) {
                decoder.push(piece);
                while let Next::Item(photo) = decoder.next_record().unwrap() {
                    assert_eq!(photo.id.as_str(), "1");
                }
                assert!(!format!("{decoder:?}").contains("CANARY"));
            }
            decoder.finish();
            assert_eq!(decoder.next_record(), Ok(Next::End));
            assert_eq!(decoder.metadata(), Some(&listing.metadata));
            assert_eq!(decoder.next_record(), Ok(Next::End));
        }
    }
    assert_eq!(PagePhotos::decode(br#"{"photo":[]}"#).unwrap().metadata, Page::default());
}

#[test]
fn fields_are_kept_from_an_object_around_the_one_with_the_list() {
    let at = &["result", "items", "item"];
    let body = br#"{"page":1,"result":{"next":"a","items":{"page":7,"item":[{"id":"1"}]},"page":2},"next":"b"}"#;
    for (metadata_above, expected) in
        [(0, (Some(7), None)), (1, (Some(2), Some("a"))), (2, (Some(1), Some("b")))]
    {
        let layout = Box::leak(Box::new(Body { at, metadata_above, ..Body::ROOT }));
        let listing = codegen::list::<Photo, Page>(layout, body).unwrap();
        assert_eq!((listing.metadata.page, listing.metadata.next.as_deref()), expected);
    }
    let root =
        Box::leak(Box::new(Body { at, metadata_above: 2, absent_as_empty: true, ..Body::ROOT }));
    let listing = codegen::list::<Photo, Page>(root, br#"{"page":3}"#).unwrap();
    assert_eq!((listing.items.len(), listing.metadata.page), (0, Some(3)));
    let error = codegen::list::<Photo, Page>(root, br#"{"page":"x"}"#).unwrap_err();
    assert_eq!(error.path(), "page");
}

#[test]
fn an_invalid_field_of_the_metadata_is_an_error() {
    for (body, expected) in [
        (r#"{"page":"2","photo":[]}"#, "wrong type at page, expected an integer"),
        (r#"{"page":1,"photo":[],"page":2}"#, "duplicate field at page, expected the field once"),
    ] {
        let error = PagePhotos::decode(body.as_bytes()).unwrap_err();
        assert_eq!(error.to_string(), expected);
        let mut decoder = PagePhotos::new().decoder();
        decoder.push(body.as_bytes());
        decoder.finish();
        assert_eq!(decoder.next_record().unwrap_err(), error);
        assert_eq!(decoder.next_record().unwrap_err(), error);
        assert!(decoder.metadata().is_none());
    }
}

#[test]
fn a_single_record_that_exceeds_the_limit_is_rejected() {
    let single = &Body { one_as_list: true, ..Body::ROOT };
    let mut decoder = codegen::decoder::<Photo, ()>(single).with_record_limit(16);
    decoder.push(br#"{"id":"1","title":"Harbour"} "#);
    assert!(matches!(decoder.next_record().unwrap(), Next::Rejected(_)));
    decoder.finish();
    assert!(matches!(decoder.next_record().unwrap(), Next::End));
}

#[test]
fn the_metadata_of_a_list_is_limited_in_size() {
    let mut decoder = codegen::decoder::<Photo, Page>(PAGE).with_record_limit(64);
    decoder.push(b"{");
    for _ in 0..10 {
        decoder.push(br#""next":"0123456789","#);
    }
    assert_eq!(decoder.next_record().unwrap_err().kind(), DecodeErrorKind::TooLarge);
}

#[test]
fn a_value_is_found_below_the_document() {
    let text = |body: &str| codegen::value::<String>(MESSAGE, body.as_bytes());
    assert_eq!(text(r#"{"status":"1","result":"4089"}"#).unwrap(), "4089");
    assert_eq!(text("\u{feff} {\"result\": \"\\u0034\" , \"status\":1 } ").unwrap(), "4");
    for (body, expected) in [
        (r#"{"status":"1","result":7}"#, (WrongType, "result", 24, "text")),
        (r#"{"result":null,"status":"1"}"#, (WrongType, "result", 14, "text")),
        (r#"{"status":"1"}"#, (Missing, "result", 14, "text")),
        (r#"{"result":"4089"}"#, (Missing, "status", 17, "1")),
        (r#"{"status":"1","result":"40"#, (Incomplete, "result", 27, "the rest of the document")),
        (r#"{"status":"1","result":"40"}]"#, (Syntax, "", 29, "the end of the document")),
        ("7", (WrongType, "", 1, "an object")),
    ] {
        assert_eq!(mistake(&text(body).unwrap_err()), expected, "{body}");
    }
    for body in [r#"{"status":"0","result":"Max rate"}"#, r#"{"result":"Max rate","status":"0"}"#] {
        let error = text(body).unwrap_err();
        let service = error.service().unwrap();
        assert_eq!((service.message(), service.class()), (Some("Max rate"), ErrorClass::RateLimit));
    }
}

#[test]
fn a_value_may_be_the_document() {
    assert_eq!(codegen::value::<i64>(&Body::ROOT, b" 12 ").unwrap(), 12);
    let ids = codegen::value::<Vec<i64>>(&Body::ROOT, b"[1, 2]").unwrap();
    assert_eq!(ids, [1, 2]);
    let error = codegen::value::<Vec<i64>>(&Body::ROOT, b"[1, \"2\"]").unwrap_err();
    assert_eq!(error.to_string(), "wrong type at [1] (line 1 column 7), expected an integer");
    for (body, kind) in [
        ("", Incomplete),
        ("12 13", Syntax),
        ("null", WrongType),
        ("{}", WrongType),
        ("1.5", WrongType),
    ] {
        let error = codegen::value::<i64>(&Body::ROOT, body.as_bytes()).unwrap_err();
        assert_eq!(error.kind(), kind, "{body}");
    }
}

#[test]
fn an_object_instead_of_a_value_is_a_failure() {
    let failure = br#"{"errorcode":"invalidtoken","exception":"x"}"#;
    let map = |body: &[u8]| codegen::value::<BTreeMap<String, i64>>(EXCEPTION, body);
    assert_eq!(map(br#" {"a":1}"#).unwrap().get("a"), Some(&1));
    assert_eq!(map(failure).unwrap_err().service().unwrap().code(), Some("invalidtoken"));
    let error = map(br#"{"a":"1"}"#).unwrap_err();
    assert_eq!(error.to_string(), "wrong type at * (line 1 column 8), expected an integer");
    let ids = |body: &[u8]| codegen::value::<Vec<i64>>(EXCEPTION, body);
    assert_eq!(ids(b"[1]").unwrap(), [1]);
    assert_eq!(ids(failure).unwrap_err().service().unwrap().code(), Some("invalidtoken"));
    assert_eq!(ids(b"{}").unwrap_err().kind(), WrongType);
}

#[test]
fn a_response_without_data_has_no_body_or_any_json() {
    const MARKED: Body = Body { verdict: Some(&STAT), ..Body::ROOT };
    for place in [EXCEPTION, &Body::ROOT] {
        for body in ["", " \r\n", "null", "[]", "{}", "{\"warnings\":[]} "] {
            assert_eq!(codegen::nothing(place, body.as_bytes()), Ok(()), "{body}");
        }
        for body in ["<p>", "{", "null null", "[1", "{}}"] {
            assert!(codegen::nothing(place, body.as_bytes()).is_err(), "{body}");
        }
        assert_eq!(codegen::nothing(place, b"\xff").unwrap_err().kind(), DecodeErrorKind::Encoding);
    }
    let error = codegen::nothing(EXCEPTION, br#"{"exception":"x","errorcode":"no"}"#).unwrap_err();
    assert_eq!(error.service().unwrap().code(), Some("no"));

    let marked = |body: &str| codegen::nothing(&MARKED, body.as_bytes());
    assert_eq!(marked(r#"{"stat":"ok"}"#), Ok(()));
    assert_eq!(marked(r#"{"stat":"fail"}"#).unwrap_err().kind(), DecodeErrorKind::NotSuccess);
    assert_eq!(marked("{}").unwrap_err().kind(), Missing);
    assert_eq!(marked("").unwrap_err().kind(), Incomplete);
    assert_eq!(marked("null").unwrap_err().kind(), WrongType);
}
