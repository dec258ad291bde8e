//! Random values cover a type: usual values, extreme ones, and others that decode.

use std::collections::BTreeSet;
use std::fmt::Debug;

use arbitrary::{Arbitrary, Unstructured};
use methodical_model::{Civil, Extra, codegen};
use proptest::arbitrary::any;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::collections::Page;
use crate::fields::Format;
use crate::lenient;
use crate::written::IsOpen;

codegen::scalar! {
    /// An identifier.
    Id, digits
}

codegen::scalar! {
    /// A price.
    Price, decimal
}

codegen::scalar! {
    /// When something was taken.
    Taken, civil_date_time
}

codegen::scalar! {
    /// Seconds.
    Seen, epoch_seconds
}

codegen::scalar! {
    /// Seconds as text.
    Shot, epoch_seconds_text
}

const COUNT: u64 = if cfg!(miri) { 100 } else { 1_000 };

/// Returns values drawn from the same random bytes on every run.
fn drawn<T: for<'a> Arbitrary<'a>>() -> Vec<T> {
    let mut state = 1_u64;
    let mut byte = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    let bytes = (0..COUNT).map(|_| (0..256).map(|_| byte()).collect::<Vec<u8>>());
    bytes.map(|bytes| Unstructured::new(&bytes).arbitrary().unwrap()).collect()
}

/// Checks that more than half of the values are valid, but not all.
#[track_caller]
fn are_mostly<T: for<'a> Arbitrary<'a>>(is_valid: impl Fn(&T) -> bool) {
    let values = drawn::<T>();
    let valid = values.iter().filter(|value| is_valid(value)).count();
    assert!(valid > values.len() / 2 && valid < values.len(), "{valid}");
}

#[test]
fn values_of_a_kind_are_mostly_usual() {
    are_mostly::<Id>(|id| id.to_u64().is_ok());
    are_mostly::<Price>(Price::is_plain);
    are_mostly::<Taken>(|taken| taken.civil().is_some());
    are_mostly::<Seen>(|seen| seen.utc().is_ok());
    are_mostly::<Shot>(|shot| shot.utc().is_ok());
    are_mostly::<Format>(Format::is_known);
    assert!(drawn::<Civil>().iter().all(|civil| civil.to_string().parse() == Ok(*civil)));
    assert_eq!(drawn::<IsOpen>().into_iter().collect::<BTreeSet<_>>().len(), 2);
}

/// A strategy of `proptest` draws from random bytes.
#[test]
fn strategies_have_the_values_of_draws() {
    let mut runner = TestRunner::deterministic();
    let strategy = any::<Extra<'static>>();
    let mut values = (0..COUNT).map(|_| strategy.new_tree(&mut runner).unwrap().current());
    assert!(values.by_ref().any(|extra| extra.is_empty()));
    assert!(values.any(|extra| extra.iter().count() == 3));
}

/// Returns the number of levels of objects and arrays in a JSON value.
fn levels(value: &Value) -> u32 {
    let below = |values: &mut dyn Iterator<Item = &Value>| values.map(levels).max().unwrap_or(0);
    match value {
        Value::Array(items) => 1 + below(&mut items.iter()),
        Value::Object(members) => 1 + below(&mut members.values()),
        _ => 0,
    }
}

#[test]
#[cfg_attr(miri, ignore = "100 values are not enough")]
fn unlisted_fields_have_values_of_every_type_up_to_the_maximum_depth() {
    let extras = drawn::<Extra<'static>>();
    let json = extras.iter().flat_map(Extra::iter).map(|(_, json)| json);
    let values: Vec<Value> = json.map(|json| serde_json::from_str(json).unwrap()).collect();
    assert_eq!(values.iter().map(levels).collect::<BTreeSet<_>>(), (0..=3).collect());
    let is_type: [fn(&Value) -> bool; 6] = [
        Value::is_null,
        Value::is_boolean,
        Value::is_number,
        Value::is_string,
        Value::is_array,
        Value::is_object,
    ];
    assert!(is_type.iter().all(|is_type| values.iter().any(is_type)));
}

/// A record with lists, maps, records within themselves and other forms of values comes back from JSON.
#[test]
fn records_of_every_shape_come_back() {
    fn come_back<T>()
    where
        T: for<'a> Arbitrary<'a>
            + serde::Serialize
            + serde::de::DeserializeOwned
            + PartialEq
            + Debug,
    {
        let mut different = BTreeSet::new();
        for record in drawn::<T>() {
            let json = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<T>(&json).unwrap(), record);
            different.insert(json);
        }
        assert!(different.len() > 50, "{}", different.len());
        // A field may be null, and drawing ends when the bytes run out.
        assert!(different.iter().any(|json| json.contains(":null")));
        T::arbitrary(&mut Unstructured::new(&[])).unwrap();
    }
    come_back::<Page>();
    come_back::<lenient::Shop>();
    come_back::<crate::written::Shop>();
}
