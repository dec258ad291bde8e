//! Draws for `arbitrary`: the building blocks of the generated implementations. `proptest` draws the same values, from
//! random bytes.
//!
//! When the bytes run out, every draw returns its smallest value, so drawing always ends.

#![expect(clippy::missing_errors_doc, reason = "every draw passes on the errors of `arbitrary`")]

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::ops::RangeInclusive;

pub use arbitrary::{Arbitrary, Result, Unstructured};

use crate::decode::Sealed;
use crate::decode::slot::Slot;
use crate::random::{
    CURRENCIES, LONGEST, MILLISECONDS, NUMBERS, ODD_DATES, ODD_DECIMALS, ODD_FLOATS, ODD_SECONDS,
    SECONDS, SURPRISES, WORDS, escaped, lists, quoted,
};
use crate::scalar::civil::days_in;
use crate::{Civil, Extra, Float, Map, RawQuery, Service};

/// Implements `Arbitrary` for a type: that of `arbitrary`, and that of `proptest` if the feature is on.
#[doc(hidden)]
#[macro_export]
macro_rules! __draw {
    (@[$($generics:tt)*] $name:ty, |$source:ident| $value:expr) => {
        impl<'a, $($generics)*> $crate::codegen::draws::Arbitrary<'a> for $name {
            fn arbitrary(
                $source: &mut $crate::codegen::draws::Unstructured<'a>,
            ) -> $crate::codegen::draws::Result<Self> {
                Ok($value)
            }
        }

        $crate::__strategy!([$($generics)*] $name);
    };
    ($name:ty, |$source:ident| $value:expr) => {
        $crate::__draw!(@[] $name, |$source| $value);
    };
}

#[cfg(feature = "proptest")]
#[doc(hidden)]
#[macro_export]
macro_rules! __strategy {
    ([$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::codegen::strategies::Arbitrary for $name {
            type Parameters = ();
            type Strategy = $crate::codegen::strategies::BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                $crate::codegen::strategies::drawn()
            }
        }
    };
}

#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __strategy {
    ([$($generics:tt)*] $name:ty) => {};
}

pub use __draw as draw;

/// The strategy of `proptest`, for every type that has draws.
#[cfg(feature = "proptest")]
pub mod strategies {
    use alloc::vec::Vec;
    use core::fmt::Debug;

    pub use proptest::arbitrary::Arbitrary;
    use proptest::arbitrary::any;
    use proptest::collection::vec;
    pub use proptest::strategy::BoxedStrategy;
    use proptest::strategy::Strategy as _;

    use crate::random::draws;

    /// Values drawn from up to this many random bytes, which suffice for the fields of a large record.
    const BYTES: usize = 1_024;

    /// Returns the values that are drawn from random bytes. Fewer bytes are a simpler value.
    pub fn drawn<T: for<'a> draws::Arbitrary<'a> + Debug>() -> BoxedStrategy<T> {
        let value = |bytes: Vec<u8>| draws::Unstructured::new(&bytes).arbitrary().ok();
        vec(any::<u8>(), 0..BYTES).prop_filter_map("a draw does not fail", value).boxed()
    }
}

draw!(@[S: Service] RawQuery<S>, |source| {
    let mut query = Self::new(text(source)?);
    for _ in 0..source.int_in_range(0..=3)? {
        query = query.pair(text(source)?, text(source)?);
    }
    query
});

