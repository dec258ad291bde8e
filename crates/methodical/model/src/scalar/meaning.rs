//! The meanings of scalars. A scalar keeps its value and converts it on demand.

/// Adds a meaning to a scalar.
#[doc(hidden)]
#[macro_export]
macro_rules! __meaning {
    ($name:ident, digits) => {
        impl $name {
            /// Returns the identifier as a number. The text is unchanged.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a decimal
            /// number, or exceeds 64 bits.
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"52\").to_u64()?, 52);")]
            #[doc = concat!("assert!(", stringify!($name), "::new(\"+52\").to_u64().is_err());")]
            #[doc = concat!("# Ok::<(), ", env!("CARGO_CRATE_NAME"), "::Error>(())")]
            /// ```
            pub fn to_u64(&self) -> Result<u64, $crate::Error> {
                $crate::codegen::parse_unsigned(self.as_str(), stringify!($name))
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self::new(&$crate::codegen::ToString::to_string(&number))
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                $crate::codegen::compare_digits(self.as_str(), other.as_str())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }
    };
    ($name:ident, decimal) => {
        impl $name {
            /// Returns whether the text is a plain decimal number: an optional sign, digits, and an
            /// optional fraction.
            ///
            /// Any other text is kept too, such as `1e3`, `1,234.50` or `NaN`.
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert!(", stringify!($name), "::new(\"-12.50\").is_plain());")]
            #[doc = concat!("assert!(!", stringify!($name), "::new(\"1,234.50\").is_plain());")]
            /// ```
            pub fn is_plain(&self) -> bool {
                $crate::codegen::is_plain(self.as_str())
            }
        }

        $crate::__borrowed_as_text! { $name }
        $crate::__rust_decimal! { $name }
    };
    ($name:ident, civil_date_time) => {
        impl $name {
            /// Returns the date and time, or `None` if the text is not one.
            ///
            /// Such text, for example `0000-00-00 00:00:00`, is kept unchanged.
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"0000-00-00 00:00:00\").civil(), None);")]
            /// ```
            pub fn civil(&self) -> Option<$crate::Civil> {
                $crate::codegen::parse_civil(self.as_str())
            }
        }

        impl From<$crate::Civil> for $name {
            fn from(civil: $crate::Civil) -> Self {
                Self::from($crate::codegen::ToString::to_string(&civil))
            }
        }

        $crate::__with_chrono! { $crate::__date_time! { $name, chrono } }
        $crate::__with_jiff! { $crate::__date_time! { $name, jiff } }
    };
    ($name:ident, epoch_seconds) => {
        $crate::__epoch_seconds! { $name, "1_711_850_400", |time| Ok(time.get()) }
    };
    ($name:ident, epoch_milliseconds) => {
        $crate::__epoch_milliseconds! { $name, "1_711_850_400_000", |time| Ok(time.get()) }
    };
    ($name:ident, epoch_seconds_text) => {
        $crate::__signed_text! { $name, "seconds" }
        $crate::__epoch_seconds! { $name, "\"1711850400\"", $name::to_i64 }
    };
    ($name:ident, epoch_milliseconds_text) => {
        $crate::__signed_text! { $name, "milliseconds" }
        $crate::__epoch_milliseconds! { $name, "\"1711850400000\"", $name::to_i64 }
    };
}

/// Adds the conversions to a scalar whose text is a whole number.
#[doc(hidden)]
#[macro_export]
macro_rules! __signed_text {
    ($name:ident, $unit:literal) => {
        impl $name {
            #[doc = concat!("Returns the ", $unit, ".")]
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a
            /// whole number, or exceeds 64 bits.
            ///
            /// ```
            #[doc = concat!("use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"-5\").to_i64()?, -5);")]
            #[doc = concat!("assert!(", stringify!($name), "::new(\"soon\").to_i64().is_err());")]
            #[doc = concat!("# Ok::<(), ", env!("CARGO_CRATE_NAME"), "::Error>(())")]
            /// ```
            pub fn to_i64(&self) -> Result<i64, $crate::Error> {
                $crate::codegen::parse_signed(self.as_str(), stringify!($name))
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self::new(&$crate::codegen::ToString::to_string(&number))
            }
        }

        $crate::__borrowed_as_text! { $name }
    };
}
