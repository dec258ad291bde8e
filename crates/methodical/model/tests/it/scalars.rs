//! Scalars compare, parse and convert as their kind requires.

use std::collections::BTreeSet;

use methodical_model::{DecodeError, DecodeErrorKind, codegen};

codegen::scalar! {
    /// An identifier in digits.
    Id, digits
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
    let huge = "123456789012345678901234567890";
    let sorted = ["0", "00", "007", "07", "7", "9", "10", "11", "101", huge, "", "+1", "-1", "a"];
    let mut ids = sorted.map(Id::from);
    ids.reverse();
    ids.sort();
    assert_eq!(ids, sorted);
    assert!(ids.is_sorted_by(|one, next| one < next));
    assert_eq!(BTreeSet::from(ids).len(), sorted.len());
    assert_eq!((Id::from(9).to_u64().unwrap(), Id::from(9)), (9, Id::new("9")));
    refused(Id::new("x").to_u64(), "Id");
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

codegen::scalar! {
    /// Seconds as text.
    Taken, epoch_seconds_text
}

#[test]
fn text_that_is_not_a_number_of_seconds_is_kept_and_does_not_convert() {
    for text in ["", "-", "+5", " 5", "1e9", "1711850400.5", "soon", "9223372036854775808"] {
        let json = serde_json::to_string(text).unwrap();
        let taken: Taken = serde_json::from_str(&json).unwrap();
        assert_eq!(serde_json::to_string(&taken).unwrap(), json);
        refused(taken.to_i64(), "Taken");
    }
    assert_eq!((Taken::new("-007").to_i64().unwrap(), Taken::from(-7)), (-7, Taken::new("-7")));
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DecodeError>, name: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.path()), (DecodeErrorKind::Conversion, name));
}
