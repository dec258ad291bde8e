//! Conversions from and to `jiff`, both sides civil: the contract does not specify a time zone.

pub use jiff::civil::DateTime;

use crate::scalar::civil::parse;
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
            .map_err(|_refused| Error::conversion("Civil", "a date and time that exists"))
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

/// Converts the text of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the text is not a date and time.
pub fn date_time(text: &str, name: &str) -> Result<DateTime, Error> {
    match parse(text) {
        Some(civil) => DateTime::try_from(civil),
        None => Err(Error::conversion(name, "a date and time")),
    }
}

/// Adds the conversions to a scalar whose text is a date and time.
#[doc(hidden)]
#[macro_export]
macro_rules! __jiff {
    ($name:ident) => {
        impl TryFrom<&$name> for $crate::codegen::DateTime {
            type Error = $crate::Error;

            /// Converts the text, which is unchanged.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](gateway_model_core::ErrorKind::Conversion) if the text is not a
            /// date and time, such as `0000-00-00 00:00:00`.
            fn try_from(text: &$name) -> Result<Self, $crate::Error> {
                $crate::codegen::date_time(text.as_str(), stringify!($name))
            }
        }

        impl TryFrom<$crate::codegen::DateTime> for $name {
            type Error = $crate::Error;

            /// Converts a date and time to the format of the service.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](gateway_model_core::ErrorKind::Conversion) if the format of the
            /// service cannot represent the time: before the year 0, or with a fraction of a second.
            fn try_from(time: $crate::codegen::DateTime) -> Result<Self, $crate::Error> {
                $crate::Civil::try_from(time).map(Self::from)
            }
        }
    };
}
