//! Random values for the features `arbitrary` and `proptest`: JSON text that is drawn along the shape of a type, and decoded.
//! `proptest` draws the same values, from random bytes.
//!
//! When the bytes run out, every draw returns its smallest value, so drawing always ends.

use alloc::borrow::ToOwned as _;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt::Write as _;

pub use arbitrary::{Arbitrary, Result, Unstructured};

use crate::decode::shape::{Kind, Object, Shape};
use crate::decode::value::Value;
use crate::scalar::civil::utc;
use crate::{Civil, Extra, RawQuery, Service};

/// Implements `Arbitrary` for a type: that of `arbitrary`, and that of `proptest` if the feature is on.
#[doc(hidden)]
#[macro_export]
macro_rules! __random {
    ([$($generics:tt)*] $name:ty, |$source:ident| $value:expr) => {
        impl<'a, $($generics)*> $crate::codegen::random::Arbitrary<'a> for $name {
            fn arbitrary(
                $source: &mut $crate::codegen::random::Unstructured<'a>,
            ) -> $crate::codegen::random::Result<Self> {
                $value
            }
        }

        $crate::codegen::with_strategy!([$($generics)*] $name);
    };
    ($name:ty) => {
        $crate::__random!([] $name, |source| $crate::codegen::random::draw::<$name>(source));
    };
}

/// Implements `Arbitrary` of `proptest` for a type that has the one of `arbitrary`.
#[doc(hidden)]
#[macro_export]
macro_rules! __strategy {
    ([$($generics:tt)*] $name:ty) => {
        impl<$($generics)*> $crate::codegen::random::strategies::Arbitrary for $name {
            type Parameters = ();
            type Strategy = $crate::codegen::random::strategies::BoxedStrategy<Self>;

            fn arbitrary_with((): ()) -> Self::Strategy {
                $crate::codegen::random::strategies::drawn()
            }
        }
    };
}

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

    /// Values drawn from up to this many random bytes, which suffice for the fields of a large record.
    const BYTES: usize = 1_024;

    /// Returns the values that are drawn from random bytes. Fewer bytes are a simpler value.
    pub fn drawn<T: for<'a> super::Arbitrary<'a> + Debug>() -> BoxedStrategy<T> {
        let value = |bytes: Vec<u8>| super::Unstructured::new(&bytes).arbitrary().ok();
        vec(any::<u8>(), 0..BYTES).prop_filter_map("a draw does not fail", value).boxed()
    }
}

__random!([S: Service] RawQuery<S>, |source| {
    let mut query = Self::new(text(source)?);
    for _ in 0..source.int_in_range(0..=3)? {
        query = query.pair(text(source)?, text(source)?);
    }
    Ok(query)
});

__random!([] Extra<'static>, |source| {
    let mut extra = Extra::default();
    for _ in 0..source.int_in_range(0..=3_u8)? {
        extra.push(&quoted(&text(source)?), &any(source, 3)?);
    }
    Ok(extra)
});

__random!([] Civil, |source| date_time(source));

/// Draws a value of a type.
///
/// # Errors
///
/// Those of `arbitrary`.
pub fn draw<V: Value>(source: &mut Unstructured<'_>) -> Result<V::Owned> {
    let json = value(source, V::shape(), DEPTH)?;
    let value = V::deserialize(&mut serde_json::Deserializer::from_str(&json));
    // Every value of a shape decodes.
    value.map(V::into_owned).map_err(|_refused| arbitrary::Error::IncorrectFormat)
}

/// Maximum number of objects within each other, unless more are required.
const DEPTH: u32 = 4;

