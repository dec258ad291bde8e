//! Integers, and lists and maps of them, decoded on the fast path and by serde.

use std::borrow::Cow;
use std::collections::BTreeMap;

use methodical_model::Extra;
use methodical_model::codegen::{self, Nulls};

/// A record with numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    width: i64,
    height: Option<i64>,
    steps: Option<Vec<i64>>,
    by_day: Option<BTreeMap<String, i64>>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a record with numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SizesRef<'a> {
    width: i64,
    height: Option<i64>,
    steps: Option<Vec<i64>>,
    by_day: Option<BTreeMap<Cow<'a, str>, i64>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Sizes, SizesRef, "a sizes object";
    0 required plain width: i64 = "width";
    1 optional plain height: i64 = "height";
    2 optional plain steps: Vec<i64> = "steps";
    3 optional plain by_day: BTreeMap<String, i64> = "byDay";
}

#[test]
fn lists_and_maps_of_numbers_are_written_back() {
    let json =
        r#"{"width":1,"height":null,"steps":[-2,9223372036854775807],"byDay":{"a":7,"b":25}}"#;
    let sizes: Sizes = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&sizes).unwrap(), json);
    let borrowed: SizesRef<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), json);
    assert_eq!(borrowed.into_owned(), sizes);
    let value = serde_json::to_value(&sizes).unwrap();
    assert_eq!(serde_json::from_value::<Sizes>(value).unwrap(), sizes);
}
