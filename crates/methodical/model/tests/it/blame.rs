//! The error of a rejected record names the field that is wrong, not one of those before it that are right.

use methodical_model::{DecodeErrorKind, Listing, Record, codegen};

use crate::collections::{FULL, Page};
use crate::fields::Folder;
use crate::numbers::Sizes;
use crate::{lenient, written};

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

#[test]
fn values_of_every_type() {
    only_the_last_field_is_wrong::<Page>(FULL);
    for json in [
        r#"{"name":"a","size":18446744073709551615,"format":"gif","orientation":"portrait","offset":-5,"age":-7,"hidden":true,"owner":"Ann","parent":{"name":"b","size":0,"hidden":false,"owner":"Bob"}}"#,
        r#"{"name":"a","size":0,"format":null,"orientation":null,"offset":9223372036854775807,"age":7,"hidden":false,"owner":"","parent":null}"#,
    ] {
        only_the_last_field_is_wrong::<Folder>(json);
    }
    for json in [
        r#"{"width":-15,"height":null,"steps":[0,-1,999],"byDay":{"b":25}}"#,
        r#"{"width":7,"height":-7,"steps":null,"byDay":null}"#,
    ] {
        only_the_last_field_is_wrong::<Sizes>(json);
    }
    for json in [
        r#"{"id":12,"price":"1.50","opened":1711850400000,"open":1}"#,
        r#"{"id":12,"price":1.50,"opened":-5,"open":"1"}"#,
        r#"{"id":null,"price":7,"opened":-5,"open":true}"#,
        r#"{"price":-7,"open":-1}"#,
        r#"{"open":"N","price":null}"#,
    ] {
        only_the_last_field_is_wrong::<written::Shop>(json);
    }
    for json in [
        r#"{"tags":["a"],"sizes":[1],"names":{"a":"b"},"below":[{"tags":[]}],"seats":-4,"note":"n","open":[true,false]}"#,
        r#"{"tags":"a","sizes":15,"names":[],"below":{"tags":""},"seats":"","note":"","open":false}"#,
        r#"{"tags":[],"sizes":-1,"names":{},"below":[],"seats":4,"note":null,"open":""}"#,
        r#"{"tags":[],"sizes":null,"names":null,"below":null,"seats":null,"open":null}"#,
    ] {
        only_the_last_field_is_wrong::<lenient::Shop>(json);
    }
}

/// The text of such a number is kept, although no number of 64 bits is near it.
#[test]
fn numbers_of_any_size() {
    only_the_last_field_is_wrong::<written::Shop>(r#"{"price":1e400}"#);
    only_the_last_field_is_wrong::<written::Shop>(r#"{"price":-1e400,"x":1e400}"#);
}