/// JSON text of a shape, with optional objects and with values in lists and maps up to `depth` levels deep.
fn value(source: &mut Unstructured<'_>, shape: Shape, depth: u32) -> Result<String> {
    match shape {
        Shape::Leaf(leaf) => single(source, leaf.kind),
        Shape::Object(one) => object(source, one, depth.saturating_sub(1)),
        Shape::List(of) | Shape::OneOrList(of) => {
            let count = source.int_in_range(0..=2.min(depth))?;
            let values = (0..count).map(|_| value(source, of(), depth));
            values.collect::<Result<Vec<_>>>().map(|values| format!("[{}]", values.join(",")))
        }
        Shape::Map(of) => {
            let count = source.int_in_range(0..=2.min(depth))?;
            let entries = (0..count).map(|_| Ok((text(source)?, value(source, of(), depth)?)));
            // A map has no duplicate keys.
            let entries = entries.collect::<Result<BTreeMap<_, _>>>()?;
            let members = entries.iter().map(|(key, value)| quoted(key) + ":" + value);
            Ok(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
        }
        Shape::OrEmptyList(of) | Shape::OrBlank(of) => value(source, of(), depth),
    }
}

/// An object: fields that may be absent, `null` or present, and fields that the contract does not list.
fn object(source: &mut Unstructured<'_>, object: &Object, depth: u32) -> Result<String> {
    let mut members = Vec::new();
    for member in object.members {
        let choice = if member.required { 4 } else { source.int_in_range(0..=4_u8)? };
        let is_deep = !matches!((member.shape)(), Shape::Leaf(_));
        let value = match choice {
            0 => continue,
            1 => "null".to_owned(),
            _ if depth == 0 && is_deep && !member.required => continue,
            _ => value(source, (member.shape)(), depth)?,
        };
        members.push(quoted(member.name) + ":" + &value);
    }
    for _ in 0..source.int_in_range(0..=3_u8)? {
        let (name, value) = (text(source)?, any(source, 3)?);
        if object.member(&name).is_none() {
            members.push(quoted(&name) + ":" + &value);
        }
    }
    Ok(format!("{{{}}}", members.join(",")))
}

/// A value without others in it: mostly a usual one, otherwise one that programs often handle wrong.
fn single(source: &mut Unstructured<'_>, kind: Kind) -> Result<String> {
    let is_odd = source.int_in_range(0..=4_u8)? == 4;
    Ok(match kind {
        Kind::Listed { known, is_text } if !is_odd || !is_text => {
            let value = chosen(source, known)?;
            if is_text { quoted(&value) } else { value }
        }
        Kind::Integer { from, to, is_text: false } => {
            let ends = if from < 0 { [i64::MIN.into(), -1, i64::MAX.into()] } else { [0, 1, to] };
            let number =
                if is_odd { *source.choose(&ends)? } else { source.int_in_range(from..=to)? };
            number.to_string()
        }
        Kind::Integer { from, to, .. } if !is_odd => {
            quoted(&source.int_in_range(from..=to)?.to_string())
        }
        Kind::Decimal if !is_odd => {
            let (whole, fraction) = (source.arbitrary::<i32>()?, source.int_in_range(0..=99_u8)?);
            format!("\"{whole}.{fraction:02}\"")
        }
        Kind::DateTime if !is_odd => quoted(&date_time(source)?.to_string()),
        Kind::Decimal if source.arbitrary()? => quoted(&chosen(source, ODD_DECIMALS)?),
        Kind::DateTime if source.arbitrary()? => quoted(&chosen(source, ODD_DATES)?),
        Kind::Boolean => source.arbitrary::<bool>()?.to_string(),
        _ => quoted(&text(source)?),
    })
}

/// A date and time that exists.
fn date_time(source: &mut Unstructured<'_>) -> Result<Civil> {
    let seconds = source.int_in_range(-62_167_219_200..=253_402_300_799)?;
    utc(seconds, "Civil").map_err(|_outside| arbitrary::Error::IncorrectFormat)
}

/// Any text: from all of Unicode, and texts that programs often handle wrong.
fn text(source: &mut Unstructured<'_>) -> Result<String> {
    if source.int_in_range(0..=7_u8)? == 7 {
        return chosen(source, SURPRISES);
    }
    let count = source.int_in_range(0..=LONGEST)?;
    let mut character = || match source.arbitrary::<u8>()? {
        0 => Ok('x'),
        plain @ b' '..=b'~' => Ok(char::from(plain)),
        _ => source.arbitrary(),
    };
    (0..count).map(|_| character()).collect()
}

fn chosen(source: &mut Unstructured<'_>, texts: &[&str]) -> Result<String> {
    source.choose(texts).map(|text| (*text).to_owned())
}

/// Valid JSON text in every notation.
fn any(source: &mut Unstructured<'_>, depth: u32) -> Result<String> {
    match source.int_in_range(0..=6_u8)? {
        1 => source.arbitrary::<i64>().map(|number| number.to_string()),
        2 => chosen(source, NUMBERS),
        3 => text(source).map(|text| quoted(&text)),
        4 => text(source).map(|text| escaped(&text)),
        kind @ (5 | 6) if depth > 0 => {
            let count = source.int_in_range(0..=3_u8)?;
            let mut item = || match kind {
                5 => any(source, depth - 1),
                _ => Ok(quoted(&text(source)?) + ": " + &any(source, depth - 1)?),
            };
            let items = (0..count).map(|_| item()).collect::<Result<Vec<_>>>()?.join(", ");
            Ok(if kind == 5 { format!("[{items}]") } else { format!("{{{items}}}") })
        }
        _ => chosen(source, WORDS),
    }
}

/// Returns the text as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Returns the text as a JSON string in which every character is escaped.
fn escaped(text: &str) -> String {
    let mut json = String::from('"');
    for half in text.encode_utf16() {
        // Writing to a `String` does not fail.
        _ = write!(json, "\\u{half:04x}");
    }
    json.push('"');
    json
}

/// Maximum length of a random text, in characters.
const LONGEST: usize = 24;

/// Texts that programs often handle wrong.
const SURPRISES: &[&str] = &[
    "",
    " ",
    "\0",
    "\u{1f}\u{7f}\u{80}",
    "\u{8}\u{c}\n\r\t",
    "\"\\/",
    "null",
    "=1+1",
    "a+b%20c&d=e",
    "Zażółć gęślą jaźń",
    "e\u{301}",
    "\u{1f469}\u{200d}\u{1f52c}",
    "\u{202e}txt.exe",
    "\u{feff}",
    "\u{2028}\u{ffff}\u{10ffff}",
    "a text that is longer than what is stored inline",
];

/// Decimal texts that are not plain numbers, or have many digits.
const ODD_DECIMALS: &[&str] =
    &["", "1e3", "1,234.50", "NaN", "+5", ".5", "00.10", "123456789012345678901234567890.5"];

/// Dates that do not exist, or are in another format than the service's.
const ODD_DATES: &[&str] =
    &["0000-00-00 00:00:00", "2026-02-29 00:00:00", "2026-11-20T22:15:00Z", "2026-11-20", ""];

/// JSON numbers in every notation.
const NUMBERS: &[&str] =
    &["0", "-0", "7", "-12.50", "1e5", "1E+2", "-0.5e-3", "18446744073709551615", "1e300"];

/// JSON literals.
const WORDS: &[&str] = &["null", "true", "false"];
