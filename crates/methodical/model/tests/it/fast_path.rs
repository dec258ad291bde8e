//! The fast path reads every record in its usual form. No other test would notice if it left records to serde: they
//! would be the same, but decoding would be several times slower.
//!
//! The error of a rejected record names the invalid field, not a valid one before it.

use std::fmt::Debug;

use methodical_model::codegen::{self, Cursor, Fast, Object, Sealed};
use methodical_model::{DecodeErrorKind, Listing, Record};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use crate::fields::{FULL, Folder, Page};
use crate::forms::Shop;
use crate::support::decoded;

/// A record type that serde never reads.
struct Quick<R>(R);

struct QuickRef<'a, R: Record>(R::Ref<'a>);

impl<'a, R: Record> Fast<'a> for QuickRef<'a, R> {
    fn read(cursor: &mut Cursor<'a>) -> Option<Self> {
        R::Ref::read(cursor).map(Self)
    }
}

impl<'de, R: Record> Deserialize<'de> for QuickRef<'de, R> {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the fast path left the record to serde"))
    }
}

impl<R: Record> Sealed for Quick<R> {
    const OBJECT: &'static Object = R::OBJECT;
}

impl<R: Record> Record for Quick<R> {
    type Ref<'a> = QuickRef<'a, R>;

    fn from_ref(record: QuickRef<'_, R>) -> Self {
        Self(R::from_ref(record.0))
    }
}

/// Decodes a record twice in a list: on the fast path alone, and with serde alone.
#[track_caller]
fn is_fast<R: Record + DeserializeOwned + PartialEq + Debug>(json: &str) {
    let body = format!("[{json},{json}]");
    let listing: Listing<Quick<R>> = codegen::list(&codegen::Body::ROOT, body.as_bytes()).unwrap();
    assert_eq!(listing.rejected.len(), 0, "left to serde: {json}");
    let expected: R = serde_json::from_str(json).unwrap();
    for Quick(record) in listing.items {
        assert_eq!(record, expected, "{json}");
    }
}

/// Repeats the first field after a record without mistakes.
#[track_caller]
fn only_the_last_field_is_wrong<R: Record>(json: &str) {
    let fields = json.strip_prefix("{\"").and_then(|fields| fields.strip_suffix('}')).unwrap();
    let (name, _) = fields.split_once('"').unwrap();
    let body = format!("[{json},{{\"{fields},\"{name}\":0}}]");
    let listing: Listing<R> = codegen::list(&codegen::Body::ROOT, body.as_bytes()).unwrap();
    assert_eq!((listing.items.len(), listing.rejected.len()), (1, 1), "{json}");
    let error = listing.rejected[0].error();
    let expected = (DecodeErrorKind::Duplicate, format!("[1].{name}"));
    assert_eq!((error.kind(), error.path().to_owned()), expected, "{json}");
}

