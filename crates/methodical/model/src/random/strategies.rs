//! Strategies for `proptest`: the building blocks of the generated implementations.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Debug;
use core::ops::RangeInclusive;

pub use proptest::arbitrary::{Arbitrary, any};
use proptest::char::range;
use proptest::collection::vec;
use proptest::prop_oneof;
pub use proptest::sample::select;
use proptest::strategy::LazyJust;
pub use proptest::strategy::{BoxedStrategy, Just, Strategy};

use crate::decode::Sealed;
use crate::decode::slot::Slot;
use crate::random::{
    CURRENCIES, LONGEST, MILLISECONDS, NUMBERS, ODD_DATES, ODD_DECIMALS, ODD_FLOATS, ODD_SECONDS,
    SECONDS, SURPRISES, WORDS, escaped, lists, quoted,
};
use crate::scalar::civil::days_in;
use crate::{Civil, Extra, Float, Map, RawQuery, Service};

/// Implements proptest's `Arbitrary` for a type with a strategy.
#[doc(hidden)]
#[macro_export]
macro_rules! __strategy {
    ($name:ty, $strategy:expr) => {
        impl $crate::codegen::strategies::Arbitrary for $name {
            type Parameters = ();
            type Strategy = $crate::codegen::strategies::BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                $crate::codegen::strategies::Strategy::boxed($strategy)
            }
        }
    };
}

pub use __strategy as strategy;

impl<S: Service> Arbitrary for RawQuery<S> {
    type Parameters = ();
    type Strategy = BoxedStrategy<Self>;

    fn arbitrary_with((): ()) -> Self::Strategy {
        let pairs = vec((text(), text()), 0..4);
        let query = |(method, pairs): (String, Vec<(String, String)>)| {
            let new = Self::new(method);
            pairs.into_iter().fold(new, |query, (name, value)| query.pair(name, value))
        };
        (text(), pairs).prop_map(query).boxed()
    }
}

strategy!(Extra<'static>, members().prop_map(Extra::of));

strategy!(Float, float());

strategy!(Civil, {
    let date = (0..=9999_u16, 1..=12_u8, 1..=31_u8);
    (date, 0..=23_u8, 0..=59_u8, 0..=59_u8).prop_map(
        |((year, month, day), hour, minute, second)| Self {
            year,
            month,
            day: day.min(days_in(year, month)),
            hour,
            minute,
            second,
        },
    )
});

/// Any text: plain, from all of Unicode, and texts that programs often handle wrong.
pub fn text() -> BoxedStrategy<String> {
    text_of(0..=LONGEST)
}

/// Text with a length in characters within `length`.
pub fn text_of(length: RangeInclusive<usize>) -> BoxedStrategy<String> {
    let longest = LONGEST.min(*length.end());
    let fits = |text: &&str| length.contains(&text.chars().count());
    let surprises: Vec<&str> = SURPRISES.iter().copied().filter(fits).collect();
    let character = prop_oneof![range(' ', '~'), any::<char>()];
    prop_oneof![
        3 => vec(character, *length.start()..=longest).prop_map(String::from_iter),
        1 => select(surprises).prop_map(str::to_owned),
    ]
    .boxed()
}

/// Digits, as in the contract, and other text.
pub fn identifier() -> BoxedStrategy<String> {
    prop_oneof![4 => any::<u64>().prop_map(|number| number.to_string()), 1 => text()].boxed()
}

/// Plain decimal numbers, and other text.
pub fn decimal() -> BoxedStrategy<String> {
    let plain = (any::<i32>(), 0..100_u8);
    prop_oneof![
        4 => plain.prop_map(|(whole, fraction)| format!("{whole}.{fraction:02}")),
        1 => select(ODD_DECIMALS).prop_map(str::to_owned),
        1 => text(),
    ]
    .boxed()
}

/// Dates and times that exist, and other text.
pub fn date_time() -> BoxedStrategy<String> {
    prop_oneof![
        4 => any::<Civil>().prop_map(|civil| civil.to_string()),
        1 => select(ODD_DATES).prop_map(str::to_owned),
        1 => text(),
    ]
    .boxed()
}

/// Seconds of the years 0 to 9999, and others.
pub fn epoch_seconds() -> BoxedStrategy<i64> {
    prop_oneof![4 => SECONDS, 1 => select(ODD_SECONDS)].boxed()
}

/// Seconds in digits, and other text.
pub fn epoch_seconds_text() -> BoxedStrategy<String> {
    prop_oneof![4 => epoch_seconds().prop_map(|seconds| seconds.to_string()), 1 => text()].boxed()
}

/// Milliseconds of the years 0 to 9999, and others.
pub fn epoch_milliseconds() -> BoxedStrategy<i64> {
    prop_oneof![4 => MILLISECONDS, 1 => select(ODD_SECONDS)].boxed()
}

/// Milliseconds in digits, and other text.
pub fn epoch_milliseconds_text() -> BoxedStrategy<String> {
    let digits = epoch_milliseconds().prop_map(|milliseconds| milliseconds.to_string());
    prop_oneof![4 => digits, 1 => text()].boxed()
}

/// Any number: whole ones, prices, and others.
pub fn float() -> BoxedStrategy<Float> {
    prop_oneof![
        any::<i32>().prop_map(f64::from),
        any::<i32>().prop_map(|cents| f64::from(cents) / 100.0),
        select(ODD_FLOATS),
        any::<f64>(),
    ]
    .prop_map(|number| Float::finite(number).unwrap_or_default())
    .boxed()
}

/// Currency codes, and other text.
pub fn currency() -> BoxedStrategy<String> {
    prop_oneof![4 => select(CURRENCIES).prop_map(str::to_owned), 1 => text()].boxed()
}

/// The known values, and an unknown one.
pub fn open<T>(known: &'static [T]) -> BoxedStrategy<T>
where
    T: Clone + Debug + From<String> + 'static,
{
    prop_oneof![2 => select(known), 1 => text().prop_map(T::from)].boxed()
}

/// The known values, and an unknown integer.
pub fn open_code<T>(known: &'static [T]) -> BoxedStrategy<T>
where
    T: Clone + Debug + From<i64> + 'static,
{
    prop_oneof![2 => select(known), 1 => any::<i64>().prop_map(T::from)].boxed()
}

/// A field that may be absent, `null`, or present.
pub fn optional<S: Strategy + 'static>(value: S) -> BoxedStrategy<Slot<S::Value>> {
    prop_oneof![
        1 => LazyJust::new(|| Slot::Empty),
        1 => LazyJust::new(|| Slot::Null),
        3 => value.prop_map(Slot::Full),
    ]
    .boxed()
}

/// A field that may be absent, `null`, or a text that is not empty.
pub fn filled<S: Strategy + 'static>(value: S) -> BoxedStrategy<Slot<S::Value>>
where
    S::Value: AsRef<str>,
{
    let filled = |slot| match slot {
        Slot::Full(text) if S::Value::as_ref(&text).is_empty() => Slot::Empty,
        slot => slot,
    };
    optional(value).prop_map(filled).boxed()
}

/// A field whose type contains its own model, up to `depth` levels deep.
pub fn nested<T: Debug + 'static>(
    depth: u32,
    value: fn(u32) -> BoxedStrategy<T>,
) -> BoxedStrategy<Slot<Box<T>>> {
    match depth.checked_sub(1) {
        Some(depth) => optional(value(depth).prop_map(Box::new)),
        None => LazyJust::new(|| Slot::Empty).boxed(),
    }
}

/// A list of up to two values.
pub fn list<S: Strategy + 'static>(value: S) -> BoxedStrategy<Vec<S::Value>> {
    vec(value, 0..3).boxed()
}

