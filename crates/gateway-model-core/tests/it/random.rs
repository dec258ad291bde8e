//! Both generators of random values cover a kind: values inside its range, extreme values, and invalid text.

use std::fmt::Debug;

use arbitrary::Unstructured;
use gateway_model_core::codegen::{draws, strategies};
use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::TestRunner;

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
fn milliseconds_are_in_the_calendar_and_beyond() {
    for values in [drawn(draws::epoch_milliseconds), generated(strategies::epoch_milliseconds())] {
        let inside = values.iter().filter(|value| CALENDAR.contains(value)).count();
        assert!(inside > values.len() / 2, "{inside}");
        assert!(values.contains(&i64::MIN) && values.contains(&i64::MAX));
    }
}

#[test]
fn milliseconds_in_text_are_digits_and_other_text() {
    let strategy = strategies::epoch_milliseconds_text();
    for values in [drawn(draws::epoch_milliseconds_text), generated(strategy)] {
        let digits = values.iter().filter(|text| text.parse::<i64>().is_ok()).count();
        assert!(digits > values.len() / 2 && digits < values.len(), "{digits}");
    }
}

#[test]
fn floats_are_whole_numbers_prices_and_others() {
    for values in [drawn(draws::float), generated(strategies::float())] {
        let numbers: Vec<f64> = values.into_iter().map(f64::from).collect();
        assert!(numbers.iter().all(|number| number.is_finite()));
        let is_price =
            |number: &&f64| (**number * 100.0).fract().abs() < 1e-3 && number.fract() != 0.0;
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
