//! Exact conversions from and to `rust_decimal`.

/// Adds the conversions to a scalar whose text is a decimal number.
macro_rules! conversions {
    ($name:ident) => {
        impl TryFrom<&$name> for rust_decimal::Decimal {
            type Error = crate::Error;

            /// Converts the text, which is unchanged. Never rounds.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the text is not a plain
            /// decimal number, or has more digits than the type can hold.
            fn try_from(text: &$name) -> Result<Self, crate::Error> {
                let number =
                    if text.is_plain() { Self::from_str_exact(text.as_str()).ok() } else { None };
                number.ok_or_else(|| {
                    crate::Error::conversion(stringify!($name), "a plain decimal number that fits")
                })
            }
        }

        impl From<rust_decimal::Decimal> for $name {
            /// Converts the number with every digit, including trailing zeros.
            fn from(number: rust_decimal::Decimal) -> Self {
                Self::from(alloc::string::ToString::to_string(&number))
            }
        }
    };
}

pub(crate) use conversions;
