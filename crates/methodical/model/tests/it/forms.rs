//! Fields that a service writes in several forms, decoded on the fast path and by serde.

use std::collections::BTreeMap;

use methodical_model::DecodeErrorKind::{Duplicate, Missing, WrongType};
use methodical_model::codegen::{self, EmptyArrayAsMap, OneAsList};

use crate::support::{decoded, rejected};

codegen::scalar! {
    /// Identifies a shop.
    ShopId, integer
}

codegen::scalar! {
    /// A price.
    Price, decimal, or_number
}

codegen::scalar! {
    /// When a shop was opened.
    OpenedAt, signed_integer
}

codegen::scalar! {
    /// Whether a shop is open.
    IsOpen, boolean, ["1", "\"1\"", "true"], ["\"N\"", "-1"]
}

codegen::scalar! {
    /// Whether a shop is new.
    IsNew, boolean, ["true"], ["false", "\"\""]
}

both_forms! {
    /// A record whose fields have several forms.
    Shop, ShopRef, "a shop object";
    0 required plain tags: OneAsList<String> = "tags";
    1 absent personal sizes: OneAsList<i64> = "sizes";
    2 absent plain names: EmptyArrayAsMap<BTreeMap<String, String>> = "names";
    3 absent plain below: OneAsList<Shop> = "below";
    4 blank plain seats: i64 = "seats";
    5 blank personal note: String = "note";
    6 blank plain open: OneAsList<bool> = "open";
    7 blank plain price: Price = "price";
    8 optional plain id: ShopId = "id";
    9 optional plain cost: Price = "cost";
    10 optional plain opened: OpenedAt = "opened";
    11 optional plain is_open: IsOpen = "isOpen";
}

/// Decodes a shop with the first fields, and requires that it is written with the second ones.
#[track_caller]
fn is_written(members: &str, written: &str) {
    let json = format!("{{{members}}}");
    let shop: Shop = decoded(&json).unwrap();
    let written = format!("{{{written}}}");
    assert_eq!(serde_json::to_string(&shop).unwrap(), written, "{json}");
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(serde_json::from_value::<Shop>(value).unwrap().tags == shop.tags, "{json}");
    assert!(decoded::<Shop>(&written).unwrap() == shop, "{json}");
}

