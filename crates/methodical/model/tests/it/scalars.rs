//! Scalars compare, parse and convert as their kind requires.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use methodical_model::{Civil, DecodeError, DecodeErrorKind, codegen};

codegen::scalar! {
    /// An identifier in digits.
    Id, digits
}

codegen::scalar! {
    /// A code.
    Code, text
}

codegen::scalar! {
    /// A price.
    Price, decimal
}

codegen::scalar! {
    /// A moment.
    Moment, civil_date_time
}

codegen::scalar! {
    /// A number of bytes.
    Bytes, integer
}

codegen::scalar! {
    /// A difference in days.
    Shift, signed_integer
}

#[test]
fn identifiers_in_digits_are_ordered_by_number() {
    let mut ids = ["10", "x", "9", "7", "007"].map(Id::from);
    ids.sort();
    assert_eq!(ids, ["007", "7", "9", "10", "x"]);
    assert_eq!(BTreeSet::from(ids).len(), 5);
    assert_eq!((Id::from(9).to_u64().unwrap(), Id::from(9)), (9, Id::new("9")));
    refused(Id::new("x").to_u64(), "Id");
}

#[test]
fn dates_are_ordered_in_time() {
    let mut moments = ["2026-11-01 00:00:00", "2026-02-28 23:59:59", "0999-12-31 00:00:00"];
    let mut ours = moments.map(Moment::from);
    ours.sort_unstable();
    moments.reverse();
    assert_eq!(ours, moments);
    assert!(ours.is_sorted_by_key(Moment::civil));
}

#[test]
fn maps_can_be_searched_with_text() {
    let prices = HashMap::from([(Price::new("1.50"), 1), (Price::new("1.5"), 2)]);
    assert_eq!(
        (prices.get("1.50"), prices.get("1.5"), prices.get("1")),
        (Some(&1), Some(&2), None)
    );
    let codes = BTreeMap::from([(Code::new("b"), 1), (Code::new("a"), 2)]);
    assert_eq!((codes.get("a"), codes.get("c")), (Some(&2), None));
}

#[test]
fn text_is_kept_in_both_directions() {
    for text in ["", "12", " 1e3 ", "ä"] {
        let Ok(code) = text.parse::<Code>();
        assert_eq!(code, text);
        assert_eq!(*text, code);
        assert_ne!(code, *"other");
        assert_eq!(String::from(code), text);
    }
}

#[test]
fn integers_are_parsed_from_their_digits() {
    assert_eq!("18446744073709551615".parse::<Bytes>().unwrap().get(), u64::MAX);
    assert_eq!(i64::from("-9223372036854775808".parse::<Shift>().unwrap()), i64::MIN);
    for text in ["", "+1", " 1", "1.0", "18446744073709551616", "٣"] {
        refused(text.parse::<Bytes>(), "Bytes");
        refused(text.parse::<Shift>(), "Shift");
    }
    refused("-1".parse::<Bytes>(), "Bytes");
}

#[test]
fn a_new_date_exists() {
    let text = "2024-02-29 23:59:59";
    let civil = Civil::new(2024, 2, 29, 23, 59, 59).unwrap();
    assert_eq!((civil.to_string().as_str(), text.parse::<Civil>()), (text, Ok(civil)));
    for [month, day, hour, minute, second] in [
        [2, 30, 0, 0, 0],
        [13, 1, 0, 0, 0],
        [0, 1, 0, 0, 0],
        [1, 0, 0, 0, 0],
        [1, 1, 24, 0, 0],
        [1, 1, 0, 60, 0],
        [1, 1, 0, 0, 60],
    ] {
        refused(Civil::new(2024, month, day, hour, minute, second), "Civil");
    }
    refused(Civil::new(10_000, 1, 1, 0, 0, 0), "Civil");
    refused("2024-02-30 00:00:00".parse::<Civil>(), "Civil");
}

codegen::scalar! {
    /// Seconds as an integer.
    Seen, epoch_seconds
}

codegen::scalar! {
    /// Seconds as text.
    Taken, epoch_seconds_text
}

#[test]
fn seconds_convert_to_utc() {
    for (seconds, expected) in [
        (0, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59"),
        (951_782_399, "2000-02-28 23:59:59"),
        (951_782_400, "2000-02-29 00:00:00"),
        (951_868_800, "2000-03-01 00:00:00"),
        (4_107_542_399, "2100-02-28 23:59:59"),
        (4_107_542_400, "2100-03-01 00:00:00"),
        (-62_167_219_200, "0000-01-01 00:00:00"),
        (253_402_300_799, "9999-12-31 23:59:59"),
    ] {
        assert_eq!(Seen::new(seconds).utc().unwrap().to_string(), expected);
        let text = seconds.to_string();
        assert_eq!(Taken::new(&text).utc().unwrap().to_string(), expected);
        assert_eq!(Taken::from(seconds).as_str(), text);
    }
}

/// Steps of a day and an odd number of seconds reach every day of the calendar.
#[cfg(feature = "jiff")]
#[test]
fn every_time_of_the_calendar_is_that_of_jiff() {
    for seconds in (-62_167_219_200..=253_402_300_799).step_by(86_400 * 17 + 12_345) {
        let time = jiff::Timestamp::from_second(seconds).unwrap();
        let utc = Seen::new(seconds).utc().unwrap().to_string();
        assert_eq!(utc, time.strftime("%Y-%m-%d %H:%M:%S").to_string());
    }
}

#[test]
fn a_time_outside_the_calendar_is_kept_and_does_not_convert() {
    for seconds in [i64::MIN, -62_167_219_201, 253_402_300_800, i64::MAX] {
        let json = seconds.to_string();
        let seen: Seen = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&seen).unwrap(), json);
        refused(seen.utc(), "Seen");
        refused(Taken::new(&json).utc(), "Taken");
    }
}

#[test]
fn text_that_is_not_a_number_of_seconds_is_kept_and_does_not_convert() {
    for text in ["", "-", "+5", " 5", "1e9", "1711850400.5", "soon", "9223372036854775808"] {
        let json = serde_json::to_string(text).unwrap();
        let taken: Taken = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&taken).unwrap(), json);
        refused(taken.to_i64(), "Taken");
        refused(taken.utc(), "Taken");
    }
    assert_eq!(Taken::new("-007").to_i64().unwrap(), -7);
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DecodeError>, name: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.path()), (DecodeErrorKind::Conversion, name));
}
