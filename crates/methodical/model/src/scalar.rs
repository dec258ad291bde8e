//! Scalars: text or an integer on the wire, a type with a meaning in Rust.

#[cfg(feature = "chrono04")]
pub mod chrono;
pub(crate) mod civil;
pub mod codes;
pub(crate) mod decimal;
pub(crate) mod either;
pub mod epoch;
pub(crate) mod integer;
#[cfg(feature = "jiff02")]
pub mod jiff;
mod meaning;
mod optional;
#[cfg(feature = "rust_decimal")]
pub(crate) mod rust_decimal;
mod time;

/// Defines a scalar of a kind: one that keeps its wire text unchanged, a 64-bit integer, or a boolean with the values that
/// represent it.
///
/// The kind decides the conversions, and how values compare. After the kind, `or_text` or `or_number` says that a
/// record may also have a value of the other JSON type.
#[doc(hidden)]
#[macro_export]
macro_rules! __scalar {
    ($(#[$attribute:meta])* $name:ident, integer $(, $either:ident)?) => {
        $crate::__scalar! {
            @number $(#[$attribute])* $name, u64, serialize_u64, parse_unsigned, $crate::__reader!(u64 $($either)?)
        }
    };
    ($(#[$attribute:meta])* $name:ident, signed_integer $(, $either:ident)?) => {
        $crate::__scalar! {
            @number $(#[$attribute])* $name, i64, serialize_i64, parse_signed, $crate::__reader!(i64 $($either)?)
        }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_seconds $(, $either:ident)?) => {
        $crate::__scalar! { $(#[$attribute])* $name, signed_integer $(, $either)? }
        $crate::__meaning! { $name, epoch_seconds }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_milliseconds $(, $either:ident)?) => {
        $crate::__scalar! { $(#[$attribute])* $name, signed_integer $(, $either)? }
        $crate::__meaning! { $name, epoch_milliseconds }
    };
    ($(#[$attribute:meta])* $name:ident, text $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text $($either)?), "Values compare as text."
        }
        $crate::__compared_as_text! { $name }
    };
    ($(#[$attribute:meta])* $name:ident, digits $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text $($either)?),
            "The order is that of the numbers: `9` is before `10`. Other text comes after all numbers. Values are equal only if their text is, so `7` and `07` differ."
        }
        $crate::__meaning! { $name, digits }
    };
    ($(#[$attribute:meta])* $name:ident, decimal $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text $($either)?),
            "Values are equal only if their text is: `1.5` and `1.50` differ. They are not ordered: to compare by value, convert them to numbers, for example with the feature `rust_decimal`."
        }
        $crate::__meaning! { $name, decimal }
    };
    ($(#[$attribute:meta])* $name:ident, civil_date_time) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text),
            "Values compare as text, which is the order in time of all valid dates and times."
        }
        $crate::__compared_as_text! { $name }
        $crate::__meaning! { $name, civil_date_time }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_seconds_text $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text $($either)?),
            "Values are equal only if their text is: `5` and `05` differ. They are not ordered: compare the seconds."
        }
        $crate::__meaning! { $name, epoch_seconds_text }
    };
    ($(#[$attribute:meta])* $name:ident, epoch_milliseconds_text $(, $either:ident)?) => {
        $crate::__scalar! {
            @text $(#[$attribute])* $name, $crate::__reader!(text $($either)?),
            "Values are equal only if their text is: `5` and `05` differ. They are not ordered: compare the milliseconds."
        }
        $crate::__meaning! { $name, epoch_milliseconds_text }
    };
    ($(#[$attribute:meta])* $name:ident, boolean, [$($yes:expr),+], [$($no:expr),+]) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(bool);

        $crate::__coded_boolean! { $name, [$($yes),+], [$($no),+] }
    };
    (@text $(#[$attribute:meta])* $name:ident, $reader:ty, $comparison:literal) => {
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
                <$reader as $crate::codegen::Value>::deserialize(deserializer).map(Self::from)
            }
        }

        impl $crate::codegen::Value for $name {
            type Ref<'a> = $crate::codegen::Cow<'a, str>;
            type Owned = Self;

            const IS_TEXT: bool = true;

            #[inline]
            fn read<'a>(cursor: &mut $crate::codegen::Cursor<'a>) -> Option<Self::Ref<'a>> {
                <$reader as $crate::codegen::Value>::read(cursor)
            }

            #[inline]
            fn deserialize<'de, D: $crate::codegen::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self::Ref<'de>, D::Error> {
                <$reader as $crate::codegen::Value>::deserialize(deserializer)
            }

            #[inline]
            fn into_owned(borrowed: Self::Ref<'_>) -> Self {
                borrowed.into()
            }

            fn is_blank(borrowed: &Self::Ref<'_>) -> bool {
                borrowed.is_empty()
            }

            fn shape() -> $crate::codegen::Shape {
                <$reader as $crate::codegen::Value>::shape()
            }
        }
    };
    (@number $(#[$attribute:meta])* $name:ident, $number:ident, $serialize:ident, $parse:ident, $reader:ty) => {
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
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the text is not a whole
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
                <$reader as $crate::codegen::Value>::deserialize(deserializer).map(Self::new)
            }
        }

        $crate::__copied!($name, <$reader as $crate::codegen::Value>::shape(), |cursor| {
            <$reader as $crate::codegen::Value>::read(cursor).map(Self::new)
        });
    };
}

/// Returns the type that reads a scalar.
#[doc(hidden)]
#[macro_export]
macro_rules! __reader {
    (text) => {
        $crate::codegen::String
    };
    (text or_number) => {
        $crate::codegen::OrNumber
    };
    ($number:ident) => {
        $number
    };
    ($number:ident or_text) => {
        $crate::codegen::OrText<$number>
    };
}

/// Implements a scalar that is a boolean, from the JSON values that represent `true` and `false`.
#[doc(hidden)]
#[macro_export]
macro_rules! __coded_boolean {
    ($name:ident, [$($yes:expr),+], [$($no:expr),+]) => {
        impl $name {
            const CODES: $crate::codegen::Codes =
                $crate::codegen::Codes { yes: &[$($yes),+], no: &[$($no),+] };

            #[doc = concat!("Creates a [`", stringify!($name), "`].")]
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(", stringify!($name), "::new(true).get());")]
            /// ```
            #[inline]
            #[must_use]
            pub const fn new(value: bool) -> Self {
                Self(value)
            }

            /// Returns the value.
            ///
            /// ```
            #[doc = concat!("# use ", env!("CARGO_CRATE_NAME"), "::", stringify!($name), ";")]
            #[doc = concat!("assert!(!", stringify!($name), "::from(false).get());")]
            /// ```
            #[inline]
            pub const fn get(self) -> bool {
                self.0
            }
        }

        impl From<bool> for $name {
            fn from(value: bool) -> Self {
                Self::new(value)
            }
        }

        impl From<$name> for bool {
            fn from(value: $name) -> Self {
                value.get()
            }
        }

        impl From<&$name> for $name {
            fn from(value: &$name) -> Self {
                *value
            }
        }

        impl PartialEq<bool> for $name {
            fn eq(&self, other: &bool) -> bool {
                self.0 == *other
            }
        }

        impl core::ops::Not for $name {
            type Output = Self;

            fn not(self) -> Self {
                Self(!self.0)
            }
        }

        impl core::str::FromStr for $name {
            type Err = $crate::Error;

            /// Parses the text of a value, as the service writes it.
            ///
            /// # Errors
            ///
            /// [`ErrorKind::Conversion`](methodical_model::ErrorKind::Conversion) if the contract does not
            /// list the text.
            fn from_str(text: &str) -> Result<Self, $crate::Error> {
                Self::CODES.parse(text, stringify!($name)).map(Self)
            }
        }

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                Self::CODES.fmt(self.0, f)
            }
        }

        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0).finish()
            }
        }

        impl $crate::codegen::serde::Serialize for $name {
            fn serialize<S: $crate::codegen::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::CODES.serialize(self.0, serializer)
            }
        }

        impl<'de> $crate::codegen::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codegen::serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::CODES.deserialize(deserializer).map(Self)
            }
        }

        $crate::__copied!(
            $name,
            $crate::codegen::Shape::Leaf {
                expected: $crate::codegen::codes::EXPECTED,
                fits: |json| $name::CODES.fits(json),
            },
            |cursor| Self::CODES.read(cursor).map(Self)
        );
    };
}
