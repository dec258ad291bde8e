//! Human-readable times and ages.

use std::fmt;

use askama::filters::HtmlSafe;
use jiff::Timestamp;

/// A time on a page, in seconds since 1970 and as text. Its display form is HTML.
pub(crate) struct Time(i64, String);

impl Time {
    pub(crate) fn minute(at: i64) -> Self {
        Self(at, minute(at))
    }

    pub(crate) fn day(at: i64) -> Self {
        Self(at, day(at))
    }

    pub(crate) fn clock(at: i64) -> Self {
        Self(at, written(at, "%H:%M"))
    }

    pub(crate) fn ago(at: i64, now: i64) -> Self {
        Self(at, ago(now.saturating_sub(at)))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, r#"<time datetime="{}">{}</time>"#, machine(self.0), self.1)
    }
}

// Neither part contains a character that is special in HTML.
impl HtmlSafe for Time {}

/// Returns a time in seconds since 1970 as text in UTC, to the minute.
pub(crate) fn minute(seconds: i64) -> String {
    written(seconds, "%Y-%m-%d %H:%M")
}

/// Returns the day of a time in seconds since 1970, in UTC.
pub(crate) fn day(seconds: i64) -> String {
    written(seconds, "%Y-%m-%d")
}

/// Returns a time in UTC as a civil date and time, as in tables.
pub(crate) fn civil(seconds: i64) -> String {
    written(seconds, "%Y-%m-%d %H:%M:%S")
}

/// Returns a time for the HTML attribute `datetime`, in UTC.
pub(crate) fn machine(seconds: i64) -> String {
    written(seconds, "%Y-%m-%dT%H:%M:%SZ")
}

fn written(seconds: i64, format: &str) -> String {
    Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX).strftime(format).to_string()
}

/// Returns a duration in a suitable unit, such as `14 min`. A negative duration becomes 0 s.
pub(crate) fn ago(seconds: i64) -> String {
    match seconds.max(0) {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / DAY),
    }
}

/// Returns the start of the day that contains a time, in UTC.
pub(crate) fn midnight(seconds: i64) -> i64 {
    seconds.saturating_sub(seconds.rem_euclid(DAY))
}

/// Returns the last second of the day this number of days ago: anyone waiting since then has waited that long.
pub(crate) fn days_ago(now: i64, days: i64) -> i64 {
    midnight(now).saturating_sub(days.saturating_sub(1).saturating_mul(DAY)).saturating_sub(1)
}

/// Returns the start of a day such as `2026-11-02`, in UTC; `None` for other text.
pub(crate) fn begin(day: &str) -> Option<i64> {
    let day: jiff::civil::Date = day.parse().ok()?;
    Some(day.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// Length of a day, in seconds.
pub(crate) const DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::{Time, ago, day, minute};

    #[test]
    fn times_are_in_utc() {
        assert_eq!(minute(1_000_000_000), "2001-09-09 01:46");
        assert_eq!(day(1_000_000_000), "2001-09-09");
        let clock = r#"<time datetime="2001-09-09T01:46:40Z">01:46</time>"#;
        assert_eq!(Time::clock(1_000_000_000).to_string(), clock);
        assert!(minute(i64::MAX).starts_with("9999"));
    }

    #[test]
    fn an_age_has_the_unit_that_fits() {
        let expected = ["0 s", "119 s", "2 min", "2 h", "2 d"];
        assert_eq!([-5, 119, 120, 7200, 172_800].map(ago), expected);
    }
}
