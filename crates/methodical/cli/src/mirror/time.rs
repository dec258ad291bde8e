//! Times and durations as text.

use chrono::{DateTime, SecondsFormat};

/// Parses a duration such as `90s`, `15m`, `1h` or `2d`, and returns its seconds.
pub(crate) fn duration(text: &str) -> Result<u64, &'static str> {
    let (number, unit) = text.split_at(text.len() - text.chars().last().map_or(0, char::len_utf8));
    let unit = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        _ => return Err(EXPECTED),
    };
    let plain = number.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> = number.parse().ok().filter(|_| plain);
    if number == Some(0) {
        return Err("the time must be longer than 0");
    }
    number.and_then(|number| number.checked_mul(unit)).ok_or(EXPECTED)
}

/// Returns a time in seconds since 1970 as text, in UTC.
pub(crate) fn utc(seconds: i64) -> String {
    let time = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

const EXPECTED: &str = "expected a number and a unit: `90s`, `15m`, `1h` or `2d`";

#[cfg(test)]
mod tests {
    use super::{duration, utc};

    #[test]
    fn a_duration_has_a_number_and_a_unit() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("1h", 3600), ("2d", 172_800)] {
            assert_eq!(duration(text), Ok(seconds));
        }
        for wrong in
            ["", "m", "15", "0m", "-1h", "+1h", "1.5h", "1 h", "1é", "99999999999999999999d"]
        {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
        assert_eq!(duration("0s"), Err("the time must be longer than 0"));
    }

    #[test]
    fn a_time_is_in_utc() {
        assert_eq!(utc(1_000_000_000), "2001-09-09T01:46:40Z");
    }
}
