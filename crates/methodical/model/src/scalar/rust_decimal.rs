//! Exact conversions from and to `rust_decimal`.

pub use rust_decimal::Decimal;

use crate::Error;
use crate::scalar::decimal::is_plain;

/// Converts the text of the scalar `name`. Never rounds.
///
/// # Errors
///
/// [`ErrorKind::Conversion`](crate::ErrorKind::Conversion) if the text is not a plain decimal number,
/// or has more digits than the type can hold.
pub fn decimal(text: &str, name: &str) -> Result<Decimal, Error> {
    let number = if is_plain(text) { Decimal::from_str_exact(text).ok() } else { None };
    number.ok_or_else(|| Error::conversion(name, "a plain decimal number that fits"))
}

/// Adds the conversions to a scalar whose text is a decimal number.
#[doc(hidden)]
#[macro_export]
macro_rules! __rust_decimal {
    ($name:ident) => {
        impl TryFrom<&$name> for $crate::codegen::Decimal {
            type Error = $crate::Error;

            /// Converts the text, which is unchanged. Never rounds.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a
            /// plain decimal number, or has more digits than the type can hold.
            fn try_from(text: &$name) -> Result<Self, $crate::Error> {
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