/// A map of up to two values.
pub fn map<S: Strategy + 'static>(value: S) -> BoxedStrategy<Map<S::Value>> {
    vec((text(), value), 0..3).prop_map(Map::from_iter).boxed()
}

/// A list or a map of records that may contain the model itself, up to `depth` levels deep.
pub fn below<T: Debug + Default + 'static>(
    depth: u32,
    value: impl FnOnce(u32) -> BoxedStrategy<T>,
) -> BoxedStrategy<T> {
    depth.checked_sub(1).map_or_else(|| LazyJust::new(T::default).boxed(), value)
}

/// Fields that the contract does not list for the model.
pub fn unlisted<T: Sealed>() -> BoxedStrategy<Extra<'static>> {
    let unlisted = |(name, _): &(String, String)| !lists(T::OBJECT, name);
    members().prop_map(move |members| Extra::of(members.into_iter().filter(unlisted))).boxed()
}

/// A value that a query can contain.
pub fn sendable<T: Arbitrary + AsRef<str> + 'static>() -> BoxedStrategy<T> {
    let is_sendable = |value: &T| !value.as_ref().is_empty();
    any::<T>().prop_filter("a query contains no empty text", is_sendable).boxed()
}

/// A parameter that is set if `is_given`.
pub fn given<S: Strategy + 'static>(is_given: bool, value: S) -> BoxedStrategy<Option<S::Value>> {
    if is_given { value.prop_map(Some).boxed() } else { LazyJust::new(|| None).boxed() }
}

/// A parameter that may be set if `may_be_given`.
pub fn perhaps<S: Strategy + 'static>(
    may_be_given: bool,
    value: S,
) -> BoxedStrategy<Option<S::Value>> {
    let value = given(may_be_given, value);
    prop_oneof![LazyJust::new(|| None), value].boxed()
}

/// Names, with JSON texts as values.
fn members() -> BoxedStrategy<Vec<(String, String)>> {
    vec((text(), json()), 0..4).boxed()
}

/// Valid JSON text in every notation.
fn json() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        select(WORDS).prop_map(str::to_owned),
        any::<i64>().prop_map(|number| number.to_string()),
        select(NUMBERS).prop_map(str::to_owned),
        text().prop_map(|text| quoted(&text)),
        text().prop_map(|text| escaped(&text)),
    ];
    let nested = leaf.prop_recursive(3, 8, 3, |inner| {
        let member =
            (text(), inner.clone()).prop_map(|(name, value)| quoted(&name) + ": " + &value);
        prop_oneof![
            vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            vec(member, 0..4).prop_map(|members| format!("{{{}}}", members.join(", "))),
        ]
    });
    nested.boxed()
}
