//! Conversions from and to `chrono`. A date and time is naive: the contract does not specify a time zone.

pub use chrono::NaiveDateTime as DateTime;
use chrono::{Datelike as _, NaiveDate, Timelike as _, Utc};

use crate::scalar::civil::EXISTING;
use crate::{Civil, Error};

/// A time in UTC.
pub type Timestamp = chrono::DateTime<Utc>;

impl TryFrom<Civil> for DateTime {
    type Error = Error;

    /// Converts a date and time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the fields were changed to a date or
    /// time that does not exist, such as 30 February.
    fn try_from(civil: Civil) -> Result<Self, Error> {
        let Civil { year, month, day, hour, minute, second } = civil;
        NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())
            .and_then(|date| date.and_hms_opt(hour.into(), minute.into(), second.into()))
            .ok_or_else(|| Error::conversion("Civil", EXISTING))
    }
}

impl TryFrom<DateTime> for Civil {
    type Error = Error;

    /// Converts a date and time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the format of the service cannot
    /// represent the time: not in the years 0 to 9999, a leap second, or with a fraction of a second.
    fn try_from(time: DateTime) -> Result<Self, Error> {
        let civil = || {
            // A leap second has a fraction of a second and more.
            let whole = time.nanosecond() == 0;
            let year = u16::try_from(time.year()).ok().filter(|year| whole && *year <= 9999)?;
            let part = |part: u32| u8::try_from(part).ok();
            Some(Self {
                year,
                month: part(time.month())?,
                day: part(time.day())?,
                hour: part(time.hour())?,
                minute: part(time.minute())?,
                second: part(time.second())?,
            })
        };
        civil().ok_or_else(|| Error::conversion("Civil", "whole seconds of the years 0 to 9999"))
    }
}

/// Converts the seconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if `chrono` cannot represent the time: its years
/// have up to six digits.
pub fn timestamp(seconds: i64, name: &str) -> Result<Timestamp, Error> {
    Timestamp::from_timestamp(seconds, 0)
        .ok_or_else(|| Error::conversion(name, "a time in the years -262143 to 262142"))
}

/// Converts a time to the seconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time has a fraction of a second.
pub fn seconds(time: Timestamp, name: &str) -> Result<i64, Error> {
    match time.timestamp_subsec_nanos() {
        0 => Ok(time.timestamp()),
        _ => Err(Error::conversion(name, "whole seconds")),
    }
}

/// Converts the milliseconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if `chrono` cannot represent the time: its years
/// have up to six digits.
pub fn timestamp_of_milliseconds(milliseconds: i64, name: &str) -> Result<Timestamp, Error> {
    Timestamp::from_timestamp_millis(milliseconds)
        .ok_or_else(|| Error::conversion(name, "a time in the years -262143 to 262142"))
}

/// Converts a time to the milliseconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time has a fraction of a millisecond.
pub fn milliseconds(time: Timestamp, name: &str) -> Result<i64, Error> {
    match time.timestamp_subsec_nanos() % 1_000_000 {
        0 => Ok(time.timestamp_millis()),
        _ => Err(Error::conversion(name, "whole milliseconds")),
    }
}
