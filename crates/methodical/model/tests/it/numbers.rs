//! Numbers with a fraction, decoded on the fast path and by serde.

use std::collections::{BTreeSet, HashSet};

use methodical_model::codegen::{self, Nulls};
use methodical_model::{DecodeErrorKind, Extra, Float, Listing, Map};

/// A record with numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Sizes {
    width: Float,
    height: Option<Float>,
    steps: Option<Vec<Float>>,
    by_day: Option<Map<Float>>,
    extra: Extra<'static>,
    nulls: Nulls,
}

/// The borrowed form of a record with numbers.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SizesRef<'a> {
    width: Float,
    height: Option<Float>,
    steps: Option<Vec<Float>>,
    by_day: Option<Map<Float, std::borrow::Cow<'a, str>>>,
    extra: Extra<'a>,
    nulls: Nulls,
}

codegen::record! {
    Sizes, SizesRef, "a sizes object";
    0 required plain width: Float = "width";
    1 optional plain height: Float = "height";
    2 optional plain steps: Vec<Float> = "steps";
    3 optional plain by_day: Map<Float> = "byDay";
}

/// Decodes the text of a number on the fast path, and with serde, which decodes a record after an escaped name.
#[track_caller]
fn decoded(number: &str) -> Result<Float, (DecodeErrorKind, String)> {
    let [fast, slow] = ["width", "w\\u0069dth"].map(|name| {
        let body = format!("[{{\"{name}\":{number}}}]");
        let listing = codegen::list::<Sizes, ()>(&codegen::Body::ROOT, body.as_bytes());
        let sizes = listing.and_then(Listing::strict);
        sizes
            .map(|sizes| sizes[0].width)
            .map_err(|error| (error.kind(), error.expected().to_owned()))
    });
    assert_eq!(fast, slow, "{number}");
    fast
}

#[test]
fn a_number_is_the_nearest_one() {
    for number in [
        "0",
        "-0",
        "0.0",
        "-0.0e5",
        "1",
        "-1.5",
        "0.1",
        "123456789.987654321",
        "9007199254740993",
        "9007199254740993.0",
        "18446744073709551615",
        "-9223372036854775809",
        "123456789012345678901234567890",
        "8.98846567431158e307",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "1e-400",
        "6.631236846766476e-316",
        "0.500000000000000166533453693773481063544750213623046875",
        "3.518437208883201171875e13",
        "62.5364939768271845828",
        "1E+2",
        "1e0",
    ] {
        let expected: f64 = number.parse().unwrap();
        assert_eq!(
            decoded(number).unwrap().get().to_bits(),
            (expected + 0.0).to_bits(),
            "{number}"
        );
    }
}

#[test]
fn a_value_that_is_not_a_finite_number_is_rejected() {
    for value in ["1e309", "-1e400", "\"1\"", "true", "null", "[1]", "{}"] {
        let error = (DecodeErrorKind::WrongType, "a number".to_owned());
        assert_eq!(decoded(value), Err(error), "{value}");
    }
    for text in ["01", "1.", ".5", "+1", "1e", "NaN", "Infinity", "0x1", "1_000", "-"] {
        assert_eq!(decoded(text).unwrap_err().0, DecodeErrorKind::Syntax, "{text}");
    }
}

#[test]
fn numbers_are_equal_and_ordered_by_value() {
    let sorted = [f64::MIN, -1.5, 0.0, 5e-324, 0.1, 1.0, 2.0, f64::MAX];
    let numbers: Vec<_> = sorted.iter().map(|number| Float::new(*number).unwrap()).collect();
    assert!(numbers.is_sorted());
    assert_eq!(numbers.iter().rev().collect::<BTreeSet<_>>().len(), sorted.len());
    let zeros: HashSet<Float> = [0.0, -0.0].map(|zero| Float::new(zero).unwrap()).into();
    assert_eq!(zeros.len(), 1);
    assert_eq!(Float::from(3_u32), "3.0".parse().unwrap());
    for bad in ["", "abc", "inf", "NaN", "1e999"] {
        assert_eq!(bad.parse::<Float>().unwrap_err().kind(), DecodeErrorKind::Conversion, "{bad}");
    }
}

#[test]
fn lists_and_maps_of_numbers_are_written_back() {
    let json = r#"{"width":1.5,"height":null,"steps":[-2.0,1e+21],"byDay":{"b":0.25,"a":7.0}}"#;
    let sizes: Sizes = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&sizes).unwrap(), json);
    let borrowed: SizesRef<'_> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&borrowed).unwrap(), json);
    assert_eq!(borrowed.into_owned(), sizes);
    let value = serde_json::to_value(&sizes).unwrap();
    assert_eq!(serde_json::from_value::<Sizes>(value).unwrap(), sizes);
}

/// Bit patterns of numbers of every size.
#[test]
fn text_and_json_are_read_back_as_the_same_number() {
    let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..if cfg!(miri) { 50 } else { 2_000 } {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        if let Ok(number) = Float::new(f64::from_bits(bits)) {
            assert_eq!(number.to_string().parse::<Float>().unwrap(), number);
            assert_eq!(decoded(&serde_json::to_string(&number).unwrap()).unwrap(), number);
        }
    }
}