#[test]
fn other_forms_are_read_and_the_type_of_the_field_is_written() {
    is_written(r#""tags":"a""#, r#""tags":["a"],"sizes":[],"names":{},"below":[]"#);
    is_written(r#""tags":"""#, r#""tags":[""],"sizes":[],"names":{},"below":[]"#);
    let texts = r#""tags":["é"],"sizes":[15],"names":{},"below":[]"#;
    is_written(r#""tags":["\u00e9"],"sizes":15"#, texts);
    let below = r#"{"tags":["b"],"sizes":[],"names":{},"below":[]}"#;
    let below = format!(r#""tags":[],"sizes":[],"names":{{}},"below":[{below}]"#);
    is_written(r#""tags":[],"names":[ ],"below":{"tags":"b"}"#, &below);
    is_written(r#""tags":[],"sizes":null,"names":null,"below":null"#, EMPTY);
    is_written(r#""tags":[],"names":[]"#, EMPTY);
    for (members, written) in [
        (r#""seats":"","note":"","open":"""#, r#""seats":null,"note":null,"open":null"#),
        (r#""seats":-4,"note":"n","open":true"#, r#""seats":-4,"note":"n","open":[true]"#),
        (r#""price":"""#, r#""price":null"#),
        (r#""price":1.50"#, r#""price":"1.50""#),
        (r#""seats":null,"open":[]"#, r#""seats":null,"open":[]"#),
        (r#""id":12"#, r#""id":12"#),
        (r#""cost":"1.50""#, r#""cost":"1.50""#),
        (r#""cost":1.50"#, r#""cost":"1.50""#),
        (r#""cost":-0.0E+1"#, r#""cost":"-0.0E+1""#),
        (r#""cost":0.10000000000000000000001"#, r#""cost":"0.10000000000000000000001""#),
        (r#""cost":"\u00e9""#, r#""cost":"é""#),
        (r#""isOpen":1"#, r#""isOpen":1"#),
        (r#""isOpen":"1""#, r#""isOpen":1"#),
        (r#""isOpen":true"#, r#""isOpen":1"#),
        (r#""isOpen":"N""#, r#""isOpen":"N""#),
        (r#""isOpen":"\u004e""#, r#""isOpen":"N""#),
        (r#""isOpen":-1"#, r#""isOpen":"N""#),
        (r#""id":null,"isOpen":null"#, r#""id":null,"isOpen":null"#),
    ] {
        is_written(&format!(r#""tags":[],{members}"#), &format!("{EMPTY},{written}"));
    }
}

const EMPTY: &str = r#""tags":[],"sizes":[],"names":{},"below":[]"#;

#[test]
fn a_value_in_no_form_is_rejected_with_its_path() {
    const LIST: &str = "a list or a single value";
    const OPEN: &str = "a listed form of true or false";
    rejected::<Shop>(r#""sizes":[]"#, Missing, "tags", LIST);
    for (tags, path, expected) in [
        ("null", "tags", LIST),
        ("1", "tags", LIST),
        ("{}", "tags", LIST),
        (r#"["a",1]"#, "tags[1]", "text"),
    ] {
        rejected::<Shop>(&format!(r#""tags":{tags}"#), WrongType, path, expected);
    }
    for (members, kind, path, expected) in [
        (r#""sizes":"1""#, WrongType, "sizes", LIST),
        (r#""sizes":[1,true]"#, WrongType, "sizes[1]", "an integer"),
        (r#""names":["a"]"#, WrongType, "names", "an object"),
        (r#""names":"""#, WrongType, "names", "an object"),
        (r#""names":{"a":1}"#, WrongType, "names.*", "text"),
        (r#""below":{}"#, Missing, "below.tags", LIST),
        (r#""below":[{"tags":[2]}]"#, WrongType, "below[0].tags[0]", "text"),
        (r#""seats":"4""#, WrongType, "seats", "an integer"),
        (r#""seats":1.5"#, WrongType, "seats", "an integer"),
        (r#""note":4"#, WrongType, "note", "text"),
        (r#""open":["",true]"#, WrongType, "open[0]", "true or false"),
        (r#""open":"true""#, WrongType, "open", LIST),
        (r#""seats":1,"seats":"""#, Duplicate, "seats", "the field once"),
        (r#""id":-1"#, WrongType, "id", "a non-negative integer"),
        (r#""id":"1""#, WrongType, "id", "a non-negative integer"),
        (r#""cost":true"#, WrongType, "cost", "text, or a number"),
        (r#""cost":["1"]"#, WrongType, "cost", "text, or a number"),
        (r#""opened":"5""#, WrongType, "opened", "an integer"),
        (r#""isOpen":0"#, WrongType, "isOpen", OPEN),
        (r#""isOpen":"0""#, WrongType, "isOpen", OPEN),
        (r#""isOpen":false"#, WrongType, "isOpen", OPEN),
        (r#""isOpen":1.0"#, WrongType, "isOpen", OPEN),
        (r#""isOpen":18446744073709551615"#, WrongType, "isOpen", OPEN),
        (r#""isOpen":{}"#, WrongType, "isOpen", OPEN),
    ] {
        rejected::<Shop>(&format!(r#""tags":[],{members}"#), kind, path, expected);
    }
}

#[test]
fn personal_fields_in_other_forms_are_not_shown() {
    let shop: Shop = decoded(r#"{"tags":[],"sizes":5225,"note":"Ann"}"#).unwrap();
    let text = format!("{shop:?}");
    assert!(!text.contains("5225") && !text.contains("Ann"), "{text}");
}

#[test]
fn a_boolean_is_written_as_its_first_code() {
    for (json, value) in [("true", true), ("false", false), ("\"\"", false)] {
        let is_new: IsNew = serde_json::from_str(json).unwrap();
        assert_eq!(
            (is_new.get(), bool::from(is_new), IsNew::from(&is_new)),
            (value, value, is_new)
        );
        assert_eq!(serde_json::to_string(&is_new).unwrap(), value.to_string());
        assert_eq!(format!("{is_new} {is_new:?}"), format!("{value} IsNew({value})"));
    }
}
