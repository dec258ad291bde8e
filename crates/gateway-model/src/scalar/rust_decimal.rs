//! Decimal numbers from and to `rust_decimal`: exactly, or not at all.

/// Adds the conversions to a scalar whose text is a decimal number.
macro_rules! conversions {
    ($name:ident) => {
        impl TryFrom<&$name> for rust_decimal::Decimal {
            type Error = crate::Error;

            /// Reads the text, which stays as it came.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) when it is no plain decimal
            /// number, or has more digits than the type holds: nothing is ever rounded.
            fn try_from(text: &$name) -> Result<Self, crate::Error> {
                let number =
                    if text.is_plain() { Self::from_str_exact(text.as_str()).ok() } else { None };
                number.ok_or_else(|| {
                    crate::Error::conversion(stringify!($name), "a plain decimal number that fits")
                })
            }
        }

        impl From<rust_decimal::Decimal> for $name {
            /// Writes every digit, zeros at the end included.
            fn from(number: rust_decimal::Decimal) -> Self {
                Self::from(alloc::string::ToString::to_string(&number))
            }
        }
    };
}

pub(crate) use conversions;