draw!(Extra<'static>, |source| Extra::of(members(source)?));

draw!(Float, |source| float(source)?);

draw!(Civil, |source| {
    let (year, month) = (source.int_in_range(0..=9999)?, source.int_in_range(1..=12)?);
    Self {
        year,
        month,
        day: source.int_in_range(1..=days_in(year, month))?,
        hour: source.int_in_range(0..=23)?,
        minute: source.int_in_range(0..=59)?,
        second: source.int_in_range(0..=59)?,
    }
});

/// Any text: from all of Unicode, and texts that programs often handle wrong.
pub fn text(source: &mut Unstructured<'_>) -> Result<String> {
    text_of(source, 0..=usize::MAX)
}

/// Text with a length in characters within `length`.
pub fn text_of(source: &mut Unstructured<'_>, length: RangeInclusive<usize>) -> Result<String> {
    if source.int_in_range(0..=7_u8)? == 7 {
        let fits = |text: &&str| length.contains(&text.chars().count());
        let surprises: Vec<&str> = SURPRISES.iter().copied().filter(fits).collect();
        return source.choose(&surprises).copied().map(str::to_owned);
    }
    let longest = (*length.end()).min(LONGEST);
    let count = source.int_in_range(*length.start()..=longest)?;
    let mut character = || match source.arbitrary::<u8>()? {
        0 => Ok('x'),
        plain @ b' '..=b'~' => Ok(char::from(plain)),
        _ => source.arbitrary(),
    };
    (0..count).map(|_| character()).collect()
}

/// Digits, as in the contract, and other text.
pub fn identifier(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=4_u8)? {
        4 => text(source),
        _ => source.arbitrary::<u64>().map(|number| number.to_string()),
    }
}

/// Plain decimal numbers, and other text.
pub fn decimal(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=5_u8)? {
        5 => text(source),
        4 => chosen(source, ODD_DECIMALS),
        _ => {
            let (whole, fraction) = (source.arbitrary::<i32>()?, source.int_in_range(0..=99_u8)?);
            Ok(format!("{whole}.{fraction:02}"))
        }
    }
}

/// Dates and times that exist, and other text.
pub fn date_time(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=5_u8)? {
        5 => text(source),
        4 => chosen(source, ODD_DATES),
        _ => source.arbitrary::<Civil>().map(|civil| civil.to_string()),
    }
}

/// Seconds of the years 0 to 9999, and others.
pub fn epoch_seconds(source: &mut Unstructured<'_>) -> Result<i64> {
    match source.int_in_range(0..=4_u8)? {
        4 => source.choose(ODD_SECONDS).copied(),
        _ => source.int_in_range(SECONDS),
    }
}

/// Seconds in digits, and other text.
pub fn epoch_seconds_text(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=4_u8)? {
        4 => text(source),
        _ => epoch_seconds(source).map(|seconds| seconds.to_string()),
    }
}

/// Milliseconds of the years 0 to 9999, and others.
pub fn epoch_milliseconds(source: &mut Unstructured<'_>) -> Result<i64> {
    match source.int_in_range(0..=4_u8)? {
        4 => source.choose(ODD_SECONDS).copied(),
        _ => source.int_in_range(MILLISECONDS),
    }
}

/// Milliseconds in digits, and other text.
pub fn epoch_milliseconds_text(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=4_u8)? {
        4 => text(source),
        _ => epoch_milliseconds(source).map(|milliseconds| milliseconds.to_string()),
    }
}

/// Any number: whole ones, prices, and others.
pub fn float(source: &mut Unstructured<'_>) -> Result<Float> {
    let number = match source.int_in_range(0..=3_u8)? {
        0 => f64::from(source.arbitrary::<i32>()?),
        1 => f64::from(source.arbitrary::<i32>()?) / 100.0,
        2 => *source.choose(ODD_FLOATS)?,
        _ => source.arbitrary::<f64>()?,
    };
    Ok(Float::finite(number).unwrap_or_default())
}

/// Currency codes, and other text.
pub fn currency(source: &mut Unstructured<'_>) -> Result<String> {
    match source.int_in_range(0..=4_u8)? {
        4 => text(source),
        _ => chosen(source, CURRENCIES),
    }
}

/// The known values, and an unknown one.
pub fn open<T: Clone + From<String>>(source: &mut Unstructured<'_>, known: &[T]) -> Result<T> {
    match source.int_in_range(0..=2_u8)? {
        2 => text(source).map(T::from),
        _ => closed(source, known),
    }
}

/// The known values, and an unknown integer.
pub fn open_code<T: Clone + From<i64>>(source: &mut Unstructured<'_>, known: &[T]) -> Result<T> {
    match source.int_in_range(0..=2_u8)? {
        2 => source.arbitrary::<i64>().map(T::from),
        _ => closed(source, known),
    }
}

/// One of the values of a closed enum.
pub fn closed<T: Clone>(source: &mut Unstructured<'_>, all: &[T]) -> Result<T> {
    source.choose(all).cloned()
}

