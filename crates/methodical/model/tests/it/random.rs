//! Both generators of random values cover a kind: values inside its range, extreme values, and invalid text.

use std::collections::BTreeSet;
use std::fmt::Debug;

use arbitrary::Unstructured;
use methodical_model::codegen::{self, DEPTH, Slot, draws, strategies};
use methodical_model::{Civil, Extra, Map};
use proptest::strategy::{BoxedStrategy, Strategy, ValueTree as _};
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

fn generated<S: Strategy>(strategy: S) -> Vec<S::Value>
where
    S::Value: Debug,
{
    let mut runner = TestRunner::deterministic();
    (0..COUNT).map(|_| strategy.new_tree(&mut runner).unwrap().current()).collect()
}

#[test]
fn times_are_in_the_calendar_and_beyond() {
    let seconds = CALENDAR.start() / 1_000..=CALENDAR.end() / 1_000;
    for (values, calendar) in [
        (drawn(draws::epoch_seconds), &seconds),
        (generated(strategies::epoch_seconds()), &seconds),
        (drawn(draws::epoch_milliseconds), &CALENDAR),
        (generated(strategies::epoch_milliseconds()), &CALENDAR),
    ] {
        assert_mostly(&values, |value| calendar.contains(value));
        assert!(values.contains(&i64::MIN) && values.contains(&i64::MAX));
        let different: BTreeSet<_> = values.iter().collect();
        assert!(different.len() > values.len() / 2, "{}", different.len());
    }
}

#[test]
fn texts_of_a_kind_are_mostly_valid() {
    type Texts = Vec<String>;

    let is_integer = |text: &String| text.parse::<i64>().is_ok();
    for texts in [
        drawn(draws::epoch_seconds_text),
        generated(strategies::epoch_seconds_text()),
        drawn(draws::epoch_milliseconds_text),
        generated(strategies::epoch_milliseconds_text()),
    ] {
        assert_mostly(&texts, is_integer);
    }
    let check = |texts: [Texts; 2], is_valid: fn(&String) -> bool| {
        for texts in texts {
            assert_mostly(&texts, is_valid);
        }
    };
    let identifiers = [drawn(draws::identifier), generated(strategies::identifier())];
    check(identifiers, |text| text.parse::<u64>().is_ok());
    let decimals = [drawn(draws::decimal), generated(strategies::decimal())];
    check(decimals, |text| codegen::is_plain(text));
    let times = [drawn(draws::date_time), generated(strategies::date_time())];
    check(times, |text| text.parse::<Civil>().is_ok());
    let currencies = [drawn(draws::currency), generated(strategies::currency())];
    check(currencies, |text| text.len() == 3 && text.bytes().all(|one| one.is_ascii_uppercase()));
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
    for codes in
        [drawn(|source| draws::open_code(source, KNOWN)), generated(strategies::open_code(KNOWN))]
    {
        assert_mostly(&codes, |code| KNOWN.contains(code));
        assert!(KNOWN.iter().all(|known| codes.contains(known)));
    }
}

#[test]
fn a_field_with_text_is_never_an_empty_text() {
    const TEXTS: &[&str] = &["", "a"];
    for slots in [
        drawn(|source| draws::filled(source, |source| draws::closed(source, TEXTS))),
        generated(strategies::filled(strategies::select(TEXTS))),
    ] {
        let [mut absent, mut null, mut full] = [0; 3];
        for slot in slots {
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
}

/// A model that contains itself.
#[derive(Debug, Default)]
struct Folder(Option<Box<Self>>);

impl Folder {
    fn draw(source: &mut Unstructured<'_>, depth: u32) -> arbitrary::Result<Self> {
        Ok(Self(draws::nested(source, depth, Self::draw)?.full()))
    }

    fn strategy(depth: u32) -> BoxedStrategy<Self> {
        strategies::nested(depth, Self::strategy).prop_map(|slot| Self(slot.full())).boxed()
    }

    fn depth(&self) -> u32 {
        self.0.as_ref().map_or(0, |below| 1 + below.depth())
    }
}

#[test]
fn a_model_within_itself_has_every_depth_up_to_the_maximum() {
    for folders in [drawn(|source| Folder::draw(source, DEPTH)), generated(Folder::strategy(DEPTH))]
    {
        let depths: BTreeSet<u32> = folders.iter().map(Folder::depth).collect();
        assert_eq!(depths, (0..=DEPTH).collect());
    }
}

#[test]
fn lists_and_maps_have_up_to_two_values_and_end_at_the_maximum_depth() {
    let short = BTreeSet::from([0, 1, 2]);
    for lists in [
        drawn(|source| draws::list(source, draws::epoch_seconds)),
        generated(strategies::list(strategies::epoch_seconds())),
    ] {
        assert_eq!(lists.iter().map(Vec::len).collect::<BTreeSet<_>>(), short);
    }
    for maps in [
        drawn(|source| draws::map(source, draws::epoch_seconds)),
        generated(strategies::map(strategies::epoch_seconds())),
    ] {
        assert_eq!(maps.iter().map(Map::len).collect::<BTreeSet<_>>(), short);
    }
    let depth =
        |source: &mut Unstructured<'_>, depth| draws::below(source, depth, |_, left| Ok(left));
    let mut source = Unstructured::new(&[]);
    assert_eq!([1, 3].map(|one| depth(&mut source, one + 1).unwrap()), [1, 3]);
    assert_eq!(depth(&mut source, 0).unwrap(), u32::default());
    let below = |depth| generated(strategies::below(depth, |left| strategies::Just(left).boxed()));
    assert!(below(3).iter().all(|left| *left == 2));
    assert!(below(0).iter().all(|left| *left == 0));
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
    for extras in [drawn(draws::unlisted::<Photo>), generated(strategies::unlisted::<Photo>())] {
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
}

#[test]
fn floats_are_whole_numbers_prices_and_others() {
    for values in [drawn(draws::float), generated(strategies::float())] {
        let numbers: Vec<f64> = values.into_iter().map(f64::from).collect();
        assert!(numbers.iter().all(|number| number.is_finite()));
        let is_price = |number: &&f64| {
            let cents = **number * 100.0;
            cents.abs() >= 1.0 && cents.fract().abs() < 1e-3 && number.fract() != 0.0
        };
        assert!(numbers.iter().any(|number| number.fract() == 0.0 && *number != 0.0));
        assert!(numbers.iter().filter(is_price).count() > numbers.len() / 10);
        assert!(numbers.iter().any(|number| number.abs() > 1e100));
    }
}

#[test]
fn texts_have_the_requested_length() {
    for text in drawn(|source| draws::text_of(source, 3..=5)) {
        assert!((3..=5).contains(&text.chars().count()), "{text:?}");
    }
}