/// Returns a page without escapes, because serde decodes a list or a map with one.
fn full() -> String {
    FULL.replace(r"\n", "").replace(r#"\""#, "q")
}

#[test]
fn values_of_every_type() {
    #[track_caller]
    fn check<R: Record + DeserializeOwned + PartialEq + Debug>(json: &str) {
        is_fast::<R>(json);
        only_the_last_field_is_wrong::<R>(json);
    }
    check::<Page>(&full());
    only_the_last_field_is_wrong::<Page>(FULL);
    for json in [
        r#"{"name":"a","size":18446744073709551615,"format":"gone","orientation":"portrait","offset":-5,"age":-7,"hidden":true,"owner":"Ann","page":{"id":"b","tags":[],"sizes":null}}"#,
        r#"{"name":"a","size":0,"format":null,"orientation":null,"offset":9223372036854775807,"age":7,"hidden":false,"owner":"","page":null}"#,
    ] {
        check::<Folder>(json);
    }
    for json in [
        r#"{"tags":["a"],"sizes":[1],"names":{"a":"b"},"below":[{"tags":[]}],"seats":-4,"note":"n","open":[true,false],"id":12,"cost":"1.50","opened":1711850400000,"isOpen":1}"#,
        r#"{"tags":"a","sizes":15,"names":[],"below":{"tags":""},"seats":"","note":"","open":false,"id":12,"cost":1.50,"opened":-5,"isOpen":"1"}"#,
        r#"{"tags":[],"sizes":-1,"names":{},"below":[],"seats":4,"note":null,"open":"","id":null,"cost":-2e5,"isOpen":true}"#,
        r#"{"tags":[],"sizes":null,"names":null,"below":null,"seats":null,"open":null,"cost":-7,"isOpen":-1}"#,
        r#"{"tags":[],"isOpen":"N","cost":null}"#,
    ] {
        check::<Shop>(json);
    }
    // The text of such a number is kept, although it is beyond every 64-bit number.
    only_the_last_field_is_wrong::<Shop>(r#"{"cost":1e400,"tags":[]}"#);
    only_the_last_field_is_wrong::<Shop>(r#"{"cost":-1e400,"x":1e400,"tags":[]}"#);
}

#[test]
fn whitespace_around_every_value() {
    for blank in
        [" ", "\n", "\r\n\t", "\n  ", "\n                    ", &" ".repeat(16), &" ".repeat(33)]
    {
        let mut spaced = full().replace("\":", &format!("\":{blank}"));
        for bracket in ["[", "]", "{", "}", ","] {
            let around = if bracket == "," || "]}".contains(bracket) { blank } else { "" };
            spaced = spaced.replace(bracket, &format!("{around}{bracket}{blank}"));
        }
        is_fast::<Page>(spaced.trim_end());
    }
}

#[test]
fn unlisted_fields() {
    let values = r#"
        null|true|false|0|-0|7|-12|1.5|-0.25|1e5|1E+5|2.5e-3|{}|[]|[ ]|{ }|[1,"a",null]
        ""|"x"|"a text of more than two blocks of bytes, with ż in it"|[ 1 , "a" , [ ] ]
        {"a":{"b":[true]},"c":-1}|{ "a" : [ { } ] , "b" : 1 }"#;
    for value in values.trim().split(['|', '\n']) {
        is_fast::<Page>(&format!(r#"{{"id":"1","tags":[],"x":{value}}}"#));
        is_fast::<Page>(&format!(r#"{{"x":{value},"id":"1","y": {value} ,"tags":[]}}"#));
    }
    // They are written after the listed fields, in their order.
    let page: Page = decoded(r#"{"a":1,"id":"1","b":[2],"tags":[],"c":{"id":3}}"#).unwrap();
    let written = r#"{"id":"1","tags":[],"a":1,"b":[2],"c":{"id":3}}"#;
    assert_eq!(serde_json::to_string(&page).unwrap(), written);
}

#[test]
fn text_with_escapes() {
    for text in [
        r"\n",
        r#"\"\\\/\b\f\n\r\t"#,
        r"\u0000\u001f\u00e9\u20ac\uffff",
        r"\ud83d\ude00\udbff\udfff\ud800\udc00",
        r"a plain text of some length, then \u017c, then another plain text\n",
        r"\u00E9\u00aB\u0aF9",
    ] {
        is_fast::<Page>(&format!(r#"{{"id":"{text}","tags":[]}}"#));
    }
}

#[test]
fn fields_in_any_order() {
    is_fast::<Page>(r#"{"byDay":{},"tags":["a"],"id":"1","grid":[[1]],"texts":{}}"#);
}

/// Only nested lists count as levels.
#[test]
fn more_lists_beside_each_other_than_the_limit_of_nesting() {
    let below = vec![r#"{"tags":[]}"#; 200].join(",");
    is_fast::<Shop>(&format!(r#"{{"tags":[],"below":[{below}]}}"#));
}

/// An unlisted value may have up to 127 levels, however it is read.
#[test]
fn unlisted_fields_at_the_limit_of_nesting() {
    let nested = |name: &str, depth: usize| {
        let value = "[".repeat(depth) + &"]".repeat(depth);
        format!(r#"{{"id":"1","tags":[],"{name}":{value}}}"#)
    };
    is_fast::<Page>(&nested("x", 127));
    for depth in 120..135 {
        for name in ["x", "\\u0078"] {
            let body = format!("[{}]", nested(name, depth));
            let listing: Listing<Page> =
                codegen::list(&codegen::Body::ROOT, body.as_bytes()).unwrap();
            assert_eq!(listing.items.len() == 1, depth <= 127, "{depth} levels in {name}");
        }
    }
    // Brackets in a text do not count.
    let text = "[".repeat(500);
    decoded::<Page>(&format!(r#"{{"id":"1","tags":[],"x":["\"{text}"]}}"#)).unwrap();
}
