//! Conversions between scalars and the types of other crates, one feature each. A date and time is civil on both sides: the
//! contract does not specify a time zone.

/// Takes the place of a macro whose feature is off.
#[doc(hidden)]
#[macro_export]
macro_rules! __ignore {
    ($($any:tt)*) => {};
}

/// Adds the conversions of a date and time without a time zone, from and to the type of a crate.
#[doc(hidden)]
#[macro_export]
macro_rules! __date_time {
    ($name:ident, $library:ident) => {
        impl TryFrom<&$name> for $crate::codegen::$library::DateTime {
            type Error = $crate::DecodeError;

            /// Converts the text, which is unchanged.
            ///
            /// # Errors
            ///
            /// [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is not a
            /// date and time, such as `0000-00-00 00:00:00`.
            fn try_from(text: &$name) -> Result<Self, $crate::DecodeError> {
                $crate::codegen::parse_civil(text.as_str(), stringify!($name))
                    .and_then(Self::try_from)
            }
        }

        impl TryFrom<$crate::codegen::$library::DateTime> for $name {
            type Error = $crate::DecodeError;

            /// Converts a date and time to the format of the service.
            ///
            /// # Errors
            ///
            /// [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the format of the
            /// service cannot represent the time: not in the years 0 to 9999, or with a fraction of a second.
            fn try_from(
                time: $crate::codegen::$library::DateTime,
            ) -> Result<Self, $crate::DecodeError> {
                $crate::Civil::try_from(time).map(Self::from)
            }
        }
    };
}

/// Adds the conversions of a scalar whose text is a decimal number, from and to `rust_decimal`.
#[doc(hidden)]
#[macro_export]
macro_rules! __rust_decimal {
    ($name:ident) => {
        impl TryFrom<&$name> for $crate::codegen::Decimal {
            type Error = $crate::DecodeError;

            /// Converts the text, which is unchanged. Never rounds.
            ///
            /// # Errors
            ///
            /// [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is not a
            /// plain decimal number, or has more digits than the type can hold.
            fn try_from(text: &$name) -> Result<Self, $crate::DecodeError> {
                $crate::codegen::decimal(text.as_str(), stringify!($name))
            }
        }

        impl From<$crate::codegen::Decimal> for $name {
            /// Converts the number with every digit, including trailing zeros.
            fn from(number: $crate::codegen::Decimal) -> Self {
                Self::from($crate::codegen::ToString::to_string(&number))
            }
        }
    };
}

#[cfg(feature = "chrono")]
pub mod chrono {
    //! Conversions from and to `chrono`.

    pub use chrono::NaiveDateTime as DateTime;
    use chrono::{Datelike as _, NaiveDate, Timelike as _};

    use crate::{Civil, DecodeError};

    impl TryFrom<Civil> for DateTime {
        type Error = DecodeError;

        /// Converts a date and time.
        ///
        /// # Errors
        ///
        /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the fields were changed to a date or
        /// time that does not exist, such as 30 February.
        fn try_from(civil: Civil) -> Result<Self, DecodeError> {
            let Civil { year, month, day, hour, minute, second } = civil;
            NaiveDate::from_ymd_opt(year.into(), month.into(), day.into())
                .and_then(|date| date.and_hms_opt(hour.into(), minute.into(), second.into()))
                .ok_or_else(Civil::missing)
        }
    }

    impl TryFrom<DateTime> for Civil {
        type Error = DecodeError;

        /// Converts a date and time.
        ///
        /// # Errors
        ///
        /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the format of the service cannot
        /// represent the time: not in the years 0 to 9999, a leap second, or with a fraction of a second.
        fn try_from(time: DateTime) -> Result<Self, DecodeError> {
            let parts = [time.month(), time.day(), time.hour(), time.minute(), time.second()];
            // A leap second has a fraction of a second and more.
            Self::from_parts(time.year(), parts, time.nanosecond())
        }
    }
}

#[cfg(feature = "jiff")]
pub mod jiff {
    //! Conversions from and to `jiff`.

    pub use jiff::civil::DateTime;

    use crate::{Civil, DecodeError};

    impl TryFrom<Civil> for DateTime {
        type Error = DecodeError;

        /// Converts a date and time.
        ///
        /// # Errors
        ///
        /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the fields were changed to a date or
        /// time that does not exist, such as 30 February.
        fn try_from(civil: Civil) -> Result<Self, DecodeError> {
            let Civil { year, month, day, hour, minute, second } = civil;
            let [month, day, hour, minute, second] = [month, day, hour, minute, second]
                .map(|part| i8::try_from(part).unwrap_or(i8::MAX));
            let year = i16::try_from(year).unwrap_or(i16::MAX);
            Self::new(year, month, day, hour, minute, second, 0)
                .map_err(|_refused| Civil::missing())
        }
    }

    impl TryFrom<DateTime> for Civil {
        type Error = DecodeError;

        /// Converts a date and time.
        ///
        /// # Errors
        ///
        /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the format of the service cannot
        /// represent the time: before the year 0, or with a fraction of a second.
        fn try_from(time: DateTime) -> Result<Self, DecodeError> {
            let parts = [time.month(), time.day(), time.hour(), time.minute(), time.second()];
            Self::from_parts(time.year().into(), parts, time.subsec_nanosecond().unsigned_abs())
        }
    }
}

#[cfg(feature = "rust_decimal")]
pub(crate) mod decimal {
    //! Exact conversions to `rust_decimal`.

    pub use rust_decimal::Decimal;

    use crate::DecodeError;
    use crate::scalar::either::is_plain;

    /// Converts the text of the scalar `name`. Never rounds.
    ///
    /// # Errors
    ///
    /// [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the text is not a plain decimal number,
    /// or has more digits than the type can hold.
    pub fn decimal(text: &str, name: &str) -> Result<Decimal, DecodeError> {
        let number = if is_plain(text) { Decimal::from_str_exact(text).ok() } else { None };
        number.ok_or_else(|| DecodeError::conversion(name, "a plain decimal number that fits"))
    }
}
