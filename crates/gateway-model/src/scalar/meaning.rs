//! What a text scalar means, offered on demand; the text itself stays as it came.

/// Adds a meaning to a scalar.
macro_rules! meaning {
    ($name:ident, integer_in_query) => {
        impl $name {
            /// Returns the number that a query carries.
            ///
            /// The service shows the identifier as text in a record and as an integer in a query,
            /// so the text is kept and read only when it is asked for.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Parameter`](crate::ErrorKind::Parameter) when the text is not made of decimal digits, or does not fit.
            ///
            /// ```
            #[doc = concat!("use gateway_model::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"52\").to_u64()?, 52);")]
            #[doc = concat!("assert!(", stringify!($name), "::new(\"+52\").to_u64().is_err());")]
            /// # Ok::<(), gateway_model::Error>(())
            /// ```
            pub fn to_u64(&self) -> Result<u64, crate::Error> {
                crate::scalar::integer::parse(self.as_str()).ok_or_else(|| {
                    crate::Error::parameter(stringify!($name), "an unsigned integer")
                })
            }
        }

        impl From<u64> for $name {
            fn from(number: u64) -> Self {
                Self::new(&alloc::string::ToString::to_string(&number))
            }
        }
    };
    ($name:ident, decimal) => {
        impl $name {
            /// Says whether the text is a plain decimal number: an optional sign, digits, an optional fraction.
            ///
            /// Anything else is kept as it came: `1e3`, `1,234.50` and `NaN` are text.
            ///
            /// ```
            #[doc = concat!("use gateway_model::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert!(", stringify!($name), "::new(\"-12.50\").is_plain());")]
            #[doc = concat!("assert!(!", stringify!($name), "::new(\"1,234.50\").is_plain());")]
            /// ```
            pub fn is_plain(&self) -> bool {
                crate::scalar::decimal::is_plain(self.as_str())
            }
        }

        #[cfg(feature = "rust_decimal")]
        crate::scalar::rust_decimal::conversions! { $name }
    };
    ($name:ident, civil_date_time) => {
        impl $name {
            /// Returns the date and time, if the text is one.
            ///
            /// Text that is none, such as `0000-00-00 00:00:00`, is kept as it came.
            ///
            /// ```
            #[doc = concat!("use gateway_model::", stringify!($name), ";")]
            ///
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"0000-00-00 00:00:00\").civil(), None);")]
            /// ```
            pub fn civil(&self) -> Option<crate::Civil> {
                crate::Civil::parse(self.as_str())
            }
        }

        impl From<crate::Civil> for $name {
            fn from(civil: crate::Civil) -> Self {
                Self::from(alloc::string::ToString::to_string(&civil))
            }
        }

        #[cfg(feature = "jiff")]
        crate::scalar::jiff::conversions! { $name }
    };
}

pub(crate) use meaning;
