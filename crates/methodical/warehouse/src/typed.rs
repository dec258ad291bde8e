//! The times and numbers that texts contain.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};

use crate::columns::{PRECISION, SCALE};

/// Returns a civil time in microseconds since 1970, as if it was in UTC; `None` for any other text.
pub(crate) fn civil(text: &str) -> Option<i64> {
    let with_time = |format| NaiveDateTime::parse_from_str(text, format).ok();
    let date = || {
        let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?;
        Some(date.and_time(NaiveTime::MIN))
    };
    let time = with_time("%Y-%m-%d %H:%M:%S%.f")
        .or_else(|| with_time("%Y-%m-%dT%H:%M:%S%.f"))
        .or_else(|| with_time("%Y-%m-%d %H:%M"))
        .or_else(date)?;
    Some(time.and_utc().timestamp_micros())
}

/// Returns a decimal number in units of its last digit; `None` for any other text, and for a number with more digits than its
/// column has.
pub(crate) fn decimal(text: &str) -> Option<i128> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_number(whole) && is_number(fraction) && !whole.is_empty();
    if !is_plain || digits.ends_with('.') {
        return None;
    }
    // Zeros at the end change nothing.
    let fraction = fraction.trim_end_matches('0');
    let scale = usize::try_from(SCALE).unwrap_or_default();
    if fraction.len() > scale {
        return None;
    }
    let value: i128 = format!("{whole}{fraction:0<scale$}").parse().ok()?;
    let limit = 10_i128.pow(u32::from(PRECISION));
    (value < limit).then_some(sign * value)
}

#[cfg(test)]
mod tests {
    use super::{civil, decimal};

    #[test]
    fn only_an_exact_decimal_number_has_a_number() {
        let nines = "9".repeat(29);
        for (text, expected) in [
            ("12.50", Some(12_500_000_000)),
            ("-0.000000001", Some(-1)),
            ("+7", Some(7_000_000_000)),
            ("007.1000000000000", Some(7_100_000_000)),
            (&*format!("{nines}.999999999"), Some(10_i128.pow(38) - 1)),
            (&*format!("1{nines}"), None),
            ("0.0000000001", None),
            ("", None),
            ("-", None),
            (".5", None),
            ("5.", None),
            ("1e3", None),
            ("1,234.50", None),
            ("--1", None),
            ("NaN", None),
        ] {
            assert_eq!(decimal(text), expected, "{text}");
        }
    }

    #[test]
    fn only_a_civil_time_has_a_time() {
        for (text, expected) in [
            ("1970-01-01", Some(0)),
            ("1970-01-01T00:00:01", Some(1_000_000)),
            ("1970-01-01 00:00:00.5", Some(500_000)),
            ("1970-01-01 00:01", Some(60_000_000)),
            ("0000-00-00 00:00:00", None),
            ("1970-01-01T00:00:00Z", None),
            ("1970-01-01T00:00:00+01:00", None),
            ("", None),
        ] {
            assert_eq!(civil(text), expected, "{text}");
        }
    }
}
