//! Conversions between scalars and the times of other crates. The modules of these crates have the same items.

/// Adds the conversions of a date and time without a time zone, from and to the type of a crate.
#[doc(hidden)]
#[macro_export]
macro_rules! __date_time {
    ($name:ident, $library:ident) => {
        impl TryFrom<&$name> for $crate::codegen::$library::DateTime {
            type Error = $crate::Error;

            /// Converts the text, which is unchanged.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a
            /// date and time, such as `0000-00-00 00:00:00`.
            fn try_from(text: &$name) -> Result<Self, $crate::Error> {
                match text.civil() {
                    Some(civil) => Self::try_from(civil),
                    None => Err($crate::codegen::not_a_date_time(stringify!($name))),
                }
            }
        }

        impl TryFrom<$crate::codegen::$library::DateTime> for $name {
            type Error = $crate::Error;

            /// Converts a date and time to the format of the service.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the format of the
            /// service cannot represent the time: not in the years 0 to 9999, or with a fraction of a second.
            fn try_from(time: $crate::codegen::$library::DateTime) -> Result<Self, $crate::Error> {
                $crate::Civil::try_from(time).map(Self::from)
            }
        }
    };
}

/// Adds the conversions of seconds or milliseconds since 1970, from and to the type of a crate. `$read` returns the number
/// or an error.
#[doc(hidden)]
#[macro_export]
macro_rules! __timestamp {
    ($name:ident, $library:ident, $read:expr, $unit:literal, $timestamp:ident, $number:ident) => {
        impl TryFrom<&$name> for $crate::codegen::$library::Timestamp {
            type Error = $crate::Error;

            #[doc = concat!("Converts the ", $unit, ", which are unchanged.")]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the value is not a
            #[doc = concat!("whole number of ", $unit, ", or the type cannot represent the time.")]
            fn try_from(time: &$name) -> Result<Self, $crate::Error> {
                let read: fn(&$name) -> Result<i64, $crate::Error> = $read;
                $crate::codegen::$library::$timestamp(read(time)?, stringify!($name))
            }
        }

        impl TryFrom<$crate::codegen::$library::Timestamp> for $name {
            type Error = $crate::Error;

            #[doc = concat!("Converts a time to ", $unit, ".")]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the time is not a whole
            #[doc = concat!("number of ", $unit, ".")]
            fn try_from(time: $crate::codegen::$library::Timestamp) -> Result<Self, $crate::Error> {
                $crate::codegen::$library::$number(time, stringify!($name)).map(Self::from)
            }
        }
    };
}
