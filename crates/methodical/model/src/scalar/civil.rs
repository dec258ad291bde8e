//! Civil dates and times: a date and a clock time without a time zone.

#![expect(clippy::missing_errors_doc, reason = "generated code of the same version uses it")]

use core::fmt;
use core::str::FromStr;

use crate::DecodeError;

/// A date and time without a time zone.
///
/// A service that sends such times does not say in which zone they are, so none is ever attached. The order is
/// that of the calendar and the clock. The fields are public: [`new`](Self::new) checks them.
///
/// # Examples
///
/// ```
/// # mod times {
/// #    methodical_model::codegen::scalar! { /** The time of a photo. */ Taken, civil_date_time }
/// # }
/// # use times::Taken;
/// let civil = Taken::new("2026-02-28 09:05:00").civil().ok_or("not a date")?;
/// assert_eq!((civil.year, civil.month, civil.day), (2026, 2, 28));
/// assert_eq!(civil.to_string(), "2026-02-28 09:05:00");
/// # Ok::<(), &str>(())
/// ```
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Civil {
    /// The year, 0 to 9999.
    pub year: u16,
    /// The month, 1 to 12.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour, 0 to 23.
    pub hour: u8,
    /// The minute, 0 to 59.
    pub minute: u8,
    /// The second, 0 to 59.
    pub second: u8,
}

impl Civil {
    /// Creates a date and time.
    ///
    /// # Errors
    ///
    /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if it does not exist, such as 30 February or
    /// 24:00:00, or if the year exceeds 9999.
    ///
    /// ```
    /// use methodical_model::Civil;
    ///
    /// assert_eq!(Civil::new(2024, 2, 29, 9, 5, 0)?.to_string(), "2024-02-29 09:05:00");
    /// assert!(Civil::new(2026, 2, 29, 9, 5, 0).is_err());
    /// # Ok::<(), methodical_model::DecodeError>(())
    /// ```
    pub fn new(
        year: u16,
        month: u8,
        day: u8,
        hour: u8,
        minute: u8,
        second: u8,
    ) -> Result<Self, DecodeError> {
        let civil = Self { year, month, day, hour, minute, second };
        if civil.exists() { Ok(civil) } else { Err(Self::missing()) }
    }

    fn exists(self) -> bool {
        let Self { year, month, day, hour, minute, second } = self;
        let is_on_the_clock = hour < 24 && minute < 60 && second < 60;
        year <= 9999 && (1..=days_in(year, month)).contains(&day) && is_on_the_clock
    }

    /// Creates the error of a date and time that does not exist.
    #[cold]
    pub(crate) fn missing() -> DecodeError {
        DecodeError::conversion("Civil", "a date and time that exists")
    }

    /// Creates it from the parts of a date and time that exists: year; month, day, hour, minute and second; nanoseconds.
    #[cfg(any(feature = "chrono", feature = "jiff"))]
    pub(crate) fn from_parts<P>(
        year: i32,
        parts: [P; 5],
        nanosecond: u32,
    ) -> Result<Self, DecodeError>
    where
        u8: TryFrom<P>,
    {
        let parts = parts.map(|part| u8::try_from(part).unwrap_or(u8::MAX));
        match (u16::try_from(year), parts) {
            (Ok(year @ 0..=9999), [month, day, hour, minute, second]) if nanosecond == 0 => {
                Ok(Self { year, month, day, hour, minute, second })
            }
            _ => Err(DecodeError::conversion("Civil", "whole seconds of the years 0 to 9999")),
        }
    }
}

impl FromStr for Civil {
    type Err = DecodeError;

    /// Parses `YYYY-MM-DD HH:MM:SS` and no other format.
    ///
    /// # Errors
    ///
    /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the text has another format, or the date
    /// and time does not exist.
    fn from_str(text: &str) -> Result<Self, DecodeError> {
        parse_civil(text, "Civil")
    }
}

/// Parses the text of the scalar `name`.
pub fn parse_civil(text: &str, name: &str) -> Result<Civil, DecodeError> {
    parsed(text).ok_or_else(|| DecodeError::conversion(name, "a date and time"))
}

fn parsed(text: &str) -> Option<Civil> {
    let mut parts = text.split(['-', ' ', ':']);
    let mut part = |digits| number(parts.next()?, digits);
    let year = part(4)?;
    let mut part = || part(2).and_then(|number| u8::try_from(number).ok());
    let civil = Civil {
        year,
        month: part()?,
        day: part()?,
        hour: part()?,
        minute: part()?,
        second: part()?,
    };
    // All separators are in their places if the text is the usual one.
    let separators = text.bytes().filter(|byte| !byte.is_ascii_digit());
    (civil.exists() && separators.eq(*b"-- ::")).then_some(civil)
}

/// Returns the date and time in UTC of these seconds since 1970-01-01 00:00:00 UTC, the value of the scalar `name`.
pub fn utc(seconds: i64, name: &str) -> Result<Civil, DecodeError> {
    from_seconds(seconds)
        .ok_or_else(|| DecodeError::conversion(name, "a time in the years 0 to 9999"))
}

impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

/// Returns the number of days in a month, or 0 if the month does not exist, so that no day is valid.
fn days_in(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

/// Parses exactly `digits` decimal digits.
fn number(text: &str, digits: usize) -> Option<u16> {
    let all = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

/// Counts the days in years that begin in March, so that a leap day is the last day of its year.
fn from_seconds(seconds: i64) -> Option<Civil> {
    let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    let days = days + MARCH_OF_YEAR_0;
    let (cycle, day) = (days.div_euclid(CYCLE), days.rem_euclid(CYCLE));
    let year = (day - day / 1_460 + day / 36_524 - day / (CYCLE - 1)) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days: 31, 30, 31, 30, 31.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next_year) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = u16::try_from(400 * cycle + year + next_year).ok().filter(|year| *year <= 9999)?;
    let part = |number: i64| u8::try_from(number).ok();
    Some(Civil {
        year,
        month: part(month)?,
        day: part(day)?,
        hour: part(second / 3_600)?,
        minute: part(second / 60 % 60)?,
        second: part(second % 60)?,
    })
}

/// The seconds of a day.
const DAY: i64 = 86_400;
/// The days of 400 years, after which the calendar repeats.
const CYCLE: i64 = 146_097;
/// The days from 1 March of the year 0 to 1 January 1970.
const MARCH_OF_YEAR_0: i64 = 719_468;

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::parsed;

    #[track_caller]
    fn check(text: &str, valid: bool) {
        let civil = parsed(text);
        assert_eq!(civil.is_some(), valid, "{text}");
        if let Some(civil) = civil {
            assert_eq!(civil.to_string(), text);
        }
    }

    #[test]
    fn only_real_dates_are_dates() {
        check("2026-11-20 22:15:00", true);
        check("2024-02-29 00:00:00", true);
        check("2000-02-29 23:59:59", true);
        check("1900-02-29 00:00:00", false);
        check("2026-02-29 00:00:00", false);
        check("0000-00-00 00:00:00", false);
        check("2026-13-01 00:00:00", false);
        check("2026-04-31 00:00:00", false);
        check("2026-04-30 24:00:00", false);
        check("2026-04-30 23:60:00", false);
        check("2026-04-30 23:59:60", false);
        check("2026-04-30T23:59:59", false);
        check("2026-04-30 23:59:59Z", false);
        check("+026-04-30 23:59:59", false);
        check("2026-4-30 23:59:59", false);
        check("2026-04-30  3:59:59", false);
        check("", false);
    }
}
