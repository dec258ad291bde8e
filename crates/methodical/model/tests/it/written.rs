//! Scalars and enums that a service writes in several ways.

use std::borrow::Cow;

use methodical_model::codegen::{self, Nulls};
use methodical_model::{DecodeError, DecodeErrorKind, Extra};

use crate::support;

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

/// A shop.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Shop {
    id: Option<ShopId>,
    price: Option<Price>,
    opened: Option<OpenedAt>,
    open: Option<IsOpen>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a shop.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct ShopRef<'a> {
    id: Option<ShopId>,
    price: Option<Cow<'a, str>>,
    opened: Option<OpenedAt>,
    open: Option<IsOpen>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Shop, ShopRef, "a shop object";
    0 optional plain id: ShopId = "id";
    1 optional plain price: Price = "price";
    2 optional plain opened: OpenedAt = "opened";
    3 optional plain open: IsOpen = "open";
}

fn decoded(member: &str) -> Result<Shop, DecodeError> {
    support::decoded(&format!("{{{member}}}"))
}

#[test]
fn every_way_of_a_value_is_read_and_the_first_one_is_written() {
    for (member, written) in [
        (r#""id":12"#, r#"{"id":12}"#),
        (r#""price":"1.50""#, r#"{"price":"1.50"}"#),
        (r#""price":1.50"#, r#"{"price":"1.50"}"#),
        (r#""price":-0.0E+1"#, r#"{"price":"-0.0E+1"}"#),
        (r#""price":0.10000000000000000000001"#, r#"{"price":"0.10000000000000000000001"}"#),
        (r#""price":"\u00e9""#, r#"{"price":"é"}"#),
        (r#""open":1"#, r#"{"open":1}"#),
        (r#""open":"1""#, r#"{"open":1}"#),
        (r#""open":true"#, r#"{"open":1}"#),
        (r#""open":"N""#, r#"{"open":"N"}"#),
        (r#""open":"\u004e""#, r#"{"open":"N"}"#),
        (r#""open":-1"#, r#"{"open":"N"}"#),
        (r#""id":null,"open":null"#, r#"{"id":null,"open":null}"#),
    ] {
        let shop = decoded(member).unwrap();
        assert_eq!(serde_json::to_string(&shop).unwrap(), written, "{member}");
        let borrowed: ShopRef<'_> = serde_json::from_str(written).unwrap();
        assert_eq!(borrowed.into_owned(), shop, "{member}");
    }
}

#[test]
fn another_value_is_rejected_with_its_path() {
    let open = "a listed form of true or false";
    for (member, path, expected) in [
        (r#""id":-1"#, "id", "a non-negative integer"),
        (r#""id":"1""#, "id", "a non-negative integer"),
        (r#""price":true"#, "price", "text, or a number"),
        (r#""price":["1"]"#, "price", "text, or a number"),
        (r#""opened":"5""#, "opened", "an integer"),
        (r#""open":0"#, "open", open),
        (r#""open":"0""#, "open", open),
        (r#""open":false"#, "open", open),
        (r#""open":1.0"#, "open", open),
        (r#""open":18446744073709551615"#, "open", open),
        (r#""open":{}"#, "open", open),
    ] {
        let error = decoded(member).unwrap_err();
        let found = (error.kind(), error.path(), error.expected());
        let path = format!("[0].{path}");
        assert_eq!(found, (DecodeErrorKind::WrongType, path.as_str(), expected), "{member}");
    }
}

codegen::scalar! {
    /// Whether a shop is new.
    IsNew, boolean, ["true"], ["false", "\"\""]
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
