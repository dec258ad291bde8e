//! Scalars: text or an integer on the wire, a type with a meaning in Rust.

#[cfg(feature = "chrono04")]
pub mod chrono;
pub(crate) mod civil;
pub(crate) mod decimal;
pub mod epoch;
pub(crate) mod integer;
#[cfg(feature = "jiff02")]
pub mod jiff;
mod meaning;
mod optional;
#[cfg(feature = "rust_decimal")]
pub(crate) mod rust_decimal;
mod time;

/// Defines a scalar of a kind: one that keeps its wire text unchanged, or a 64-bit integer.
///
/// The kind decides the conversions, and how values compare.
#[doc(hidden)]
#[macro_export]
macro_rules! __scalar {
    ($(#[$attribute:meta])* $name:ident, integer) => {
        $crate::__scalar! { @number $(#[$attribute])* $name, u64, serialize_u64, parse_unsigned }
    };
    ($(#[$attribute:meta])* $name:ident, signed_integer) => {
        $crate::__scalar! { @number $(#[$attribute])* $name, i64, serialize_i64, parse_signed }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_seconds) => {
        $crate::__scalar! { @number $(#[$attribute])* $name, i64, serialize_i64, parse_signed }
        $crate::__meaning! { $name, epoch_seconds }
    };
    ($(#[$attribute:meta])* $name:ident, text) => {
        $crate::__scalar! { @text $(#[$attribute])* $name, "Values compare as text." }
        $crate::__compared_as_text! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, digits) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name,
            "The order is that of the numbers: `9` is before `10`. Other text comes after all numbers. Values are equal only if their text is, so `7` and `07` differ."
        }
        $crate::__meaning! { $name, digits }
    };
    ($(#[$attribute:meta])* $name:ident, decimal) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name,
            "Values are equal only if their text is: `1.5` and `1.50` differ. They are not ordered: to compare by value, convert them to numbers, for example with the feature `rust_decimal`."
        }
        $crate::__meaning! { $name, decimal }
    };
    ($(#[$attribute:meta])* $name:ident, civil_date_time) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name,
            "Values compare as text, which is the order in time of all valid dates and times."
        }
        $crate::__compared_as_text! { $name }
        $crate::__meaning! { $name, civil_date_time }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_seconds_text) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name,
            "Values are equal only if their text is: `5` and `05` differ. They are not ordered: compare the seconds."
        }
        $crate::__meaning! { $name, epoch_seconds_text }
    };
    (@text $(#[$attribute:meta])* $name:ident, $comparison:literal) => {
        $(#[$attribute])*
        ///
        #[doc = $comparison]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name($crate::codegen::SmolStr);

        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] with this text, unchanged.")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(\"12\"), \"12\");")]
            /// ```
            #[inline]
            #[must_use]
            pub fn new(text: &str) -> Self {
                Self($crate::codegen::SmolStr::new(text))
            }

            /// Returns the text on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(\"12\").as_str(), \"12\");")]
            /// ```
            #[inline]
            pub fn as_str(&self) -> &str {
                self.0.as_str()
            }
        }

        impl From<&str> for $name {
            #[inline]
            fn from(text: &str) -> Self {
                Self::new(text)
            }
        }

        $crate::__from_text! { $name }
        $crate::__as_text! { $name }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.as_str()).finish()
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::codegen::deserialize_text(deserializer, "text").map(Self::from)
            }
        }

        impl $crate::codegen::Value for $name {
            type Ref<'a> = $crate::codegen::Cow<'a, str>;

            #[inline]
            fn read<'a>(cursor: &mut $crate::codegen::Cursor<'a>) -> Option<Self::Ref<'a>> {
                cursor.text()
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self::Ref<'de>, D::Error> {
                $crate::codegen::deserialize_text(deserializer, "text")
            }

            #[inline]
            fn into_owned(borrowed: Self::Ref<'_>) -> Self {
                borrowed.into()
            }

            fn shape() -> $crate::codegen::Shape {
                $crate::codegen::Shape::Text
            }
        }
    };
    (@number $(#[$attribute:meta])* $name:ident, $number:ident, $serialize:ident, $parse:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name($number);

        impl $name {
            #[doc = concat!("Creates a [`", stringify!($name), "`] from this number.")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(12).get(), 12);")]
            /// ```
            #[inline]
            #[must_use]
            pub const fn new(number: $number) -> Self {
                Self(number)
            }

            /// Returns the number on the wire.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::from(12).get(), 12);")]
            /// ```
            #[inline]
            pub const fn get(self) -> $number {
                self.0
            }
        }

        impl From<$number> for $name {
            fn from(number: $number) -> Self {
                Self::new(number)
            }
        }

        impl From<$name> for $number {
            fn from(value: $name) -> Self {
                value.get()
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::Error;

            /// Parses decimal digits.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](gateway_model_core::ErrorKind::Conversion) if the text is not a whole
            /// number, or exceeds 64 bits.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                $crate::codegen::$parse(text, stringify!($name)).map(Self::new)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.$serialize(self.0)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let number = <$number as $crate::codegen::serde::Deserialize>::deserialize(deserializer);
                number.map(Self::new)
            }
        }

        $crate::__copied!($name, <$number as $crate::codegen::Value>::shape(), |cursor| {
            <$number as $crate::codegen::Value>::read(cursor).map(Self::new)
        });
    };
}