/// A field that may be absent, `null`, or present.
pub fn optional<'a, T, F>(source: &mut Unstructured<'a>, value: F) -> Result<Slot<T>>
where
    F: FnOnce(&mut Unstructured<'a>) -> Result<T>,
{
    Ok(match source.int_in_range(0..=4_u8)? {
        0 => Slot::Empty,
        1 => Slot::Null,
        _ => Slot::Full(value(source)?),
    })
}

/// A field that may be absent, `null`, or a text that is not empty.
pub fn filled<'a, T, F>(source: &mut Unstructured<'a>, value: F) -> Result<Slot<T>>
where
    T: AsRef<str>,
    F: FnOnce(&mut Unstructured<'a>) -> Result<T>,
{
    Ok(match optional(source, value)? {
        Slot::Full(text) if text.as_ref().is_empty() => Slot::Empty,
        slot => slot,
    })
}

/// A field whose type contains its own model, up to `depth` levels deep.
pub fn nested<T>(
    source: &mut Unstructured<'_>,
    depth: u32,
    value: fn(&mut Unstructured<'_>, u32) -> Result<T>,
) -> Result<Slot<Box<T>>> {
    match depth.checked_sub(1) {
        Some(depth) => optional(source, |source| value(source, depth).map(Box::new)),
        None => Ok(Slot::Empty),
    }
}

/// A list of up to two values.
pub fn list<'a, T, F>(source: &mut Unstructured<'a>, mut value: F) -> Result<Vec<T>>
where
    F: FnMut(&mut Unstructured<'a>) -> Result<T>,
{
    let count = source.int_in_range(0..=2_u8)?;
    (0..count).map(|_| value(source)).collect()
}

/// A map of up to two values.
pub fn map<'a, T, F>(source: &mut Unstructured<'a>, mut value: F) -> Result<Map<T>>
where
    F: FnMut(&mut Unstructured<'a>) -> Result<T>,
{
    let entries = list(source, |source| Ok((text(source)?, value(source)?)))?;
    Ok(entries.into_iter().collect())
}

/// A list or a map of records that may contain the model itself, up to `depth` levels deep.
pub fn below<'a, T: Default, F>(source: &mut Unstructured<'a>, depth: u32, value: F) -> Result<T>
where
    F: FnOnce(&mut Unstructured<'a>, u32) -> Result<T>,
{
    depth.checked_sub(1).map_or_else(|| Ok(T::default()), |depth| value(source, depth))
}

/// Fields that the contract does not list for the model.
pub fn unlisted<T: Sealed>(source: &mut Unstructured<'_>) -> Result<Extra<'static>> {
    let members = members(source)?;
    Ok(Extra::of(members.into_iter().filter(|(name, _)| !lists(T::OBJECT, name))))
}

fn chosen(source: &mut Unstructured<'_>, texts: &[&str]) -> Result<String> {
    source.choose(texts).map(|text| (*text).to_owned())
}

/// Names, with JSON texts as values.
fn members(source: &mut Unstructured<'_>) -> Result<Vec<(String, String)>> {
    let count = source.int_in_range(0..=3_u8)?;
    (0..count).map(|_| Ok((text(source)?, json(source, 3)?))).collect()
}

/// Valid JSON text in every notation.
fn json(source: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    match source.int_in_range(0..=6_u8)? {
        1 => source.arbitrary::<i64>().map(|number| number.to_string()),
        2 => chosen(source, NUMBERS),
        3 => text(source).map(|text| quoted(&text)),
        4 => text(source).map(|text| escaped(&text)),
        5 if depth > 0 => {
            let count = source.int_in_range(0..=3_u8)?;
            let values: Result<Vec<_>> = (0..count).map(|_| json(source, depth - 1)).collect();
            values.map(|values| format!("[{}]", values.join(",")))
        }
        6 if depth > 0 => {
            let count = source.int_in_range(0..=3_u8)?;
            let mut member = || Ok(quoted(&text(source)?) + ": " + &json(source, depth - 1)?);
            let members: Result<Vec<_>> = (0..count).map(|_| member()).collect();
            members.map(|members| format!("{{{}}}", members.join(", ")))
        }
        _ => chosen(source, WORDS),
    }
}
