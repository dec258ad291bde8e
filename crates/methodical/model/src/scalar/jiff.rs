//! Conversions from and to `jiff`. A date and time is civil on both sides: the contract does not specify a time zone.

pub use jiff::Timestamp;
pub use jiff::civil::DateTime;

use crate::scalar::civil::EXISTING;
use crate::{Civil, Error};

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
        let [month, day, hour, minute, second] =
            [month, day, hour, minute, second].map(|part| i8::try_from(part).unwrap_or(i8::MAX));
        let year = i16::try_from(year).unwrap_or(i16::MAX);
        Self::new(year, month, day, hour, minute, second, 0)
            .map_err(|_refused| Error::conversion("Civil", EXISTING))
    }
}

impl TryFrom<DateTime> for Civil {
    type Error = Error;

    /// Converts a date and time.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the format of the service cannot
    /// represent the time: before the year 0, or with a fraction of a second.
    fn try_from(time: DateTime) -> Result<Self, Error> {
        let parts = [time.month(), time.day(), time.hour(), time.minute(), time.second()];
        let [month, day, hour, minute, second] = parts.map(i8::unsigned_abs);
        match u16::try_from(time.year()) {
            Ok(year) if time.subsec_nanosecond() == 0 => {
                Ok(Self { year, month, day, hour, minute, second })
            }
            _ => Err(Error::conversion("Civil", "whole seconds of the years 0 to 9999")),
        }
    }
}

/// Converts the seconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time is not in the years -9999 to
/// 9999.
pub fn timestamp(seconds: i64, name: &str) -> Result<Timestamp, Error> {
    Timestamp::from_second(seconds)
        .map_err(|_refused| Error::conversion(name, "a time in the years -9999 to 9999"))
}

/// Converts a time to the seconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time has a fraction of a second.
pub fn seconds(time: Timestamp, name: &str) -> Result<i64, Error> {
    match time.subsec_nanosecond() {
        0 => Ok(time.as_second()),
        _ => Err(Error::conversion(name, "whole seconds")),
    }
}

/// Converts the milliseconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time is not in the years -9999 to
/// 9999.
pub fn timestamp_of_milliseconds(milliseconds: i64, name: &str) -> Result<Timestamp, Error> {
    Timestamp::from_millisecond(milliseconds)
        .map_err(|_refused| Error::conversion(name, "a time in the years -9999 to 9999"))
}

/// Converts a time to the milliseconds of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time has a fraction of a millisecond.
pub fn milliseconds(time: Timestamp, name: &str) -> Result<i64, Error> {
    match time.subsec_nanosecond() % 1_000_000 {
        0 => Ok(time.as_millisecond()),
        _ => Err(Error::conversion(name, "whole milliseconds")),
    }
}
