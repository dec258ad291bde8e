//! Civil dates and times: a date and a clock time without a time zone.

use core::fmt;
use core::str::FromStr;

use crate::Error;

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
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if it does not exist, such as 30 February or
    /// 24:00:00, or if the year exceeds 9999.
    ///
    /// ```
    /// use methodical_model::Civil;
    ///
    /// assert_eq!(Civil::new(2024, 2, 29, 9, 5, 0)?.to_string(), "2024-02-29 09:05:00");
    /// assert!(Civil::new(2026, 2, 29, 9, 5, 0).is_err());
    /// # Ok::<(), methodical_model::Error>(())
    /// ```
    pub fn new(
        year: u16,
        month: u8,
        day: u8,
        hour: u8,
        minute: u8,
        second: u8,
    ) -> Result<Self, Error> {
        let civil = Self { year, month, day, hour, minute, second };
        if civil.exists() { Ok(civil) } else { Err(Error::conversion("Civil", EXISTING)) }
    }

    fn exists(self) -> bool {
        let Self { year, month, day, hour, minute, second } = self;
        let is_on_the_clock = hour < 24 && minute < 60 && second < 60;
        year <= 9999 && (1..=days_in(year, month)).contains(&day) && is_on_the_clock
    }
}

impl FromStr for Civil {
    type Err = Error;

    /// Parses `YYYY-MM-DD HH:MM:SS` and no other format.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the text has another format, or the date
    /// and time does not exist.
    fn from_str(text: &str) -> Result<Self, Error> {
        parse(text).ok_or_else(|| not_a_date_time("Civil"))
    }
}

/// The expectation of a conversion that refuses 30 February.
pub(crate) const EXISTING: &str = "a date and time that exists";

/// Creates the error of a text that is not a date and time.
#[cold]
pub fn not_a_date_time(name: &str) -> Error {
    Error::conversion(name, "a date and time")
}

/// Parses `YYYY-MM-DD HH:MM:SS` and no other format.
pub fn parse(text: &str) -> Option<Civil> {
    let (date, time) = text.split_once(' ')?;
    let (year, month_day) = date.split_once('-')?;
    let (month, day) = month_day.split_once('-')?;
    let (hour, minute_second) = time.split_once(':')?;
    let (minute, second) = minute_second.split_once(':')?;
    let civil = Civil {
        year: number(year, 4)?,
        month: two_digits(month)?,
        day: two_digits(day)?,
        hour: two_digits(hour)?,
        minute: two_digits(minute)?,
        second: two_digits(second)?,
    };
    civil.exists().then_some(civil)
}

impl fmt::Display for Civil {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { year, month, day, hour, minute, second } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
    }
}

/// Returns the number of days in a month, or 0 if the month does not exist, so that no day is valid.
pub(crate) fn days_in(year: u16, month: u8) -> u8 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    }
}

fn two_digits(text: &str) -> Option<u8> {
    number(text, 2).and_then(|number| u8::try_from(number).ok())
}

/// Parses exactly `digits` decimal digits.
fn number(text: &str, digits: usize) -> Option<u16> {
    let all = text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::parse;

    #[track_caller]
    fn check(text: &str, valid: bool) {
        let civil = parse(text);
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
