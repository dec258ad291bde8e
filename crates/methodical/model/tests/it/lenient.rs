//! Fields with other forms, decoded on the fast path and by serde.

use std::borrow::Cow;
use std::collections::BTreeMap;

use methodical_model::codegen::{self, EmptyArrayAsMap, Nulls, OneAsList};
use methodical_model::{DecodeError, DecodeErrorKind, Extra};

use crate::support;

codegen::scalar! {
    /// A price.
    Price, decimal, or_number
}

/// A record with fields in other forms.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shop {
    tags: Vec<String>,
    sizes: Vec<i64>,
    names: BTreeMap<String, String>,
    below: Vec<Self>,
    seats: Option<i64>,
    note: Option<String>,
    open: Option<Vec<bool>>,
    price: Option<Price>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a record with fields in other forms.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ShopRef<'a> {
    tags: Vec<Cow<'a, str>>,
    sizes: Vec<i64>,
    names: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    below: Vec<Self>,
    seats: Option<i64>,
    note: Option<Cow<'a, str>>,
    open: Option<Vec<bool>>,
    price: Option<Cow<'a, str>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Shop, ShopRef, "a shop object";
    0 required plain tags: OneAsList<String> = "tags";
    1 absent personal sizes: OneAsList<i64> = "sizes";
    2 absent plain names: EmptyArrayAsMap<BTreeMap<String, String>> = "names";
    3 absent plain below: OneAsList<Shop> = "below";
    4 blank plain seats: i64 = "seats";
    5 blank personal note: String = "note";
    6 blank plain open: OneAsList<bool> = "open";
    7 blank plain price: Price = "price";
}

fn decoded(json: &str) -> Result<Shop, DecodeError> {
    support::decoded(json)
}

const EMPTY: &str = r#"{"tags":[],"sizes":[],"names":{},"below":[]"#;

#[test]
fn other_forms_are_read_and_the_type_of_the_field_is_written() {
    for (json, written) in [
        (r#"{"tags":"a"}"#, r#"{"tags":["a"],"sizes":[],"names":{},"below":[]}"#),
        (r#"{"tags":""}"#, r#"{"tags":[""],"sizes":[],"names":{},"below":[]}"#),
        (
            r#"{"tags":["\u00e9"],"sizes":15}"#,
            r#"{"tags":["é"],"sizes":[15],"names":{},"below":[]}"#,
        ),
        (r#"{"tags":[],"sizes":null,"names":null,"below":null}"#, &format!("{EMPTY}}}")),
        (r#"{"tags":[],"names":[]}"#, &format!("{EMPTY}}}")),
        (
            r#"{"tags":[],"names":[ ],"below":{"tags":"b"}}"#,
            &format!(
                r#"{{"tags":[],"sizes":[],"names":{{}},"below":[{}]}}"#,
                r#"{"tags":["b"],"sizes":[],"names":{},"below":[]}"#
            ),
        ),
        (
            r#"{"tags":[],"seats":"","note":"","open":""}"#,
            &format!(r#"{EMPTY},"seats":null,"note":null,"open":null}}"#),
        ),
        (
            r#"{"tags":[],"seats":-4,"note":"n","open":true}"#,
            &format!(r#"{EMPTY},"seats":-4,"note":"n","open":[true]}}"#),
        ),
        (r#"{"tags":[],"price":""}"#, &format!(r#"{EMPTY},"price":null}}"#)),
        (r#"{"tags":[],"price":1.50}"#, &format!(r#"{EMPTY},"price":"1.50"}}"#)),
        (r#"{"tags":[],"seats":null,"open":[]}"#, &format!(r#"{EMPTY},"seats":null,"open":[]}}"#)),
    ] {
        let shop = decoded(json).unwrap();
        assert_eq!(serde_json::to_string(&shop).unwrap(), written, "{json}");
        let value: serde_json::Value = serde_json::from_str(json).unwrap();
        assert!(serde_json::from_value::<Shop>(value).unwrap().tags == shop.tags, "{json}");
        assert!(decoded(written).unwrap() == shop, "{json}");
    }
}

#[test]
fn a_value_in_no_form_is_rejected_with_its_path() {
    for (json, kind, path) in [
        (r#"{"sizes":[]}"#, DecodeErrorKind::Missing, "tags"),
        (r#"{"tags":null}"#, DecodeErrorKind::WrongType, "tags"),
        (r#"{"tags":1}"#, DecodeErrorKind::WrongType, "tags"),
        (r#"{"tags":{}}"#, DecodeErrorKind::WrongType, "tags"),
        (r#"{"tags":["a",1]}"#, DecodeErrorKind::WrongType, "tags[1]"),
        (r#"{"tags":[],"sizes":"1"}"#, DecodeErrorKind::WrongType, "sizes"),
        (r#"{"tags":[],"sizes":[1,true]}"#, DecodeErrorKind::WrongType, "sizes[1]"),
        (r#"{"tags":[],"names":["a"]}"#, DecodeErrorKind::WrongType, "names"),
        (r#"{"tags":[],"names":""}"#, DecodeErrorKind::WrongType, "names"),
        (r#"{"tags":[],"names":{"a":1}}"#, DecodeErrorKind::WrongType, "names.*"),
        (r#"{"tags":[],"below":{}}"#, DecodeErrorKind::Missing, "below.tags"),
        (r#"{"tags":[],"below":[{"tags":[2]}]}"#, DecodeErrorKind::WrongType, "below[0].tags[0]"),
        (r#"{"tags":[],"seats":"4"}"#, DecodeErrorKind::WrongType, "seats"),
        (r#"{"tags":[],"seats":1.5}"#, DecodeErrorKind::WrongType, "seats"),
        (r#"{"tags":[],"note":4}"#, DecodeErrorKind::WrongType, "note"),
        (r#"{"tags":[],"open":["",true]}"#, DecodeErrorKind::WrongType, "open[0]"),
        (r#"{"tags":[],"open":"true"}"#, DecodeErrorKind::WrongType, "open"),
        (r#"{"tags":[],"seats":1,"seats":""}"#, DecodeErrorKind::Duplicate, "seats"),
    ] {
        let error = decoded(json).unwrap_err();
        assert_eq!((error.kind(), error.path()), (kind, format!("[0].{path}").as_str()), "{json}");
    }
}

#[test]
fn personal_fields_in_other_forms_are_not_shown() {
    let shop = decoded(r#"{"tags":[],"sizes":5225,"note":"Ann"}"#).unwrap();
    let text = format!("{shop:?}");
    assert!(!text.contains("5225") && !text.contains("Ann"), "{text}");
}
