//! Conversions between scalars and types of other crates, each behind a feature. Dates and times have no time zone on
//! either side, because the contract does not specify one.

/// Replaces a macro whose feature is disabled.
#[doc(hidden)]
#[macro_export]
macro_rules! __ignore {
    ($($any:tt)*) => {};
}

/// Adds conversions to and from `jiff` types to a date and time scalar.
#[doc(hidden)]
#[macro_export]
macro_rules! __jiff {
    ($name:ident) => {
        impl TryFrom<&$name> for $crate::codegen::DateTime {
            type Error = $crate::DecodeError;

            /// Parses the text as a date and time.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is
            /// not a date and time, such as `0000-00-00 00:00:00`.
            fn try_from(text: &$name) -> Result<Self, $crate::DecodeError> {
                $crate::codegen::date_time(text.as_str(), stringify!($name))
            }
        }

        impl TryFrom<$crate::codegen::DateTime> for $name {
            type Error = $crate::DecodeError;

            /// Converts a date and time to the service's format.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the format
            /// cannot represent the time, which is before the year 0 or has a fraction of a second.
            fn try_from(time: $crate::codegen::DateTime) -> Result<Self, $crate::DecodeError> {
                $crate::codegen::time_text(time, stringify!($name)).map(Self::from)
            }
        }
    };
}

/// Adds conversions to and from `rust_decimal` to a scalar whose text is a decimal number.
#[doc(hidden)]
#[macro_export]
macro_rules! __rust_decimal {
    ($name:ident) => {
        impl TryFrom<&$name> for $crate::codegen::Decimal {
            type Error = $crate::DecodeError;

            /// Parses the text as a decimal number. Never rounds.
            ///
            /// # Errors
            ///
            /// Returns [`DecodeErrorKind::Conversion`](methodical_model::DecodeErrorKind::Conversion) if the text is
            /// not a plain decimal number, or has more digits than the type can hold.
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

#[cfg(feature = "jiff")]
pub(crate) mod time {
    //! Conversions to and from `jiff`.

    use alloc::string::{String, ToString as _};

    pub use jiff::civil::DateTime;

    use crate::DecodeError;

    /// Converts the text of the scalar `name`, which must have the format `YYYY-MM-DD HH:MM:SS`.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the text has another format, or
    /// the date and time does not exist.
    pub fn date_time(text: &str, name: &str) -> Result<DateTime, DecodeError> {
        let is_written_so =
            |time: &DateTime| time_text(*time, name).is_ok_and(|written| written == text);
        let time = text.parse().ok().filter(is_written_so);
        time.ok_or_else(|| DecodeError::conversion(name, "a date and time"))
    }

    /// Converts a date and time to the text of the scalar `name`.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the time is before the year 0, or
    /// has a fraction of a second.
    pub fn time_text(time: DateTime, name: &str) -> Result<String, DecodeError> {
        if time.year() < 0 || time.subsec_nanosecond() != 0 {
            return Err(DecodeError::conversion(name, "whole seconds of the years 0 to 9999"));
        }
        Ok(time.strftime("%Y-%m-%d %H:%M:%S").to_string())
    }
}

#[cfg(feature = "rust_decimal")]
pub(crate) mod decimal {
    //! Exact conversion to `rust_decimal`.

    pub use rust_decimal::Decimal;

    use crate::DecodeError;
    use crate::scalar::either::is_plain;

    /// Converts the text of the scalar `name`. Never rounds.
    ///
    /// # Errors
    ///
    /// Returns [`DecodeErrorKind::Conversion`](crate::DecodeErrorKind::Conversion) if the text is not a plain decimal
    /// number, or has more digits than the type can hold.
    pub fn decimal(text: &str, name: &str) -> Result<Decimal, DecodeError> {
        let number = if is_plain(text) { Decimal::from_str_exact(text).ok() } else { None };
        number.ok_or_else(|| DecodeError::conversion(name, "a plain decimal number that fits"))
    }
}
