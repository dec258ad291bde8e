//! Conversions between text scalars and types of other crates: the same value on both sides, or a typed error.

#![cfg(all(feature = "jiff", feature = "rust_decimal"))]

use gateway_model::{CivilDateTime, DecimalText, DecodeError, DecodeErrorKind};
use jiff::civil::{DateTime, date};
use proptest::prelude::*;
use rust_decimal::Decimal;

#[test]
fn existing_dates_convert_both_ways() {
    #[track_caller]
    fn check(text: &str) {
        let ours = CivilDateTime::new(text);
        let theirs = DateTime::try_from(&ours).unwrap();
        assert_eq!(theirs.strftime("%Y-%m-%d %H:%M:%S").to_string(), text);
        assert_eq!(CivilDateTime::try_from(theirs).unwrap(), ours);
    }
    check("2026-11-20 22:15:00");
    check("2024-02-29 00:00:00");
    check("0000-01-01 00:00:00");
    check("9999-12-31 23:59:59");
}

#[test]
fn nonexistent_dates_do_not_convert() {
    for text in [
        "0000-00-00 00:00:00",
        "2026-02-30 00:00:00",
        "1900-02-29 00:00:00",
        "2026-13-01 00:00:00",
        "2026-04-30 24:00:00",
        "2026-04-30 23:60:00",
        "2026-04-30 23:59:60",
        "2026-11-20T22:15:00Z",
        "2026-11-20T22:15:00",
        "2026-11-20 22:15:00Z",
        "2026-11-20 22:15:00.5",
        "2026-11-20 22:15",
        "2026-11-20",
        "+026-04-30 23:59:59",
        "2026-4-30 23:59:59",
        CANARY,
        "",
    ] {
        let ours = CivilDateTime::new(text);
        refused(DateTime::try_from(&ours), "CivilDateTime");
        assert_eq!(ours.as_str(), text);
    }
}

#[test]
fn dates_outside_the_service_format_do_not_convert() {
    refused(CivilDateTime::try_from(date(-1, 12, 31).at(0, 0, 0, 0)), "CivilDateTime");
    refused(CivilDateTime::try_from(date(2026, 1, 1).at(0, 0, 0, 1)), "CivilDateTime");
}

#[test]
fn numbers_that_fit_convert_both_ways() {
    #[track_caller]
    fn check(text: &str, number: &str) {
        let read = Decimal::try_from(&DecimalText::new(text)).unwrap();
        assert_eq!(DecimalText::from(read).as_str(), number, "{text}");
    }
    check("12.50", "12.50");
    check("+12.50", "12.50");
    check("-0.10", "-0.10");
    check("007", "7");
    check("79228162514264337593543950335", "79228162514264337593543950335");
    check("0.0000000000000000000000000001", "0.0000000000000000000000000001");
}

#[test]
fn numbers_that_do_not_fit_do_not_convert() {
    let texts = ["", "-", ".5", "5.", "1e3", "1,234.50", "1_000", "NaN", " 1", "٣", CANARY];
    // One number is too large, and two have more digits than fit and must not be rounded.
    let digits = [
        "79228162514264337593543950336",
        "0.00000000000000000000000000001",
        "1.00000000000000000000000000001",
    ];
    for text in texts.into_iter().chain(digits) {
        let ours = DecimalText::new(text);
        refused(Decimal::try_from(&ours), "DecimalText");
        assert_eq!(ours.as_str(), text);
    }
}

proptest! {
    #[test]
    fn any_decimal_comes_back(digits in any::<i64>(), scale in 0..=28_u32) {
        let number = Decimal::new(digits, scale);
        prop_assert_eq!(Decimal::try_from(&DecimalText::from(number))?, number);
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, DecodeError>, name: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.path()), (DecodeErrorKind::Conversion, name));
    assert_eq!((error.line(), error.column()), (0, 0));
    assert!(!format!("{error} {error:?}").contains(CANARY), "{error:?}");
}

const CANARY: &str = "CANARY";
