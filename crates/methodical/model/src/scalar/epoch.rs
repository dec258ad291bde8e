//! Seconds and milliseconds since 1970-01-01 00:00:00 UTC, and their conversions.

use crate::{Civil, Error};

/// Returns the date and time in UTC of the scalar `name`.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time is not in the years 0 to 9999.
pub fn utc(seconds: i64, name: &str) -> Result<Civil, Error> {
    civil(seconds).ok_or_else(|| Error::conversion(name, "a time in the years 0 to 9999"))
}

/// Returns the date and time in UTC of the scalar `name`, in milliseconds. The fraction of a second is left out.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the time is not in the years 0 to 9999.
pub fn utc_of_milliseconds(milliseconds: i64, name: &str) -> Result<Civil, Error> {
    utc(milliseconds.div_euclid(1_000), name)
}

/// Counts the days in years that begin in March, so that a leap day is the last day of its year.
fn civil(seconds: i64) -> Option<Civil> {
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

/// Adds the conversions to a scalar that counts seconds or milliseconds. `$read` returns its number or an error.
#[doc(hidden)]
#[macro_export]
macro_rules! __epoch {
    (
        $name:ident, $example:literal, $read:expr,
        $unit:literal, $utc:ident, $about:literal, $timestamp:ident, $number:ident
    ) => {
        impl $name {
            #[doc = $about]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the value is not a
            #[doc = concat!("whole number of ", $unit, ", or the time is not in the years 0 to 9999.")]
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("let time = ", stringify!($name), "::new(", $example, ");")]
            /// assert_eq!(time.utc()?.to_string(), "2024-03-31 02:00:00");
            #[doc = concat!("# Ok::<(), ", env!("CARGO_CRATE_NAME"), "::Error>(())")]
            /// ```
            pub fn utc(&self) -> Result<$crate::Civil, $crate::Error> {
                let read: fn(&Self) -> Result<i64, $crate::Error> = $read;
                $crate::codegen::epoch::$utc(read(self)?, stringify!($name))
            }
        }

        $crate::__with_chrono! { $crate::__timestamp! { $name, chrono, $read, $unit, $timestamp, $number } }
        $crate::__with_jiff! { $crate::__timestamp! { $name, jiff, $read, $unit, $timestamp, $number } }
    };
}

/// Adds the conversions to a scalar that counts seconds.
#[doc(hidden)]
#[macro_export]
macro_rules! __epoch_seconds {
    ($name:ident, $example:literal, $read:expr) => {
        $crate::__epoch! {
            $name, $example, $read, "seconds", utc,
            "Returns the date and time in UTC. The value itself is unchanged.", timestamp, seconds
        }
    };
}

/// Adds the conversions to a scalar that counts milliseconds.
#[doc(hidden)]
#[macro_export]
macro_rules! __epoch_milliseconds {
    ($name:ident, $example:literal, $read:expr) => {
        $crate::__epoch! {
            $name, $example, $read, "milliseconds", utc_of_milliseconds,
            "Returns the date and time in UTC, in whole seconds. The value itself is unchanged.",
            timestamp_of_milliseconds, milliseconds
        }
    };
}
