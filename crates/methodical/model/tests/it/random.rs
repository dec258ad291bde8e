//! The draws of random values cover a kind: values inside its range, extreme values, and invalid text.

use std::collections::BTreeSet;
use std::fmt::Debug;

use arbitrary::Unstructured;
use methodical_model::codegen::{self, DEPTH, Slot, draws};
use methodical_model::{Civil, Extra, Map};
use proptest::arbitrary::any;
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use serde_json::Value;

use crate::photos::Photo;

/// Milliseconds of the years 0 to 9999.
const CALENDAR: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;

const COUNT: u64 = if cfg!(miri) { 100 } else { 1_000 };

/// Returns values drawn from the same random bytes on every run.
fn drawn<T>(draw: fn(&mut Unstructured<'_>) -> arbitrary::Result<T>) -> Vec<T> {
    let mut state = 1_u64;
    let mut byte = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    (0..COUNT)
        .map(|_| {
            let bytes: Vec<u8> = (0..64).map(|_| byte()).collect();
            draw(&mut Unstructured::new(&bytes)).unwrap()
        })
        .collect()
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

#[test]
fn times_are_in_the_calendar_and_beyond() {
    let seconds = CALENDAR.start() / 1_000..=CALENDAR.end() / 1_000;
    for (values, calendar) in
        [(drawn(draws::epoch_seconds), &seconds), (drawn(draws::epoch_milliseconds), &CALENDAR)]
    {
        assert_mostly(&values, |value| calendar.contains(value));
        assert!(values.contains(&i64::MIN) && values.contains(&i64::MAX));
        let different: BTreeSet<_> = values.iter().collect();
        assert!(different.len() > values.len() / 2, "{}", different.len());
    }
}

#[test]
fn texts_of_a_kind_are_mostly_valid() {
    let is_integer = |text: &String| text.parse::<i64>().is_ok();
    assert_mostly(&drawn(draws::epoch_seconds_text), is_integer);
    assert_mostly(&drawn(draws::epoch_milliseconds_text), is_integer);
    assert_mostly(&drawn(draws::identifier), |text| text.parse::<u64>().is_ok());
    assert_mostly(&drawn(draws::decimal), |text| codegen::is_plain(text));
    assert_mostly(&drawn(draws::date_time), |text| text.parse::<Civil>().is_ok());
    assert_mostly(&drawn(draws::currency), |text| {
        text.len() == 3 && text.bytes().all(|one| one.is_ascii_uppercase())
    });
}

/// Checks that more than half of the values are valid, but not all.
#[track_caller]
fn assert_mostly<T>(values: &[T], is_valid: impl Fn(&T) -> bool) {
    let valid = values.iter().filter(|value| is_valid(value)).count();
    assert!(valid > values.len() / 2 && valid < values.len(), "{valid}");
}

#[test]
fn codes_are_known_ones_and_others() {
    const KNOWN: &[i64] = &[7, 8];
    let codes = drawn(|source| draws::open_code(source, KNOWN));
    assert_mostly(&codes, |code| KNOWN.contains(code));
    assert!(KNOWN.iter().all(|known| codes.contains(known)));
}

#[test]
fn a_field_with_text_is_never_an_empty_text() {
    const TEXTS: &[&str] = &["", "a"];
    let [mut absent, mut null, mut full] = [0; 3];
    for slot in drawn(|source| draws::filled(source, |source| draws::closed(source, TEXTS))) {
        match slot {
            Slot::Empty => absent += 1,
            Slot::Null => null += 1,
            Slot::Full(text) => {
                assert_eq!(text, "a");
                full += 1;
            }
        }
    }
    assert!(absent > 0 && null > 0 && full > 0, "{absent} {null} {full}");
}

/// A model that contains itself.
#[derive(Debug, Default)]
struct Folder(Option<Box<Self>>);

impl Folder {
    fn draw(source: &mut Unstructured<'_>, depth: u32) -> arbitrary::Result<Self> {
        Ok(Self(draws::nested(source, depth, Self::draw)?.full()))
    }

    fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |below| 1 + below.depth())
    }
}

#[test]
fn a_model_within_itself_has_every_depth_up_to_the_maximum() {
    let folders = drawn(|source| Folder::draw(source, DEPTH));
    let depths: BTreeSet<u32> = folders.iter().map(Folder::depth).collect();
    assert_eq!(depths, (0..=DEPTH).collect());
}

#[test]
fn lists_and_maps_have_up_to_two_values_and_end_at_the_maximum_depth() {
    let short = BTreeSet::from([0, 1, 2]);
    let lists = drawn(|source| draws::list(source, draws::epoch_seconds));
    assert_eq!(lists.iter().map(Vec::len).collect::<BTreeSet<_>>(), short);
    let maps = drawn(|source| draws::map(source, draws::epoch_seconds));
    assert_eq!(maps.iter().map(Map::len).collect::<BTreeSet<_>>(), short);
    let depth =
        |source: &mut Unstructured<'_>, depth| draws::below(source, depth, |_, left| Ok(left));
    let mut source = Unstructured::new(&[]);
    assert_eq!([1, 3].map(|one| depth(&mut source, one + 1).unwrap()), [1, 3]);
    assert_eq!(depth(&mut source, 0).unwrap(), u32::default());
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
    let extras = drawn(draws::unlisted::<Photo>);
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

#[test]
fn floats_are_whole_numbers_prices_and_others() {
    let numbers: Vec<f64> = drawn(draws::float).into_iter().map(f64::from).collect();
    assert!(numbers.iter().all(|number| number.is_finite()));
    let is_price = |number: &&f64| {
        let cents = **number * 100.0;
        cents.abs() >= 1.0 && cents.fract().abs() < 1e-3 && number.fract() != 0.0
    };
    assert!(numbers.iter().any(|number| number.fract() == 0.0 && *number != 0.0));
    assert!(numbers.iter().filter(is_price).count() > numbers.len() / 10);
    assert!(numbers.iter().any(|number| number.abs() > 1e100));
}

#[test]
fn texts_have_the_requested_length() {
    for text in drawn(|source| draws::text_of(source, 3..=5)) {
        assert!((3..=5).contains(&text.chars().count()), "{text:?}");
    }
}
